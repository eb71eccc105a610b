/* SPDX-License-Identifier: BSD-3-Clause */
/* View: the ledger of what was changed in Dynamo's cache. */
#include "edit.h"

static int fill(struct session *s, const struct view_req *req, struct rows *out, struct err *err)
{
	struct override *o;

	(void)s;
	(void)req;
	(void)err;
	for (o = ledger; o; o = o->next) {
		if (!o->number)
			continue;
		host->rows_add(out, !o->undone && !o->dead ? 0 : MARK_DIM);
		host->rows_int(out, "override", o->number);
		host->rows_str(out, "entry", ROLE_NAME, o->entry ? o->entry->id : NULL);
		host->rows_str(out, "function", ROLE_NAME, o->func->name);
		host->rows_str(out, "action", ROLE_VALUE, deed_name(o->deed));
		host->rows_str(out, "risk", ROLE_TEXT, o->risk);
		host->rows_str(out, "state", ROLE_VALUE, o->dead ? "dead" : o->undone ? "undone" : "on");
	}
	return 0;
}

static const struct view_col cols[] = {
	{ .name = "override", .help = "its number, for undo" },
	{ .name = "entry", .help = "the entry it changes" },
	{ .name = "function", .help = "whose entry that is" },
	{ .name = "action", .help = "disable, delete, prefer, always, eager" },
	{ .name = "risk", .help = "what may go wrong: type; safe: nothing" },
	{ .name = "state", .help = "on, undone, dead (its entry is gone)" },
	{ .name = NULL }
};

const struct view_ops view_overrides = {
	.name = "overrides", .help = "what was changed in Dynamo's cache", .cols = cols, .fill = fill,
	.none = "nothing is overridden",
};
