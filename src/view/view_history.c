/* SPDX-License-Identifier: BSD-3-Clause */
/* View: the instructions of the record before the moment that is looked at, and what each made. */
#include <string.h>
#include "base/buf.h"
#include "base/err.h"
#include "base/val.h"
#include "engine/past_history.h"
#include "engine/past.h"
#include "engine/session.h"
#include "view/view_table.h"

enum { SHOWN = 20, MOST = 100000 };

static const struct view_col cols[] = {
	{ .name = "number", .help = "what `go #N` takes" },
	{ .name = "function", .help = "as Python qualifies it", .drop = 1 },
	{ .name = "offset", .help = "in bytes" },
	{ .name = "opname", .help = "its name" },
	{ .name = "arg", .help = "argument as dis shows it" },
	{ .name = "what", .help = "the region, node or kernel", .drop = 2 },
	{ .name = "line", .help = "of its code", .drop = 3 },
	{ .name = "made", .help = "what it pushed or stored, on top", .wide = true },
	{ .name = "level", .help = "recorded frames below it", .machine_only = true },
	{ .name = NULL },
};

static void add(const struct history_row *h, bool current, struct rows *out)
{
	const char *op, *arg, *what;
	struct buf made = { 0 };
	uint32_t offset;
	int line;

	history_instr(h, &offset, &op, &arg, &line, &what);
	rows_add(out, current ? MARK_CURRENT : 0);
	rows_int(out, "number", (long long)h->number);
	rows_str(out, "function", ROLE_NAME, history_function(h->code));
	rows_int(out, "offset", offset);
	rows_str(out, "opname", ROLE_OPCODE, op);
	rows_str(out, "arg", ROLE_VALUE, *arg ? arg : NULL);
	rows_str(out, "what", ROLE_DIM, *what ? what : NULL);
	if (line)
		rows_int(out, "line", line);
	if (strcmp(past_value_kind(&h->made), "unknown")) {
		past_value_text(&h->made, &made);
		rows_str(out, "made", ROLE_VALUE, buf_str(&made));
	}
	rows_int(out, "level", h->level - 1);
	buf_release(&made);
}

static int view_history_fill(struct session *s, const struct view_req *req, struct rows *out, struct err *err)
{
	struct history h = { 0 };
	long n = SHOWN;
	size_t i;
	int ret;

	if (*req->words && !text_is_number(req->words, 1, MOST, &n))
		return err_set(err, "'info history' takes a number of instructions, 1 to %d", MOST);
	ret = history_last(s, n, &h, err);
	for (i = 0; i < h.n; i++)
		if (rows_want(out, req))
			add(&h.row[i], i + 1 == h.n, out);
	history_release(&h);
	return ret;
}

static void view_history_action(const struct rows *r, size_t row, enum row_action what, struct buf *line)
{
	if (what == ACTION_ENTER)
		buf_addf(line, "go #%lld", rows_number(r, row, "number", 0));
}

const struct view_ops view_history = {
	.name = "history",
	.args = "[N]",
	.help = "the last recorded instructions before the moment that is looked at",
	.cols = cols,
	.gone = true,
	.needs_stop = true,
	.fill = view_history_fill,
	.none = "no instructions",
	.action = view_history_action,
};
