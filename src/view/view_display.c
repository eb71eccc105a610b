/* SPDX-License-Identifier: BSD-3-Clause */
/* View: the expressions that each stop shows, with their values in the selected frame. */
#include "base/err.h"
#include "base/val.h"
#include "base/visible.h"
#include "engine/display.h"
#include "engine/session.h"
#include "view/view_table.h"

static const struct view_col cols[] = {
	{ .name = "number", .help = "what undisplay accepts" },
	{ .name = "expression", .help = "as typed" },
	{ .name = "value", .help = "a summary; null while the program runs or if it raised" },
	{ .name = "error", .help = "the exception that it raised", .machine_only = true },
	{ .name = NULL },
};

static int view_display_fill(struct session *s, const struct view_req *req, struct rows *out, struct err *err)
{
	struct display *d;
	struct buf b = { 0 };
	struct err trouble;

	(void)err;
	for (d = display_first(s); d; d = d->next) {
		if (!rows_want(out, req))
			continue;
		rows_add(out, 0);
		rows_int(out, "number", d->number);
		rows_str(out, "expression", ROLE_TEXT, display_expr(d));
		if (!session_stopped(s))
			continue;
		buf_reset(&b);
		if (display_value(s, d, &b, &trouble) == 0)
			rows_str(out, "value", ROLE_VALUE, buf_str(&b));
		else
			rows_str(out, "error", ROLE_ERROR, trouble.text);
	}
	buf_release(&b);
	return 0;
}

static void view_display_text(struct session *s, const struct rows *r, struct buf *out)
{
	size_t i;

	(void)s;
	for (i = 0; i < r->n; i++) {
		buf_addf(out, "%lld: %s", rows_number(r, i, "number", 0), rows_text(r, i, "expression"));
		if (*rows_text(r, i, "error"))
			buf_addf(out, " = <%s>", visible(rows_text(r, i, "error")));
		else if (rows_cell(r, i, "value"))
			buf_addf(out, " = %s", visible(rows_text(r, i, "value")));
		buf_addc(out, '\n');
	}
}

static const char *const more[] = { "undisplay {number}", "print {expression}", "pp {expression}", "watch {expression}",
				    NULL };

const struct view_ops view_display = {
	.name = "display",
	.help = "the expressions that each stop shows",
	.cols = cols,
	.fill = view_display_fill,
	.text = view_display_text,
	.more = more,
	.none = "no expressions to display",
};
