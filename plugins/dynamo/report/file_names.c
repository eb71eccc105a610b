/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of files for names of functions: see file_names.h. */
#include "report/file_names.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST = 60 };

/* Windows opens a device by each of these names, whatever follows a dot: a report may be read there. */
static bool is_device(const char *name)
{
	static const char *const devices[] = { "con", "prn", "aux", "nul", "com", "lpt" };
	size_t n = strcspn(name, "."), i;

	for (i = 0; i < sizeof(devices) / sizeof(*devices); i++)
		if (!strncasecmp(name, devices[i], 3) && (i < 4 ? n == 3 : n == 4 && isdigit((unsigned char)name[3])))
			return true;
	return false;
}

char *file_names_file(const char *text)
{
	struct buf b = { 0 };
	const char *p;
	char *name;

	for (p = text; *p && b.len < LONGEST; p++) {
		if ((unsigned char)*p < 0x80 && (isalnum((unsigned char)*p) || *p == '_' || (*p == '-' && b.len)))
			buf_addc(&b, *p);
		else if (*p == '.' && b.len) /* no hidden file, no parent */
			buf_addc(&b, b.s[b.len - 1] == '.' ? '_' : '.');
		else if (((unsigned char)*p & 0xc0) != 0x80)
			buf_addc(&b, '_');
	}
	while (b.len && b.s[b.len - 1] == '.')
		b.s[--b.len] = '\0';
	if (!b.len)
		buf_adds(&b, "_");
	name = is_device(b.s) ? mem_fmt("_%s", b.s) : buf_detach(&b);
	buf_release(&b);
	return name;
}

/* Take a name unless it is taken; its number. */
static unsigned take(struct file_names *all, const char *name, bool *fresh)
{
	size_t before = all->taken.n;
	char *lower = mem_str(name), *p;
	unsigned number;

	for (p = lower; *p; p++)
		*p = (char)tolower((unsigned char)*p);
	number = items_number(&all->taken, "%s", lower);
	free(lower);
	*fresh = all->taken.n > before;
	if (*fresh) {
		all->last = mem_grow(all->last, &all->cap, all->taken.n, sizeof(*all->last));
		all->last[number] = 1;
	}
	return number;
}

void file_names_reserve(struct file_names *all, const char *name)
{
	bool fresh;

	take(all, name, &fresh);
}

char *file_names_unique(struct file_names *all, const char *text)
{
	char *plain = file_names_file(text), *name = mem_str(plain);
	bool fresh;
	unsigned first = take(all, plain, &fresh);

	while (!fresh) {
		free(name);
		name = mem_fmt("%s-%d", plain, ++all->last[first]);
		take(all, name, &fresh);
	}
	free(plain);
	return name;
}

void file_names_release(struct file_names *all)
{
	items_release(&all->taken);
	free(all->last);
	memset(all, 0, sizeof(*all));
}
