/* SPDX-License-Identifier: BSD-3-Clause */
/* View: the ledger of changes in Dynamo's cache. */
#include "edit/overrides.h"
#include "edit/rebuild.h"
#include "guards/guard_model.h"
#include "model/entry.h"
#include "model/func.h"
#include "show/dynamo_show.h"
#include <time.h>

static const char *time_of_day(double when, char *out, size_t size)
{
	time_t t = (time_t)when;
	struct tm tm;

	return localtime_r(&t, &tm) && strftime(out, size, "%H:%M:%S", &tm) ? out : "";
}

static const char *override_text(const struct override *o)
{
	const struct guard *g = o->guard ? guards_numbered(o->guard) : NULL;

	return o->text ? o->text : g ? g->text : NULL;
}

static const char *state_of(const struct override *o)
{
	return override_in_frame(o) ? "done" : o->dead ? "dead" : o->undone ? "undone" : "on";
}

static int overrides_fill(struct session *s, const struct view_req *req, struct rows *out, struct err *err)
{
	struct override *o;
	char when[20];

	(void)s;
	(void)req;
	(void)err;
	for (o = ledger; o; o = o->next) {
		if (!o->number)
			continue;
		host->rows.add(out, !o->undone && !o->dead ? 0 : MARK_DIM);
		host->rows.num(out, "override", o->number);
		host->rows.str(out, "entry", ROLE_NAME, o->entry ? o->entry->id : NULL);
		host->rows.str(out, "function", ROLE_NAME, o->func->name);
		if (o->guard)
			host->rows.num(out, "guard", o->guard);
		host->rows.str(out, "action", ROLE_VALUE, override_kind_name(o->kind));
		host->rows.str(out, "risk", ROLE_TEXT, o->risk);
		host->rows.str(out, "state", ROLE_VALUE, state_of(o));
		host->rows.str(out, "when", ROLE_TEXT, time_of_day(o->when, when, sizeof(when)));
		if (rebuild_served(o) >= 0)
			host->rows.num(out, "served", rebuild_served(o));
		host->rows.num(out, "step", o->step);
		host->rows.str(out, "text", ROLE_VALUE, override_text(o));
	}
	return 0;
}

static const struct view_col cols[] = {
	{ .name = "override", .help = "its number, for undo" },
	{ .name = "entry", .help = "the entry it changes" },
	{ .name = "function", .help = "function of that entry" },
	{ .name = "guard", .help = "the guard it changes" },
	{ .name = "action",
	  .help = "drop, force, edit, add, disable, delete, prefer, always, install, eager, "
		  "set var, set stack, jump" },
	{ .name = "risk", .help = "what may differ: value, shape, type, identity, alias, global state, code; or safe" },
	{ .name = "state", .help = "on, undone, dead (its entry no longer exists), done (in a frame)" },
	{ .name = "when", .help = "the time of day" },
	{ .name = "served", .help = "calls that would have missed without it; null: not counted" },
	{ .name = "step",
	  .help = "number of the command that made it; undo reverts the last one in force",
	  .machine_only = true },
	{ .name = "text", .help = "the guard; its present form when it is edited, added or forced" },
	{ .name = NULL },
};

static const char *const more[] = { "undo {override}", "guard list {entry}", "entry check {entry}",
				    "entry diff {entry}", NULL };

const struct view_ops view_overrides = {
	.name = "overrides",
	.help = "changes to Dynamo's cache",
	.cols = cols,
	.fill = overrides_fill,
	.none = "nothing is overridden",
	.action = row_action_override,
	.more = more,
};
