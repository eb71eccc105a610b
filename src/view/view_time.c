/* SPDX-License-Identifier: BSD-3-Clause */
/* View: the time of each function, region, node and kernel, from the record. */
#include "base/val.h"
#include "engine/past_history.h"
#include "engine/session.h"
#include "view/view_table.h"

static const struct view_col cols[] = {
	{ .name = "microseconds", .help = "in all, with what it called" },
	{ .name = "count", .help = "how often it ran" },
	{ .name = "mean", .help = "microseconds each" },
	{ .name = "function", .help = "as Python qualifies it" },
	{ .name = "entry", .help = "cache entry of generated code", .drop = 1 },
	{ .name = "what", .help = "region, node or kernel; null: the whole function", .wide = true },
	{ .name = NULL },
};

static struct val *tenths(double microseconds)
{
	return val_real((double)(long long)(microseconds * 10 + 0.5) / 10);
}

static int view_time_fill(struct session *s, const struct view_req *req, struct rows *out, struct err *err)
{
	struct history_times h = { 0 };
	int ret = history_times(s, &h, err);
	const struct record_code *c;
	size_t i;

	for (i = 0; i < h.n; i++) {
		if (!rows_want(out, req))
			continue;
		c = h.time[i].code;
		rows_add(out, 0);
		rows_val(out, "microseconds", ROLE_NUMBER, tenths(h.time[i].seconds * 1e6));
		rows_int(out, "count", (long long)h.time[i].count);
		rows_val(out, "mean", ROLE_NUMBER, tenths(h.time[i].seconds * 1e6 / (double)h.time[i].count));
		rows_str(out, "function", ROLE_NAME, history_function(c));
		rows_str(out, "entry", ROLE_NAME, c->entry ? record_code_text(c, c->entry) : NULL);
		rows_str(out, "what", ROLE_TEXT, h.time[i].note >= 0 ? history_note(c, h.time[i].note) : NULL);
	}
	history_times_release(&h);
	return ret;
}

const struct view_ops view_time = {
	.name = "time",
	.help = "the time of functions, regions, nodes and kernels in the record, most first",
	.cols = cols,
	.gone = true,
	.needs_stop = true,
	.fill = view_time_fill,
	.none = "no time is known yet",
};
