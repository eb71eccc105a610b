/* SPDX-License-Identifier: BSD-3-Clause */
/* Command: jump. */
#include "cmd/table.h"
#include "base/err.h"
#include "engine/loc.h"
#include "engine/session.h"

/* The place in this very code object, NULL when there is none. */
static const struct place *here(const struct places *to, const struct code *c)
{
	int i;

	for (i = 0; i < to->n; i++)
		if (to->place[i].code == c)
			return &to->place[i];
	return NULL;
}

static int jump(struct session *s, struct frame *f, const char *text, struct reply *out, struct err *err)
{
	struct places to = { 0 };
	struct loc *loc = loc_parse(s, text, err);
	const struct place *p = NULL;
	int ret = loc ? loc_resolve(s, loc, &to, err) : -1;

	if (ret >= 0 && !(p = here(&to, f->code)))
		ret = err_set(err, "cannot jump to '%s': it is not in the code of this frame", text);
	if (p) {
		ret = py_frame_jump(f->fo, code_unit(f->code, p->index), err);
		if (!ret) {
			f->index = p->index;
			f->line = stack_line(s, f->code, p->index);
			buf_addf(&out->text, "next is %d %s\n", f->code->instr[p->index].offset,
				 py_op_name(f->code->instr[p->index].op));
		}
	}
	places_release(&to);
	loc_free(loc);
	return ret < 0 ? -1 : 0;
}

static int run(struct session *s, const char *args, struct reply *out, struct err *err)
{
	struct frame *f = session_frame(s, err);

	if (!f)
		return -1;
	if (!*args)
		return err_set(err, "jump to where? give a line, *OFFSET or #INDEX of this frame's code");
	if (!f->fo || f->level != 0 || !f->at_event)
		return err_set(err, "cannot jump in this frame: only in the innermost one, stopped before an instruction "
				    "('stepi' brings it there)");
	return jump(s, f, args, out, err);
}

const struct cmd_def cmd_jump[] = {
	{ .name = "jump", .alias = "j", .args = "LOCATION", .group = GROUP_CHANGE, .run = run,
	  .flags = CMD_NEEDS_STOP | CMD_CHANGES, .complete = cmd_complete_location,
	  .help = "set the next instruction of the innermost frame",
	  .more = "The program does not run: go on with a step or 'continue'.  CPython's own checks apply: not into a loop\n"
		  "or a with block, not where the value stack would not fit." },
	{ .name = NULL }
};
