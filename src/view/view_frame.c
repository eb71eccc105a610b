/* SPDX-License-Identifier: BSD-3-Clause */
/* View: facts about the selected frame, one in each row. */
#include "base/buf.h"
#include "base/val.h"
#include "engine/past.h"
#include "engine/plug.h"
#include "engine/region_name.h"
#include "engine/session.h"
#include "py/record/record_code.h"
#include "view/render.h"
#include "view/view_table.h"

static const struct view_col cols[] = {
	{ .name = "what", .help = "function, instruction, entry, ..." },
	{ .name = "value", .help = "null where there is none" },
	{ .name = NULL },
};

static void frame_fact(struct rows *out, const struct view_req *req, const char *what, struct val *v)
{
	if (!rows_want(out, req)) {
		val_free(v);
		return;
	}
	rows_add(out, 0);
	rows_str(out, "what", ROLE_NAME, what);
	rows_val(out, "value", ROLE_VALUE, v);
}

/* Where an exception raised here would be handled in this frame. */
static const struct except *handler(const struct code *c, int index)
{
	int i;

	for (i = 0; i < c->nexcept; i++)
		if (index >= c->except[i].start && index < c->except[i].end)
			return &c->except[i];
	return NULL;
}

static void position(struct session *s, const struct frame *f, const struct view_req *req, struct rows *out)
{
	const struct except *e = handler(f->code, f->index);
	const struct region *r = plug_region(s, f->code, f->index);
	struct buf b = { 0 };
	int depth;

	frame_fact(out, req, "offset", val_int(f->code->instr[f->index].offset));
	frame_fact(out, req, "index", val_int(f->index));
	render_instr(f->code, f->index, &b);
	frame_fact(out, req, "instruction", val_str(buf_str(&b)));
	frame_fact(out, req, "stopped",
		   val_str(f->dead     ? "exited: an exception ended it" :
			   f->at_event ? "before the instruction" :
					 "in the instruction"));
	depth = f->dead ? -1 : f->past ? past_depth(f->past) : frame_depth(f->fo, f->at_event);
	frame_fact(out, req, "stack", depth < 0 ? val_null() : val_int(depth));
	frame_fact(out, req, "handler", e ? val_int(f->code->instr[e->target].offset) : val_null());
	if (r) {
		frame_fact(out, req, "region", val_str(region_name(r->kind)));
		frame_fact(out, req, "from", val_int(f->code->instr[r->start].offset));
		frame_fact(out, req, "to", val_int(f->code->instr[r->end - 1].offset));
	}
	buf_release(&b);
}

static void origin(struct session *s, const struct frame *f, const struct view_req *req, struct rows *out)
{
	struct code_info info;
	struct code *root;

	if (plug_code(s, f->code->co, &info) <= 0)
		return;
	frame_fact(out, req, "title", val_str(info.title));
	frame_fact(out, req, "entry", val_str(info.entry));
	frame_fact(out, req, "resume", val_bool(info.resume));
	if (info.root) {
		root = code_get(info.root);
		frame_fact(out, req, "made from", val_str(code_qualname(root)));
		frame_fact(out, req, "made from file", val_str(code_file(root)));
		frame_fact(out, req, "made from line", val_int(code_first_line(root)));
	}
}

/* Of the past, where the code object is gone. */
static void recorded(const struct frame *f, const struct view_req *req, struct rows *out)
{
	int depth = past_depth(f->past);
	struct buf b = { 0 };

	past_instr_text(f->past, &b);
	frame_fact(out, req, "offset", val_int(2 * (long long)past_instr(f->past)->unit));
	frame_fact(out, req, "instruction", val_str(buf_str(&b)));
	frame_fact(out, req, "stopped", val_str(f->at_event ? "before the instruction" : "in the instruction"));
	frame_fact(out, req, "stack", depth < 0 ? val_null() : val_int(depth));
	frame_fact(out, req, "region", f->region ? val_str(f->region) : val_null());
	frame_fact(out, req, "instructions", val_int(f->past->code->ninstrs));
	buf_release(&b);
}

static int view_frame_fill(struct session *s, const struct view_req *req, struct rows *out, struct err *err)
{
	const struct frame *f = session_frame(s, err), *caller;

	if (!f)
		return -1;
	frame_fact(out, req, "level", val_int(f->level));
	frame_fact(out, req, "function", val_str(f->code ? code_qualname(f->code) : f->function));
	frame_fact(out, req, "file", val_str(f->file));
	frame_fact(out, req, "line", f->line ? val_int(f->line) : val_null());
	frame_fact(out, req, "kind", val_str(kind_name(f->kind)));
	if (f->past && !f->code)
		recorded(f, req, out);
	if (!f->code) {
		frame_fact(out, req, "entry", val_str(f->entry));
		return 0;
	}
	if (f->index >= 0)
		position(s, f, req, out);
	frame_fact(out, req, "instructions", val_int(f->code->n));
	frame_fact(out, req, "generator", val_bool(code_is_generator(f->code)));
	origin(s, f, req, out);
	caller = stack_frame(&s->stack, s, f->level + 1);
	if (caller)
		frame_fact(out, req, "called by", val_str(caller->function));
	return 0;
}

const struct view_ops view_frame = {
	.name = "frame",
	.alias = "f",
	.help = "facts about the selected frame",
	.cols = cols,
	.gone = true,
	.needs_stop = true,
	.fill = view_frame_fill,
};
