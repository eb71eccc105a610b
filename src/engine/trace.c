/* SPDX-License-Identifier: BSD-3-Clause */
/* `set trace on`: each instruction of generated code is printed before it runs.  Knows the session, no step plan. */
#include "engine/trace.h"
#include "base/buf.h"
#include "engine/arm.h"
#include "engine/option.h"
#include "engine/session.h"
#include "py/hook/hook.h"
#include "py/value/value.h"

static bool on; /* the option's value, for the hot path */

bool trace_on(const struct session *s)
{
	(void)s;
	return on;
}

/* Arm running frames too, so that a program stopped inside generated code is traced from there. */
void trace_changed(struct session *s)
{
	const struct frame *f;
	struct err err;
	int i;

	on = option_number(s, "trace");
	arm_generated(s, on);
	for (i = 0; on && (f = stack_frame(&s->stack, s, i)); i++)
		if (f->kind == KIND_GENERATED && !f->dead)
			hook_frame(f->fo, HOOK_EVERY, &err);
}

unsigned trace_want(const struct session *s, struct code *c)
{
	return on && stack_kind((struct session *)s, c) == KIND_GENERATED ? HOOK_EVERY : 0;
}

void trace_instr(struct session *s, struct py_frame *f, struct code *c, int index)
{
	struct buf b = { 0 };
	struct stack_slot slot;
	int i, depth;

	if (stack_kind(s, c) != KIND_GENERATED)
		return;
	depth = frame_depth(f, true);
	buf_addf(&b, "%-28s %5d  %-24s ", code_name(c), c->instr[index].offset, py_op_name(c->instr[index].op));
	code_arg_text(c, index, &b);
	buf_adds(&b, "  [");
	for (i = 0; i < depth; i++) {
		frame_slot(f, i, &slot);
		buf_adds(&b, i ? ", " : "");
		if (slot.kind == SLOT_OBJECT)
			value_show_data(slot.value, &b, 40);
		else
			buf_adds(&b, slot.kind == SLOT_NULL ? "NULL" : "?");
	}
	buf_adds(&b, "]\n");
	session_say(s, "%s", buf_str(&b));
	buf_release(&b);
}
