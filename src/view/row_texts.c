/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows as texts that can be compared between processes: what people see in a table, without what differs between equal
   processes.  Knows no session. */
#include <stdlib.h>
#include "base/buf.h"
#include "base/normal.h"
#include "base/val.h"
#include "view/view.h"

static bool is_compared(const struct view_col *c)
{
	return !c->machine_only && !c->screen && !c->local;
}

/* Null and an empty text say nothing, and a real number is measured. */
static void add_value(struct buf *out, const char *name, const struct val *v)
{
	if (!v || v->type == VAL_NULL || v->type == VAL_REAL || v->type == VAL_LIST || v->type == VAL_MAP)
		return;
	if (v->type == VAL_STR && !v->u.s[0])
		return;
	buf_addf(out, "%s%s ", out->len ? ", " : "", name);
	if (v->type == VAL_STR)
		normal_line(out, v->u.s);
	else if (v->type == VAL_INT)
		buf_addf(out, "%lld", v->u.i);
	else
		buf_adds(out, v->u.b ? "yes" : "no");
}

struct val *row_texts(const struct rows *r)
{
	struct val *lines = val_list();
	struct buf line = { 0 };
	size_t i;
	int c;

	for (i = 0; i < r->n; i++) {
		buf_reset(&line);
		for (c = 0; c < r->ncols; c++)
			if (is_compared(&r->ops->cols[c]))
				add_value(&line, r->ops->cols[c].name, rows_cell(r, i, r->ops->cols[c].name));
		val_push(lines, val_str(buf_str(&line)));
	}
	buf_release(&line);
	return lines;
}
