/* SPDX-License-Identifier: BSD-3-Clause */
/* What an instruction does to the value stack, as a sentence.  Runs none of the program's code. */
#include "view/effect.h"
#include <string.h>
#include "base/buf.h"
#include "base/visible.h"
#include "py/value/value.h"
#include "view/view_table.h"

enum { VALUE_TEXT = 60, SHORT = 24 };

/* The variable whose value is this object; NULL: none. */
static const char *variable_of(const struct frame *f, struct py_obj *v)
{
	int i, n = code_nlocals(f->code);

	for (i = 0; i < n; i++)
		if (frame_local(f->fo, i) == v)
			return code_local_name(f->code, i);
	return NULL;
}

/* "0", "graph_out_0 (list)". */
static void effect_value(const struct frame *f, struct py_obj *v, struct buf *out)
{
	struct buf b = { 0 };
	const char *name, *type = value_type(v);

	value_show_data(v, &b, VALUE_TEXT);
	/* a value whose text is complete needs no name */
	name = !strcmp(type, "int") || !strcmp(type, "bool") || !strcmp(type, "NoneType") || !strcmp(type, "float") ||
			       !strcmp(type, "str") ?
		       NULL :
		       variable_of(f, v);
	if (name)
		buf_addf(out, "%s (%s)", visible(name), text_width(buf_str(&b)) <= SHORT ? buf_str(&b) : type);
	else
		buf_adds(out, buf_str(&b));
	buf_release(&b);
}

/* The slots from..to, lowest first. */
static void put_slots(const struct frame *f, int from, int to, struct buf *out)
{
	struct stack_slot v;
	int i;

	for (i = from; i < to; i++) {
		buf_adds(out, i > from ? ", " : "");
		frame_slot(f->fo, i, &v);
		if (v.kind == SLOT_OBJECT)
			effect_value(f, v.value, out);
		else if (v.kind == SLOT_INT)
			buf_addf(out, "%ld", v.number);
		else
			buf_adds(out, v.kind == SLOT_NULL ? "NULL" : "?");
	}
}

/* Only this instruction leads to the next one, so it pushed what is on the stack. */
static bool came_from(const struct code *c, int index, int at)
{
	return index >= 0 && at == index + 1 && !(c->instr[at].flags & (INSTR_TARGET | INSTR_HANDLER)) &&
	       !(c->instr[index].flags & INSTR_YIELD) && c->instr[index].depth >= 0;
}

static void put_count(int n, struct buf *out)
{
	if (n)
		buf_addf(out, "%d value%s", n, n == 1 ? "" : "s");
	else
		buf_adds(out, "nothing");
}

void effect_text(const struct frame *f, struct code *c, int index, bool next, struct buf *out)
{
	const struct instr *i = &c->instr[index];
	int pops = py_op_pops(i->op, i->arg), effect = py_op_effect(i->op, i->arg, 0);
	int pushes = effect == INT32_MIN ? -1 : effect + pops, depth = -1;
	bool here = f && f->fo && !f->dead && f->code == c && f->at_event, done;

	buf_adds(out, py_op_name(i->op));
	if (i->has_arg) {
		buf_addc(out, ' ');
		code_arg_text(c, index, out);
	}
	buf_adds(out, ": ");
	done = here && !next && came_from(c, index, f->index);
	if (here && (next || done))
		depth = frame_depth(f->fo, f->at_event);
	buf_adds(out, done ? "popped " : "pops ");
	if (next && pops > 0 && depth >= pops)
		put_slots(f, depth - pops, depth, out);
	else
		put_count(pops, out);
	if (pushes >= 0) {
		buf_adds(out, done ? "; pushed " : "; pushes ");
		if (done && pushes > 0 && depth >= pushes && pushes < 8)
			put_slots(f, depth - pushes, depth, out);
		else if (!next || depth < 0 || !pushes || !frame_pushes(f->fo, c, index, f->at_event, out))
			put_count(pushes, out);
	}
	if (i->target >= 0)
		buf_addf(out, "; may jump to %d", c->instr[i->target].offset);
}
