/* SPDX-License-Identifier: BSD-3-Clause */
/* View: the instructions of a code object, one in each row, as dis lists them.  Folds nothing: `disassemble` does. */
#include "base/buf.h"
#include "base/val.h"
#include "engine/plug.h"
#include "engine/region_name.h"
#include "view/recorded_code.h"
#include "view/render.h"
#include "view/view_table.h"
#include "view/target.h"

static const struct view_col cols[] = {
	{ .name = "index", .help = "counts instructions as dis lists them" },
	{ .name = "offset", .help = "in bytes" },
	{ .name = "opname", .help = "EXTENDED_ARG is an instruction of its own" },
	{ .name = "arg", .help = "argument as dis shows it; constants as summaries" },
	{ .name = "region", .help = "kind of the region of generated code" },
	{ .name = "line", .help = "the user's line of the instruction" },
	{ .name = "current", .help = "the selected frame's next instruction", .machine_only = true },
	{ .name = "breakpoint", .help = "number of the breakpoint set here" },
	{ .name = "target", .help = "index of the instruction it jumps to", .machine_only = true },
	{ .name = "depth", .help = "depth of the value stack before it", .machine_only = true },
	{ .name = NULL },
};

static void code_add_row(struct session *s, struct target *t, int index, struct rows *out)
{
	const struct instr *i = &t->code->instr[index];
	const struct region *r = plug_region(s, t->code, index);
	int number = render_break_instr(s, t->code, index);
	int line = stack_line(s, t->code, index);
	struct buf arg = { 0 };

	code_arg_text(t->code, index, &arg);
	rows_add(out, (index == t->index ? MARK_CURRENT : 0) | (number ? MARK_BREAK : 0));
	rows_int(out, "index", index);
	rows_int(out, "offset", i->offset);
	rows_str(out, "opname", ROLE_OPCODE, py_op_name(i->op));
	if (i->has_arg)
		rows_str(out, "arg", ROLE_VALUE, buf_str(&arg));
	if (r)
		rows_str(out, "region", ROLE_DIM, region_name(r->kind));
	if (line)
		rows_int(out, "line", line);
	rows_bool(out, "current", index == t->index);
	if (number)
		rows_int(out, "breakpoint", number);
	if (i->target >= 0)
		rows_int(out, "target", i->target);
	if (i->depth >= 0)
		rows_int(out, "depth", i->depth);
	buf_release(&arg);
}

static int view_code_fill(struct session *s, const struct view_req *req, struct rows *out, struct err *err)
{
	struct recorded_code r;
	struct target t;
	int i, found = recorded_code_find(s, req->words, &r, err);

	if (found > 0)
		recorded_code_rows(s, &r, req, out);
	if (found)
		return found < 0 ? -1 : 0;
	if (target_find(s, req->words, &t, err) < 0)
		return -1;
	for (i = 0; i < t.code->n; i++)
		if (rows_want(out, req))
			code_add_row(s, &t, i, out);
	target_release(&t);
	return 0;
}

const struct view_ops view_code = {
	.name = "code",
	.args = "[FUNC|ENTRY]",
	.help = "the instructions of the selected frame's code, or of a function or entry",
	.cols = cols,
	.gone = true,
	.fill = view_code_fill,
	.none = "no instructions",
};
