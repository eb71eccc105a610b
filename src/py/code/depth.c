/* SPDX-License-Identifier: BSD-3-Clause */
/* Computes the depth of the value stack before each instruction in one walk over the control flow, linear in its
   edges. Uses the effects of opcodes only through py.h. */
#include <Python.h>
#include <stdlib.h>
#include "base/buf.h"
#include "py/code/code_impl.h"

struct walk {
	struct code *c;
	int max;      /* co_stacksize */
	int *todo, n; /* instructions whose depth is known, successors not visited */
	int *handler; /* by instruction: row of the exception table, or -1 */
	bool ok;
	int doubt;
};

static void depth_reach(struct walk *w, int index, int depth)
{
	struct instr *in = &w->c->instr[index];

	if (depth >= 0 && depth == in->depth)
		return;
	if (depth >= 0 && depth <= w->max && in->depth < 0) {
		in->depth = depth;
		w->todo[w->n++] = index;
	} else if (w->ok) {
		w->ok = false;
		w->doubt = index;
	}
}

static void walk_on(struct walk *w, const struct instr *in, int to, int jump)
{
	int effect = 0;

	if ((unsigned)in->arg > 1u << 24)
		effect = INT32_MIN; /* no compiler produces more: keeps the sums in range */
	else if (!(in->flags & INSTR_PREFIX))
		effect = py_op_effect(in->op, in->arg, jump);
	depth_reach(w, to, effect == INT32_MIN ? INT32_MIN : in->depth + effect);
}

static void depth_step(struct walk *w, int index)
{
	struct code *c = w->c;
	const struct instr *in = &c->instr[index];
	int row = w->handler[index];

	if (row >= 0)
		depth_reach(w, c->except[row].target, c->except[row].depth + 1 + c->except[row].lasti);
	if (in->target >= 0)
		walk_on(w, in, in->target, 1);
	if (!py_op_ends(in->op) && index + 1 < c->n)
		walk_on(w, in, index + 1, 0);
}

void depth_decode(struct code *c)
{
	struct walk w = { .c = c, .max = ((PyCodeObject *)c->co)->co_stacksize, .ok = true };
	int i, k;

	w.todo = code_memory(c, ((size_t)c->n + 1) * sizeof(*w.todo));
	w.handler = code_memory(c, ((size_t)c->n + 1) * sizeof(*w.handler));
	for (i = 0; i < c->n; i++)
		w.handler[i] = -1;
	/* rows made by CPython do not overlap; if they do, the first one counts */
	for (k = 0; k < c->nexcept; k++)
		for (i = c->except[k].start; i < c->except[k].end; i++)
			if (w.handler[i] < 0)
				w.handler[i] = k;
	if (c->n)
		depth_reach(&w, 0, 0);
	while (w.n && w.ok)
		depth_step(&w, w.todo[--w.n]);
	for (i = 0; !w.ok && i < c->n; i++)
		c->instr[i].depth = -1; /* depths differ where paths join: none of the result is reliable */
	c->depth_ok = w.ok;
	c->doubt = w.doubt;
	code_memory_free(c, w.todo);
	code_memory_free(c, w.handler);
}
