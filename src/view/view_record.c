/* SPDX-License-Identifier: BSD-3-Clause */
/* View: what is recorded, one fact in each row. */
#include "base/buf.h"
#include "base/val.h"
#include "engine/recording.h"
#include "engine/session.h"
#include "py/record/recorder.h"
#include "view/view_table.h"

static const struct view_col cols[] = {
	{ .name = "what", .help = "recorded, threads, code objects, instructions, bytes, left out" },
	{ .name = "value", .help = "a text or a number", .wide = true },
	{ .name = NULL },
};

static void put(struct rows *out, const struct view_req *req, const char *what, struct val *v)
{
	if (!rows_want(out, req)) {
		val_free(v);
		return;
	}
	rows_add(out, 0);
	rows_str(out, "what", ROLE_NAME, what);
	rows_val(out, "value", ROLE_VALUE, v);
}

static int view_record_fill(struct session *s, const struct view_req *req, struct rows *out, struct err *err)
{
	struct record_facts facts;
	struct buf what = { 0 };

	(void)s;
	(void)err;
	if (!recording_on())
		return 0;
	recording_what(&what);
	record_facts(&facts);
	put(out, req, "recorded", val_str(buf_str(&what)));
	put(out, req, "threads", val_int(facts.threads));
	put(out, req, "code objects", val_int(facts.codes));
	put(out, req, "instructions", val_int((long long)facts.instructions));
	put(out, req, "bytes", val_int((long long)facts.bytes));
	if (facts.left)
		put(out, req, "left out", val_int((long long)facts.left));
	buf_release(&what);
	return 0;
}

const struct view_ops view_record = {
	.name = "record",
	.help = "what is recorded, and how much of it there is",
	.cols = cols,
	.fill = view_record_fill,
	.none = "nothing is recorded: the command record begins",
};
