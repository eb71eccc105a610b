/* SPDX-License-Identifier: BSD-3-Clause */
/* View: the values that a variable or a slot of the value stack had in the record, newest first: who made this. */
#include "base/buf.h"
#include "base/err.h"
#include "base/val.h"
#include "engine/past_history.h"
#include "engine/past.h"
#include "engine/session.h"
#include "view/view_table.h"

static const struct view_col cols[] = {
	{ .name = "number", .help = "of the instruction that wrote it, what `go #N` takes" },
	{ .name = "value", .help = "a summary", .wide = true },
	{ .name = "type", .help = "its class", .drop = 2 },
	{ .name = "function", .help = "where", .drop = 1 },
	{ .name = "line", .help = "of its code" },
	{ .name = "what", .help = "the region, node or kernel", .drop = 3 },
	{ .name = "opname", .help = "the instruction; argument: the call passed it", .drop = 4 },
	{ .name = NULL },
};

static int view_writes_fill(struct session *s, const struct view_req *req, struct rows *out, struct err *err)
{
	const char *op, *arg, *what;
	struct history h = { 0 };
	struct buf value = { 0 };
	uint32_t offset;
	int line, ret;
	size_t i;

	if (!*req->words)
		return err_set(err, "missing name: 'info writes NAME', or $N for a slot of the value stack");
	ret = history_writes(s, req->words, &h, err);
	for (i = 0; i < h.n; i++) {
		if (!rows_want(out, req))
			continue;
		history_instr(&h.row[i], &offset, &op, &arg, &line, &what);
		buf_reset(&value);
		past_value_text(&h.row[i].made, &value);
		rows_add(out, 0);
		rows_int(out, "number", (long long)h.row[i].number);
		rows_str(out, "value", ROLE_VALUE, buf_str(&value));
		rows_str(out, "type", ROLE_TYPE, past_value_type(&h.row[i].made));
		rows_str(out, "function", ROLE_NAME, history_function(h.row[i].code));
		if (line)
			rows_int(out, "line", line);
		rows_str(out, "what", ROLE_DIM, *what ? what : NULL);
		rows_str(out, "opname", ROLE_OPCODE, h.row[i].argument ? "argument" : op);
	}
	history_release(&h);
	buf_release(&value);
	return ret;
}

static void view_writes_action(const struct rows *r, size_t row, enum row_action what, struct buf *line)
{
	if (what == ACTION_ENTER)
		buf_addf(line, "go #%lld", rows_number(r, row, "number", 0));
}

const struct view_ops view_writes = {
	.name = "writes",
	.args = "NAME|$N",
	.help = "the values of a variable or a slot in the record, newest first",
	.cols = cols,
	.gone = true,
	.needs_stop = true,
	.fill = view_writes_fill,
	.none = "nothing in the record of this thread writes it",
	.action = view_writes_action,
};
