/* SPDX-License-Identifier: BSD-3-Clause */
/* CPython 3.11: which instructions still lead to a flagged one, so that an activation that cannot reach one any more
   runs without events.  Knows no stop and no trace function. */
#define PY_SSIZE_T_CLEAN
#define Py_BUILD_CORE
#include <Python.h>
#include <stdlib.h>
#include <internal/pycore_frame.h>
#undef Py_BUILD_CORE
#include "base/buf.h"
#include "py/hook/live_trace.h"

#if PY_VERSION_HEX >> 16 != 0x030B
#error "reach_trace.c is for CPython 3.11 only"
#endif

static void free_reach(struct code *c)
{
	free(c->hook.own);
	c->hook.own = NULL;
}

static struct reach *reach_of(struct code *c)
{
	if (!c->hook.own) {
		c->hook.own = mem_alloc(sizeof(struct reach) + (size_t)c->units + 1);
		c->hook.gone = free_reach;
	}
	return c->hook.own;
}

/* Does instruction i lead to one of `ahead`, by falling through or by a jump? */
static bool leads_on(const struct code *c, const struct reach *r, int i)
{
	const struct instr *in = &c->instr[i];

	if (in->target >= 0 && r->ahead[code_unit(c, in->target)])
		return true;
	return i + 1 < c->n && !py_op_ends(in->op) && r->ahead[code_unit(c, i + 1)];
}

/* What an exception leads to counts for every instruction of its row. */
static bool spread_to_rows(const struct code *c, struct reach *r)
{
	bool changed = false;
	int k, i;

	for (k = 0; k < c->nexcept; k++) {
		if (!r->ahead[code_unit(c, c->except[k].target)])
			continue;
		for (i = c->except[k].start; i < c->except[k].end; i++) {
			if (r->ahead[code_unit(c, i)])
				continue;
			r->ahead[code_unit(c, i)] = REACH_LATER;
			changed = true;
		}
	}
	return changed;
}

/* Each pass goes from the end to the beginning, so only jumps back and handlers need another one. */
static void compute(struct code *c, struct reach *r)
{
	bool changed = true;
	int i, unit;

	code_decode(c);
	for (i = 0; i < c->units; i++) /* not decoded for lack of memory: anything may be ahead */
		r->ahead[i] = c->flags[i] ? REACH_HERE : c->n ? REACH_NONE : REACH_LATER;
	while (changed && c->n) {
		changed = spread_to_rows(c, r);
		for (i = c->n - 1; i >= 0; i--) {
			unit = code_unit(c, i);
			if (r->ahead[unit] || !leads_on(c, r, i))
				continue;
			r->ahead[unit] = REACH_LATER;
			changed = true;
		}
	}
	r->known = true;
}

struct reach *reach_known(struct code *c)
{
	struct reach *r = reach_of(c);

	if (!r->known)
		compute(c, r);
	return r;
}

void reach_rest(struct hook_state *st, struct act *a)
{
	a->resting = true;
	trace_flag_need(a->fo, &a->opcodes, false);
	reach_of(a->code)->resting++;
	live_give(st); /* and LeaveTracing clears use_tracing */
}

void reach_rested(struct code *c)
{
	reach_of(c)->resting--;
}

void reach_changed(struct code *c)
{
	struct reach *r = c->hook.own;

	if (!r)
		return;
	r->known = false;
	if (r->resting && c->hook.armed)
		live_arm_code(c, c->hook.armed);
}
