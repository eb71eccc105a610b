/* SPDX-License-Identifier: BSD-3-Clause */
/* The related items that were found: each item once, in the order in which it was found. */
#include "show/dynamo_show.h"
#include <stdlib.h>
#include <string.h>

static char **link_place(const struct link_set *l, const char *key)
{
	size_t h = 14695981039346656037u, i;
	const char *s;

	for (s = key; *s; s++)
		h = (h ^ (unsigned char)*s) * 1099511628211u;
	for (i = h & (l->cap - 1); l->seen[i] && strcmp(l->seen[i], key); i = (i + 1) & (l->cap - 1))
		;
	return &l->seen[i];
}

static void grow_table(struct link_set *l)
{
	struct link_set old = *l;
	size_t i;

	l->cap = old.cap ? 2 * old.cap : 64;
	l->seen = mem_alloc(l->cap * sizeof(*l->seen));
	for (i = 0; i < old.cap; i++)
		if (old.seen[i])
			*link_place(l, old.seen[i]) = old.seen[i];
	free(old.seen);
}

void link_set_put(struct link_set *l, const char *what, int line, char *id)
{
	char *key = mem_fmt("%s %s", what, id), **at;

	if (2 * l->n >= l->cap)
		grow_table(l);
	at = link_place(l, key);
	if (*at) {
		free(key);
	} else {
		*at = key;
		if (l->n++) /* the first is the item of the question */
			l->add(l->arg, what, id, line);
	}
	free(id);
}
