/* SPDX-License-Identifier: BSD-3-Clause */
/* CPython 3.11: which instructions still lead to a flagged one, so that an activation that cannot reach one any more
   runs without events.  Knows no stop and no trace function. */
#define PY_SSIZE_T_CLEAN
#define Py_BUILD_CORE
#include <Python.h>
#include <stdlib.h>
#include <string.h>
#include <internal/pycore_frame.h>
#undef Py_BUILD_CORE
#include "base/buf.h"
#include "py/hook/reach_trace.h"

#if PY_VERSION_HEX >> 16 != 0x030B
#error "reach_trace.c is for CPython 3.11 only"
#endif

void reach_free(struct code *c)
{
	free(c->hook.own);
	c->hook.own = NULL;
}

static struct reach *reach_of(struct code *c)
{
	if (!c->hook.own) {
		c->hook.own = mem_alloc(sizeof(struct reach) + (size_t)c->units + 1);
		if (!c->hook.gone)
			c->hook.gone = reach_free;
	}
	return c->hook.own;
}

/* Does CPython report a new line between these two, if the second follows the first?  An exception that leads there is
   another matter. */
static bool line_between(const struct code *c, int from, int to)
{
	const struct instr *a = &c->instr[from], *b = &c->instr[to];

	return b->line > 0 && a->line >= 0 && a->line != b->line && !(b->flags & INSTR_NO_EVENT);
}

/* Is the way from one instruction to another one to a flagged instruction?  Only up to a new line: lines. */
static bool way_on(const struct code *c, const uint8_t *ahead, int from, int to, bool lines)
{
	return ahead[code_unit(c, to)] && !(lines && line_between(c, from, to));
}

/* Does instruction i lead to one of `ahead`, by falling through or by a jump? */
static bool leads_on(const struct code *c, const uint8_t *ahead, int i, bool lines)
{
	const struct instr *in = &c->instr[i];

	if (in->target >= 0 && way_on(c, ahead, i, in->target, lines))
		return true;
	return i + 1 < c->n && !py_op_ends(in->op) && way_on(c, ahead, i, i + 1, lines);
}

/* What an exception leads to counts for every instruction of its row. */
static bool spread_to_rows(const struct code *c, uint8_t *ahead)
{
	bool changed = false;
	int k, i;

	for (k = 0; k < c->nexcept; k++) {
		if (!ahead[code_unit(c, c->except[k].target)])
			continue;
		for (i = c->except[k].start; i < c->except[k].end; i++) {
			if (ahead[code_unit(c, i)])
				continue;
			ahead[code_unit(c, i)] = REACH_LATER;
			changed = true;
		}
	}
	return changed;
}

/* Each pass goes from the end to the beginning, so only jumps back and handlers need another one. */
static void spread(const struct code *c, uint8_t *ahead, bool lines)
{
	bool changed = true;
	int i, unit;

	while (changed) {
		changed = spread_to_rows(c, ahead);
		for (i = c->n - 1; i >= 0; i--) {
			unit = code_unit(c, i);
			if (ahead[unit] || !leads_on(c, ahead, i, lines))
				continue;
			ahead[unit] = REACH_LATER;
			changed = true;
		}
	}
}

static bool has_name_of_lines(PyObject *tuple)
{
	PyObject *item;
	Py_ssize_t i;

	for (i = 0; i < PyTuple_GET_SIZE(tuple); i++) {
		item = PyTuple_GET_ITEM(tuple, i);
		if (PyUnicode_CheckExact(item) && PyUnicode_CompareWithASCIIString(item, "f_trace_lines") == 0)
			return true;
	}
	return false;
}

/* Can the code itself hide the lines of its own frame?  No function is called for that, so nothing notices it. */
static bool hides_lines(const struct code *c)
{
	const PyCodeObject *co = (const PyCodeObject *)c->co;

	return has_name_of_lines(co->co_names) || has_name_of_lines(co->co_consts);
}

static void compute(struct code *c, struct reach *r)
{
	bool by_line = !hides_lines(c);
	uint8_t *near;
	int i;

	code_decode(c);
	for (i = 0; i < c->units; i++) /* not decoded for lack of memory: anything may be ahead */
		r->ahead[i] = c->flags[i] ? REACH_HERE : c->n ? REACH_NONE : REACH_LATER;
	if (c->n) {
		near = mem_alloc((size_t)c->units + 1);
		memcpy(near, r->ahead, (size_t)c->units);
		spread(c, r->ahead, false);
		await_trace_find(c, r);
		for (i = 0; i < r->asks; i++)
			r->ahead[r->ask[i].at] = near[r->ask[i].at] = REACH_ASK;
		spread(c, near, true);
		for (i = 0; i < c->units; i++)
			if (by_line && r->ahead[i] == REACH_LATER && !near[i])
				r->ahead[i] = REACH_LINE;
		free(near);
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

static void set_rest(struct hook_state *st, struct act *a, enum act_rest rest)
{
	reach_of(a->code)->resting += (rest != ACT_AWAKE) - (a->rest != ACT_AWAKE);
	st->to_line += (rest == ACT_TO_LINE) - (a->rest == ACT_TO_LINE);
	if (a->rest == ACT_TO_CALL)
		st->awaits = NULL;
	if (st->lined == a)
		st->lined = NULL;
	a->rest = rest;
}

static enum reach_ahead ahead_of(const struct act *a)
{
	return reach_known(a->code)->ahead[_PyInterpreterFrame_LASTI(a->f)];
}

/* What the activation needs is only what its code is armed for, and the program watches none of it. */
static bool may_rest(const struct hook_state *st, const struct act *a)
{
	return !a->want && !a->covered && !st->user && !st->running && !st->t->in_stop && a->code &&
	       a->code->hook.armed == HOOK_FLAGGED;
}

void reach_reduce(struct hook_state *st, struct act *a)
{
	enum reach_ahead ahead = may_rest(st, a) ? ahead_of(a) : REACH_HERE;

	if (ahead == REACH_NONE) {
		set_rest(st, a, ACT_RESTS);
		live_give(st); /* and LeaveTracing clears use_tracing */
	} else if (ahead == REACH_LINE && a->fo->f_trace_lines)
		set_rest(st, a, ACT_TO_LINE);
	else if (ahead == REACH_ASK && hook_sees_calls() && await_trace_begin(st, a, reach_known(a->code))) {
		set_rest(st, a, ACT_TO_CALL);
		live_give(st);
	} else
		return;
	trace_flag_need(a->fo, &a->opcodes, false);
}

void reach_at_line(struct hook_state *st, struct act *a)
{
	enum reach_ahead ahead;

	if (a->rest != ACT_TO_LINE)
		return;
	ahead = may_rest(st, a) ? ahead_of(a) : REACH_HERE;
	if (ahead == REACH_LINE)
		return;
	set_rest(st, a, ACT_AWAKE);
	if (ahead == REACH_NONE)
		reach_reduce(st, a);
	else
		trace_flag_need(a->fo, &a->opcodes, act_instructions(a)); /* the event of this instruction follows */
}

bool reach_start(struct hook_state *st, struct act *a)
{
	live_give(st);
	if (!may_rest(st, a) || !hook_sees_calls() || !await_trace_start(st, a, reach_known(a->code)))
		return false;
	a->begun = true;
	set_rest(st, a, ACT_TO_CALL);
	return true;
}

void reach_wake(struct hook_state *st, struct act *a)
{
	if (a->rest == ACT_AWAKE || a->rest == ACT_RESTS)
		return;
	if (a == st->lined && !a->fo) {
		a->fo = a->f->frame_obj;
		if (!a->fo) /* nobody can have taken its lines away, and they are all that is needed */
			return;
	}
	set_rest(st, a, ACT_AWAKE);
	if (a->fo)
		trace_flag_need(a->fo, &a->opcodes, act_instructions(a));
}

/* The current frame's, while a callee's result or exception is on its way to it. */
static PyFrameObject *current_object(struct hook_state *st, Frame *f)
{
	PyObject *type, *value, *traceback;
	int collecting = PyGC_Disable();
	PyFrameObject *fo;

	PyErr_Fetch(&type, &value, &traceback);
	fo = live_frame_object(st->ts, f);
	PyErr_Restore(type, value, traceback);
	if (collecting)
		PyGC_Enable();
	return fo;
}

bool reach_returned(struct hook_state *st)
{
	struct act *a = st->awaits;

	if (!await_trace_returned(st, hook_sees_calls()))
		return false;
	st->hot = NULL; /* no event told that the activation began: its object may be where another one was */
	if (!a->fo && a->code->hook.armed)
		a->fo = current_object(st, a->f);
	reach_wake(st, a);
	if (!act_on(a) || !a->fo)
		return true;
	live_take(st);
	reach_reduce(st, a);
	return true;
}

void reach_no_lines(struct hook_state *st)
{
	struct act *a;
	int i;

	for (i = 0; st->to_line && i < ACT_BUCKETS; i++)
		for (a = st->act[i]; a; a = a->next)
			if (a->rest == ACT_TO_LINE)
				reach_wake(st, a);
}

void reach_ended(struct hook_state *st, struct act *a)
{
	if (a->rest != ACT_AWAKE)
		set_rest(st, a, ACT_AWAKE);
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
