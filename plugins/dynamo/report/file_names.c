/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of files for names of functions: see file_names.h. */
#include "report/file_names.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { LONGEST = 60 };

char *file_names_file(const char *text)
{
	struct buf b = { 0 };
	const char *p;

	for (p = text; *p && b.len < LONGEST; p++) {
		if ((unsigned char)*p < 0x80 && (isalnum((unsigned char)*p) || *p == '_' || *p == '-'))
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
	return buf_detach(&b);
}

static bool name_is_used(const struct file_names *all, const char *name)
{
	size_t i;

	for (i = 0; i < all->n; i++)
		if (!strcasecmp(all->taken[i], name))
			return true;
	return false;
}

char *file_names_unique(struct file_names *all, const char *text)
{
	char *plain = file_names_file(text), *name = mem_str(plain);
	int i;

	for (i = 2; name_is_used(all, name); i++) {
		free(name);
		name = mem_fmt("%s-%d", plain, i);
	}
	free(plain);
	all->taken = mem_grow(all->taken, &all->cap, all->n + 1, sizeof(*all->taken));
	all->taken[all->n++] = mem_str(name);
	return name;
}

void file_names_release(struct file_names *all)
{
	while (all->n)
		free(all->taken[--all->n]);
	free(all->taken);
	memset(all, 0, sizeof(*all));
}
