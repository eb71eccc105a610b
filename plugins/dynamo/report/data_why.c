/* SPDX-License-Identifier: BSD-3-Clause */
/* Why earlier entries did not fit the call for which one was compiled, and what to change: see data.h.  Made from what
   was kept at the recompile. */
#include "report/data.h"
#include "model/entry.h"
#include <string.h>

/* The columns of the view 'why' that a failing guard has. */
static const char *const columns[] = { "guard",	   "text", "expected", "live",	 "line",
				       "function", "file", "kind",     "source", "remedy" };

/* How many guards the entries with the fewest failing guards have; 0: none fails. */
static size_t fewest(const struct val *entries)
{
	size_t i, n, least = 0;

	for (i = 0; i < entries->u.list.n; i++) {
		n = (size_t)val_number(entries->u.list.item[i], "failed", 0);
		if (n && (!least || n < least))
			least = n;
	}
	return least;
}

static void put_known(struct val *row, const struct val *from, const char *key)
{
	const struct val *v = val_get(from, key);

	if (v && v->type != VAL_NULL)
		val_put(row, key, val_copy(v));
}

static struct val *why_row(struct val *list, const struct val *e)
{
	struct val *row = val_push(list, val_map());

	put_known(row, e, "entry");
	put_known(row, e, "reason");
	return row;
}

void data_why(struct val *map, const struct entry *of)
{
	const struct val *entries = data_list(of->made.missed, "entries"), *e, *failing;
	size_t least = fewest(entries), i, k, c;
	struct val *list, *row;

	if (!entries->u.list.n)
		return;
	list = val_put(map, "why", val_list());
	for (i = 0; i < entries->u.list.n; i++) {
		e = entries->u.list.item[i];
		failing = data_list(e, "failing");
		for (k = 0; k < failing->u.list.n; k++) {
			row = why_row(list, e);
			for (c = 0; c < sizeof(columns) / sizeof(*columns); c++)
				put_known(row, failing->u.list.item[k], columns[c]);
			put_known(row, e, "failed");
			val_put(row, "nearest", val_bool((size_t)val_number(e, "failed", 0) == least));
		}
		if (failing->u.list.n)
			continue;
		row = why_row(list, e);
		val_put(row, "text", val_str(val_text(e, "reason")));
		put_known(row, e, "remedy");
		val_put(row, "nearest", val_bool(false));
	}
}
