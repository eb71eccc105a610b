/* SPDX-License-Identifier: BSD-3-Clause */
/* Which rows that belong with the selected one are out of sight: a pane marks its first and its last row then.
   Looks at the rows that are loaded, and for others at names that end in a number. */
#include "config.h"
#include <stdlib.h>
#include <string.h>
#include "base/val.h"
#include "ui/tui/pane.h"

/* "line /tmp/f.py:12": the number, and in *n the bytes before it; -1: no number. */
static long number_of(const char *name, size_t *n)
{
	const char *colon = strrchr(name, ':');
	char *end;
	long number = colon ? strtol(colon + 1, &end, 10) : -1;

	if (!colon || end == colon + 1 || *end)
		return -1;
	*n = (size_t)(colon + 1 - name);
	return number;
}

/* The first or last loaded row whose name ends in a number. */
static const char *outermost_row(const struct pane *p, bool last)
{
	size_t i, n;

	for (i = 0; i < p->rows->n; i++) {
		const char *name = pane_name_of(p, last ? p->rows->n - 1 - i : i);

		if (number_of(name, &n) >= 0)
			return name;
	}
	return NULL;
}

/* Rows that are not loaded. */
static void look_beyond(const struct pane *p, const struct val *with, struct pane_edges *out)
{
	const char *first = outermost_row(p, false), *last = outermost_row(p, true);
	size_t i, n = 0, before = 0, len = 0;
	long from = first ? number_of(first, &before) : -1, to = last ? number_of(last, &n) : -1, k;

	for (i = 0; from >= 0 && before == n && i < with->u.list.n; i++) {
		const char *name = with->u.list.item[i]->u.s;

		k = number_of(name, &len);
		if (k < 0 || len != n || strncmp(name, first, n))
			continue;
		out->above = out->above || k < from;
		out->below = out->below || k > to;
	}
}

void pane_edges(const struct pane *p, const struct pane_link *l, struct pane_edges *out)
{
	size_t h = (size_t)(pane_height(p) > 0 ? pane_height(p) : 0), i, row;

	*out = (struct pane_edges){ false, false };
	if (!l || !l->from || p == l->from || !p->rows)
		return;
	for (i = 0; i < p->rows->n; i++) {
		row = p->rows->first + i;
		if (row < p->top && !out->above)
			out->above = pane_linked(p, i, l);
		else if (row >= p->top + h && !out->below)
			out->below = pane_linked(p, i, l);
	}
	if (l->with && p->rows->n < p->rows->total)
		look_beyond(p, l->with, out);
}
