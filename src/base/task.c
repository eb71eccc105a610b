/* SPDX-License-Identifier: BSD-3-Clause */
/* What Linux tells of a thread of this process: see task.h. */
#include "base/task.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

long task_self(void)
{
	return syscall(SYS_gettid);
}

static FILE *opened(long tid, const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/task/%ld/%s", tid, name);
	return fopen(path, "re");
}

/* The first line of such a file, "" where there is none. */
static void first_line(long tid, const char *name, char *line, int max)
{
	FILE *f = opened(tid, name);

	if (!f || !fgets(line, max, f))
		line[0] = '\0';
	if (f)
		fclose(f);
}

bool task_in_futex(long tid)
{
	char text[32];

	first_line(tid, "syscall", text, sizeof(text));
	return !text[0] || atol(text) == SYS_futex;
}

char task_state(long tid)
{
	char text[400];
	const char *p;

	first_line(tid, "stat", text, sizeof(text));
	p = strrchr(text, ')'); /* after the name */
	return p && p[1] == ' ' && p[2] ? p[2] : 'S';
}

long task_moves(long tid)
{
	char line[200];
	long n = 0;
	FILE *f = opened(tid, "status");

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "voluntary_ctxt_switches: %ld", &n) == 1)
			break;
	if (f)
		fclose(f);
	return n;
}
