/* SPDX-License-Identifier: BSD-3-Clause */
/* View: every frame of the selected thread, innermost first.  `backtrace` joins the pieces of one function. */
#include "base/buf.h"
#include "base/val.h"
#include "engine/past.h"
#include "engine/session.h"
#include "py/record/record_code.h"
#include "view/view_table.h"

static const struct view_col cols[] = {
	{ .name = "level", .help = "0 is the innermost; what `frame` accepts" },
	{ .name = "function", .help = "the code's name" },
	{ .name = "file", .help = "file of the code", .drop = 1 },
	{ .name = "line", .help = "the user's line of its instruction" },
	{ .name = "kind", .help = "user, generated, compiling, graph, library", .drop = 2 },
	{ .name = "entry", .help = "cache entry of generated code" },
	{ .name = "offset", .help = "of its instruction", .machine_only = true },
	{ .name = "region", .help = "of its instruction in generated code", .machine_only = true },
	{ .name = "inner", .help = "at a break in an inlined call: the calls that lead to it", .machine_only = true },
	{ .name = "current", .help = "the selected one", .machine_only = true },
	{ .name = "logical", .help = "equal for frames that run parts of one function of the user", .drop = 3 },
	{ .name = "hidden", .help = "a plain backtrace omits it", .machine_only = true },
	{ .name = "omitted", .help = "frames further out that are not listed", .machine_only = true },
	{ .name = NULL },
};

static int view_frames_fill(struct session *s, const struct view_req *req, struct rows *out, struct err *err)
{
	const struct frame *f;
	int i;

	(void)err;
	if (s->stack.omitted)
		rows_title(out, "%d outer frame%s omitted", s->stack.omitted, s->stack.omitted == 1 ? "" : "s");
	stack_depth(&s->stack, s); /* for `logical` */
	for (i = 0; (f = stack_frame(&s->stack, s, i)); i++) {
		if (req->pane && f->hidden && i != s->selected)
			continue; /* like a plain backtrace */
		if (!rows_want(out, req))
			continue;
		rows_add(out, i == s->selected ? MARK_CURRENT : 0);
		rows_int(out, "level", f->level);
		rows_str(out, "function", ROLE_NAME, f->function);
		rows_shown(out, "function", f->qualname);
		rows_str(out, "file", ROLE_TEXT, f->file);
		if (f->line)
			rows_int(out, "line", f->line);
		rows_str(out, "kind", ROLE_DIM, kind_name(f->kind));
		rows_str(out, "entry", ROLE_NAME, f->entry);
		if (f->code && f->index >= 0)
			rows_int(out, "offset", f->code->instr[f->index].offset);
		else if (f->past)
			rows_int(out, "offset", 2 * (long long)past_instr(f->past)->unit);
		rows_str(out, "region", ROLE_DIM, f->region);
		rows_str(out, "inner", ROLE_DIM, f->inner);
		rows_bool(out, "current", i == s->selected);
		rows_int(out, "logical", f->logical);
		rows_bool(out, "hidden", f->hidden);
		if (s->stack.omitted && i == s->stack.n - 1)
			rows_int(out, "omitted", s->stack.omitted);
	}
	return 0;
}

static void view_frames_action(const struct rows *r, size_t row, enum row_action what, struct buf *line)
{
	if (what == ACTION_ENTER)
		buf_addf(line, "frame %lld", rows_number(r, row, "level", 0));
}

const struct view_ops view_frames = {
	.name = "frames",
	.help = "every frame of the thread, innermost first",
	.cols = cols,
	.gone = true,
	.needs_stop = true,
	.fill = view_frames_fill,
	.none = "no frames",
	.action = view_frames_action,
};
