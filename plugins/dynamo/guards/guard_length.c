/* SPDX-License-Identifier: BSD-3-Clause */
/* Who changes the length of a list, a dict or a set that a guard fixes: the compiled function or other code. */
#include "guards/guard_length.h"
#include "torch/py_text.h"
#include "model/effects.h"
#include "model/entry.h"
#include "model/func.h"
#include "guards/guard_model.h"
#include <stdlib.h>
#include <string.h>

/* "len(L['x']) == 2", "not L['x']": 2, 0; -1: another guard. */
static long length_in(const struct guard *g)
{
	const char *at = strstr(g->text, ") == ");
	char *end;
	long n;

	if (!strncmp(g->text, "not ", 4) && !strcmp(g->text + 4, g->source))
		return 0;
	n = at && !strncmp(g->text, "len(", 4) ? strtol(at + 5, &end, 10) : -1;
	return n >= 0 && !*end ? n : -1;
}

/* The length of this source that an entry was compiled for; -1: not known. */
static long compiled_length(struct entry *e, const char *source)
{
	const struct guards *all = guards_of(e);
	long n = -1;
	int i;

	for (i = 0; all && n < 0 && i < all->n; i++)
		if (!strcmp(all->guard[i].source, source))
			n = length_in(&all->guard[i]);
	return n;
}

enum length_change guard_length(const struct guard *g)
{
	struct entry *e;
	long before, after;
	int seen = 0, changed = 0;

	for (e = g->entry ? model_entries : NULL; e; e = e->next) {
		if (model_root(e->func) != model_root(g->entry->func))
			continue;
		after = effects_length(e, g->source);
		before = after < 0 ? -1 : compiled_length(e, g->source);
		seen += before >= 0;
		changed += before >= 0 && before != after;
	}
	return !seen			   ? LENGTH_UNSEEN :
	       !changed			   ? LENGTH_BY_OTHERS :
	       changed == seen && seen > 1 ? LENGTH_BY_EACH_CALL :
					     LENGTH_BY_FUNCTION;
}
