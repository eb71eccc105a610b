/* SPDX-License-Identifier: BSD-3-Clause */
/* View: side effects that generated code replays after its graph. */
#include "code/select.h"
#include "model/effects.h"
#include "model/entry.h"
#include "show/dynamo_show.h"
#include "torch/attrs.h"

static int effects_fill(struct session *s, const struct view_req *req, struct rows *out, struct err *err)
{
	bool shown = false, lines = false;
	const struct effect *f;
	struct selection meant;
	struct entry *e;

	(void)s;
	if (select_find(req->words, &meant, err) < 0)
		return -1;
	for (e = model_entries; e; e = e->next) {
		if (!select_has_entry(&meant, e))
			continue;
		for (f = e->made.effects; f; f = f->next) {
			shown = true;
			lines |= f->line > 0;
			host->rows.add(out, 0);
			host->rows.str(out, "entry", ROLE_NAME, e->id);
			host->rows.str(out, "kind", ROLE_TEXT, f->kind);
			host->rows.str(out, "target", ROLE_NAME, f->target);
			if (f->line)
				host->rows.num(out, "line", f->line);
			host->rows.str(out, "file", ROLE_TEXT, f->file);
		}
	}
	select_release(&meant);
	if (shown && !lines && !attrs_have(ATTR_LOG_BREAK))
		host->rows.title(out, "this version of torch does not report the lines that make them");
	return 0;
}

static const struct view_col cols[] = {
	{ .name = "entry", .help = "entry whose generated code replays it" },
	{ .name = "kind", .help = "list, dict, set, attribute, global, cell, ..." },
	{ .name = "target", .help = "the object that is changed" },
	{ .name = "line", .help = "the user's line that changes it" },
	{ .name = "file", .help = "of the line", .machine_only = true },
	{ .name = NULL },
};

const struct view_ops view_effects = {
	.name = "side-effects",
	.args = "[FUNC|ENTRY]",
	.help = "side effects that generated code replays after its "
		"graph",
	.cols = cols,
	.fill = effects_fill,
	.none = "no generated code replays a side effect",
	.complete = select_complete,
};
