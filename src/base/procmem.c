/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory as /proc has it: see procmem.h. */
#include "config.h"
#include "base/procmem.h"
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/buf.h"

/* The sum of the lines "NAME: N kB" of a file, in bytes; -1: it has none of them. */
static long long sum_lines(const char *file, const char *const *names)
{
	FILE *f = fopen(file, "re");
	long long sum = -1, n;
	char line[256];
	size_t len;
	int i;

	while (f && fgets(line, sizeof(line), f))
		for (i = 0; names[i]; i++) {
			len = strlen(names[i]);
			if (strncmp(line, names[i], len) || line[len] != ':')
				continue;
			n = strtoll(line + len + 1, NULL, 10) * 1024;
			sum = sum < 0 ? n : sum + n;
		}
	if (f)
		fclose(f);
	return sum;
}

long long procmem_own(pid_t pid)
{
	static const char *const names[] = { "Private_Clean", "Private_Dirty", "Private_Hugetlb", NULL };
	char file[64];

	snprintf(file, sizeof(file), "/proc/%d/smaps_rollup", (int)pid);
	return sum_lines(file, names);
}

long long procmem_written(void)
{
	static const char *const names[] = { "RssAnon", NULL };

	return sum_lines("/proc/self/status", names);
}

static long long file_number(const char *folder, const char *name)
{
	char file[PATH_MAX + 64], text[64];
	long long n = -1;
	FILE *f;

	snprintf(file, sizeof(file), "/sys/fs/cgroup%s/%s", folder, name);
	f = fopen(file, "re");
	if (f && fgets(text, sizeof(text), f) && strncmp(text, "max", 3))
		n = strtoll(text, NULL, 10);
	if (f)
		fclose(f);
	return n;
}

/* Of the process's cgroup (version 2) and those around it, the least; LLONG_MAX: no limit. */
static long long cgroup_available(void)
{
	FILE *f = fopen("/proc/self/cgroup", "re");
	long long least = LLONG_MAX, max, now;
	char line[PATH_MAX], *end;

	while (f && fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = '\0';
		if (strncmp(line, "0::/", 4))
			continue;
		for (;;) {
			max = file_number(line + 3, "memory.max");
			now = file_number(line + 3, "memory.current");
			if (max >= 0 && now >= 0 && max - now < least)
				least = max > now ? max - now : 0;
			end = strrchr(line + 3, '/');
			if (!end || !line[3])
				break;
			*end = '\0';
		}
	}
	if (f)
		fclose(f);
	return least;
}

long long procmem_available(void)
{
	static const char *const names[] = { "MemAvailable", NULL };
	long long machine = sum_lines("/proc/meminfo", names), group = cgroup_available();

	return machine < 0 || group < machine ? (group == LLONG_MAX ? -1 : group) : machine;
}

void procmem_text(long long bytes, struct buf *out)
{
	double mb = (double)bytes / 1e6;

	if (mb < 1000)
		buf_addf(out, mb < 10 ? "%.1f MB" : "%.0f MB", mb);
	else
		buf_addf(out, "%.1f GB", mb / 1000);
}
