/* SPDX-License-Identifier: BSD-3-Clause */
/* What another process was started with: see environment.h. */
#include "config.h"
#include "attach/environment.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "attach/process.h"
#include "base/buf.h"

enum { VARIABLES = 10000, VALUE = 4096, PART = 64 };

static void read_texts(pid_t pid, const char *name, struct buf *out)
{
	char file[48], part[4096];
	ssize_t got;
	int fd;

	snprintf(file, sizeof(file), "/proc/%ld/%s", (long)pid, name);
	fd = open(file, O_RDONLY | O_CLOEXEC);
	while (fd >= 0 && (got = read(fd, part, sizeof(part))) > 0)
		buf_add(out, part, (size_t)got);
	if (fd >= 0)
		close(fd);
}

void environment_words(pid_t pid, struct buf *out)
{
	read_texts(pid, "cmdline", out);
}

char *environment_at_start(pid_t pid, const char *name)
{
	size_t n = strlen(name);
	struct buf b = { 0 };
	char *value = NULL;
	const char *s;

	read_texts(pid, "environ", &b);
	for (s = b.s; s && s < b.s + b.len && !value; s += strlen(s) + 1)
		if (!strncmp(s, name, n) && s[n] == '=')
			value = mem_str(s + n + 1);
	buf_release(&b);
	return value;
}

/* The end of the memory that it is in may be near. */
static char *read_text(pid_t pid, uintptr_t at)
{
	struct buf b = { 0 };
	char part[PART];
	size_t n;

	while (b.len < VALUE) {
		n = PART - at % PART;
		if (!process_read(pid, at, part, n))
			break;
		buf_add(&b, part, strnlen(part, n));
		if (strnlen(part, n) < n)
			return buf_detach(&b);
		at += n;
	}
	buf_release(&b);
	return NULL;
}

char *environment_now(pid_t pid, const char *name)
{
	uintptr_t list = 0, text, variable;
	size_t n = strlen(name), i;
	struct process_object o;
	char head[PART];

	/* the program's own copy of the variable, if it has one, comes before that of the C library */
	if (n + 1 >= sizeof(head) || !process_object(pid, "environ", NULL, &o) ||
	    !(variable = process_symbol(pid, &o, "environ")) || !process_read(pid, variable, &list, sizeof(list)))
		return environment_at_start(pid, name);
	for (i = 0; i < VARIABLES; i++) {
		if (!process_read(pid, list + i * sizeof(text), &text, sizeof(text)) || !text)
			return NULL;
		if (process_read(pid, text, head, n + 1) && !strncmp(head, name, n) && head[n] == '=')
			return read_text(pid, text + n + 1);
	}
	return NULL;
}
