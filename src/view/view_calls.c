/* SPDX-License-Identifier: BSD-3-Clause */
/* View: the calls that are in the record, with what they were given and what they returned. */
#include <string.h>
#include "base/buf.h"
#include "base/val.h"
#include "engine/past_history.h"
#include "engine/past.h"
#include "engine/session.h"
#include "py/record/recorder.h"
#include "view/view_table.h"

static const struct view_col cols[] = {
	{ .name = "number", .help = "of its first instruction, what `go #N` takes" },
	{ .name = "function", .help = "as Python qualifies it" },
	{ .name = "entry", .help = "cache entry of generated code", .drop = 2 },
	{ .name = "arguments", .help = "what they were when it began or went on", .wide = true },
	{ .name = "result", .help = "what it returned or yielded" },
	{ .name = "ended", .help = "return, yield, raise; null: it has not" },
	{ .name = "microseconds", .help = "that it took, with what it called", .drop = 1 },
	{ .name = NULL },
};

static void add(const struct history_call *c, struct rows *out)
{
	static const char *const how[] = { "return", "yield", "raise", "unseen" };
	struct buf result = { 0 };

	rows_add(out, 0);
	rows_int(out, "number", (long long)c->number);
	rows_str(out, "function", ROLE_NAME, history_function(c->code));
	rows_str(out, "entry", ROLE_NAME, c->code->entry ? record_code_text(c->code, c->code->entry) : NULL);
	rows_str(out, "arguments", ROLE_VALUE, c->arguments);
	if (strcmp(past_value_kind(&c->result), "unknown")) {
		past_value_text(&c->result, &result);
		rows_str(out, "result", ROLE_VALUE, buf_str(&result));
	}
	if (c->how >= 0 && c->how < 4)
		rows_str(out, "ended", ROLE_DIM, how[c->how]);
	if (c->end)
		rows_val(out, "microseconds", ROLE_NUMBER,
			 val_real((double)(long long)(record_seconds(c->begin, c->end) * 1e7) / 10));
	buf_release(&result);
}

static int view_calls_fill(struct session *s, const struct view_req *req, struct rows *out, struct err *err)
{
	struct history_calls h = { 0 };
	int ret = history_calls(s, req->words, &h, err);
	size_t i;

	for (i = 0; i < h.n; i++)
		if (rows_want(out, req))
			add(&h.call[i], out);
	history_calls_release(&h);
	return ret;
}

static void view_calls_action(const struct rows *r, size_t row, enum row_action what, struct buf *line)
{
	if (what == ACTION_ENTER)
		buf_addf(line, "go #%lld", rows_number(r, row, "number", 0));
}

const struct view_ops view_calls = {
	.name = "calls",
	.args = "[FUNC]",
	.help = "the calls in the record: arguments, results, time",
	.cols = cols,
	.gone = true,
	.needs_stop = true,
	.fill = view_calls_fill,
	.none = "no calls in the record of this thread",
	.action = view_calls_action,
};
