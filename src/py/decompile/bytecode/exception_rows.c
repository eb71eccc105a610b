/* SPDX-License-Identifier: BSD-3-Clause */
/* The exception table of a resume function that enters a with statement again.  On CPython 3.14 and later Dynamo
   (torch 2.15) counts one value too many below the handler that it adds: rows for what comes before the body expect one
   value more than there is on the stack, those for the body are right.  No compiler writes a row that expects more than
   there is.  CPython leaves a lower stack as it is, so the handler works as meant, unless the instruction that fails
   leaves a value more: then the handler takes another value for __exit__().  Such code gets a comment in text that is
   only read, and no other text.  Where __exit__() itself raises, the caller still has the first exception in
   sys.exc_info(): no text tells that.  Knows instructions of the code, and none of the decompiler's. */
#include <Python.h>
#include <string.h>
#include "py/decompile/tree/dec.h"
#include "py/version/facts.h"

struct depths {
	struct dec *d;
	struct except *row;
	bool *settled; /* by row: its handler's depth is known */
	int *at;       /* by instruction: values on the stack before it; -1: not reached */
	int *todo, n;
	bool ok;
};

static void depths_arrive(struct depths *w, int i, int depth)
{
	if (depth < 0 || i >= w->d->c->n || (w->at[i] >= 0 && w->at[i] != depth)) {
		w->ok = false;
	} else if (w->at[i] < 0) {
		w->at[i] = depth;
		w->todo[w->n++] = i;
	}
}

static void depths_leave(struct depths *w, int i, int to, int jump)
{
	const struct instr *in = &w->d->c->instr[i];
	int effect = 0;

	if (!(in->flags & INSTR_PREFIX))
		effect = (unsigned)in->arg > 1u << 24 ? INT32_MIN : py_op_effect(in->op, in->arg, jump);
	depths_arrive(w, to, effect == INT32_MIN ? -1 : w->at[i] + effect);
}

static void depths_follow(struct depths *w)
{
	const struct instr *in;
	int i;

	while (w->n && w->ok) {
		in = &w->d->c->instr[i = w->todo[--w->n]];
		if (in->target >= 0)
			depths_leave(w, i, in->target, 1);
		if (!py_op_ends(in->op))
			depths_leave(w, i, i + 1, 0);
	}
}

/* The least that is on the stack in this row, as far as it is known; -1: nothing is. */
static int least_in(const struct depths *w, const struct except *row)
{
	int least = -1, i;

	for (i = row->start; i < row->end; i++)
		if (w->at[i] >= 0 && (least < 0 || w->at[i] < least))
			least = w->at[i];
	return least;
}

static bool calls_exit_first(struct dec *d, int i)
{
	return ins_is_named(d, i, "PUSH_EXC_INFO") && ins_is_named(d, i + 1, "WITH_EXCEPT_START");
}

/* What an exception of such a handler itself leads to. */
static bool ends_handling(struct dec *d, int i)
{
	return ins_is_named(d, i, "COPY") && ins_is_named(d, i + 1, "POP_EXCEPT") && ins_is_named(d, i + 2, "RERAISE");
}

/* Opcodes of one kind share a line. */
/* clang-format off */
static bool ins_may_fail(struct dec *d, int i)
{
	static const char *const never[] = {
		"NOP", "NOT_TAKEN", "JUMP_FORWARD", "POP_TOP", "COPY", "SWAP", "PUSH_NULL", "LOAD_CONST",
		"LOAD_SMALL_INT", "LOAD_FAST", "LOAD_FAST_BORROW", "LOAD_FAST_LOAD_FAST", "STORE_FAST",
		"PUSH_EXC_INFO", "POP_EXCEPT", "EXTENDED_ARG",
	};
	size_t k;

	for (k = 0; k < sizeof(never) / sizeof(never[0]); k++)
		if (ins_is_named(d, i, never[k]))
			return false;
	return true;
}
/* clang-format on */

/* An instruction that may fail leaves more than `least` values on the stack. */
static bool leaves_more_than(const struct depths *w, const struct except *row, int least)
{
	const struct instr *in;
	int i;

	for (i = row->start; i < row->end; i++) {
		in = &w->d->c->instr[i];
		if (w->at[i] >= 0 && ins_may_fail(w->d, i) && w->at[i] - py_op_pops(in->op, in->arg) > least)
			return true;
	}
	return false;
}

/* false: nothing that is known leads there, or it was settled before. */
static bool depths_settle(struct depths *w, int k)
{
	struct except *row = &w->row[k];
	int least = w->settled[k] ? -1 : least_in(w, row);

	if (least < 0)
		return false;
	w->settled[k] = true;
	if (least + 1 == row->depth && (calls_exit_first(w->d, row->target) || ends_handling(w->d, row->target)))
		row->depth = least;
	depths_arrive(w, row->target, row->depth + 1 + row->lasti);
	depths_follow(w);
	return true;
}

/* The handler takes another value for __exit__(): true, if the text has a comment. */
static bool depths_astray(struct depths *w, int handler)
{
	struct dec *d = w->d;

	if (!d->style->folded || d->style->whole || d->style->edited)
		return false;
	if (!d->made.astray)
		d->made.astray = dec_alloc(d, (size_t)d->c->n);
	d->made.astray[handler] = 1;
	return true;
}

const struct except *exception_rows_reentered(struct dec *d)
{
	const struct code *c = d->c;
	struct depths w = { .d = d, .ok = true };
	bool more = true;
	int i, k;

	d->made.astray = NULL;
	if (!py_facts.exit_has_self || !c->nexcept || !c->n)
		return c->except;
	w.row = dec_alloc(d, (size_t)c->nexcept * sizeof(*w.row));
	memcpy(w.row, c->except, (size_t)c->nexcept * sizeof(*w.row));
	w.settled = dec_alloc(d, (size_t)c->nexcept * sizeof(*w.settled));
	w.at = dec_alloc(d, (size_t)c->n * sizeof(*w.at));
	w.todo = dec_alloc(d, (size_t)c->n * sizeof(*w.todo));
	for (i = 0; i < c->n; i++)
		w.at[i] = -1;
	depths_arrive(&w, 0, 0);
	depths_follow(&w);
	while (more)
		for (k = 0, more = false; k < c->nexcept; k++)
			more = depths_settle(&w, k) || more;
	for (k = 0; w.ok && k < c->nexcept; k++) {
		if (w.settled[k] && least_in(&w, &w.row[k]) < w.row[k].depth)
			w.ok = false;
		else if (w.row[k].depth < c->except[k].depth && calls_exit_first(d, w.row[k].target) &&
			 leaves_more_than(&w, &w.row[k], w.row[k].depth))
			w.ok = depths_astray(&w, w.row[k].target);
	}
	if (w.ok)
		return w.row;
	d->made.astray = NULL;
	return c->except;
}
