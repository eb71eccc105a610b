/* SPDX-License-Identifier: BSD-3-Clause */
/* CPython 3.11: the C trace function of armed frames.  The user's own tracer stays in place (c_traceobj is never
   changed) and gets every event that it requested.  Decides nothing: the sink does. */
#define PY_SSIZE_T_CLEAN
#define Py_BUILD_CORE
#include <Python.h>
#include <frameobject.h>
#include <opcode.h>
#include <internal/pycore_code.h>
#include <internal/pycore_frame.h>
#include <internal/pycore_pystate.h>
#undef Py_BUILD_CORE
#include "base/buf.h"
#include "py/hook/quick_trace.h"
#include "py/record/recorder.h"

#if PY_VERSION_HEX >> 16 != 0x030B
#error "events_trace.c is for CPython 3.11 only"
#endif

static inline Frame *inner_frame(PyFrameObject *fo)
{
	return fo->f_frame;
}

static inline int frame_unit(Frame *f)
{
	return _PyInterpreterFrame_LASTI(f);
}

/* The record of the frame that runs now, if the hook armed it. */
static inline struct act *act_of(struct hook_state *st, Frame *f)
{
	const _PyCFrame *cf = st->ts->cframe;

	return st->acts && f->is_entry && cf->current_frame == f ? act_find(st, f, cf) : NULL;
}

static int to_user(struct hook_state *st, PyObject *self, PyFrameObject *fo, int what, PyObject *arg)
{
	int rc;

	live_lend(st, fo);
	st->t->serial++; /* the tracer's code runs, unseen */
	rc = st->user(self, fo, what, arg);
	live_unlend(st, fo);
	if (st->ts->c_tracefunc != live_tracefn) { /* it replaced or removed itself */
		st->user = st->ts->c_tracefunc;
		st->ts->c_tracefunc = live_tracefn;
		live_apply(st);
	}
	return rc;
}

static void find_hot(struct hook_state *st, PyFrameObject *fo, struct code *c, unsigned own)
{
	bool flagged_only = (own | c->hook.armed) == HOOK_FLAGGED && !st->running;

	hot_set(st, fo, c, own, flagged_only ? reach_known(c) : NULL);
}

static inline bool is_hot(const struct hook_state *st, const PyFrameObject *fo)
{
	return st->hot == fo && st->hot_serial == st->serial;
}

/* After the event of an instruction: an activation that waits only for flagged instructions, and cannot reach one
   before the next line, needs fewer events. A stop may have changed all of this. */
static void reduce_events(struct hook_state *st, PyFrameObject *fo)
{
	struct reach *r = is_hot(st, fo) ? st->hot_reach : NULL;
	struct act *a;

	if (!r || !r->known || r->ahead[frame_unit(inner_frame(fo))] >= REACH_LATER)
		return;
	a = act_of(st, inner_frame(fo));
	if (!a || a->fo != fo || a->code != st->hot_code)
		return;
	reach_reduce(st, a);
	if (a->rest != ACT_AWAKE)
		st->hot = NULL;
}

/* The sink needs no instruction before the next line.  A stop may have changed the frame and what it is armed for. */
static void rest_to_line(struct hook_state *st, PyFrameObject *fo, const struct code *c, int unit)
{
	struct live *l = live_find(st, fo);

	if (l && (live_want(l) | c->hook.armed) == HOOK_STEP && !st->user && frame_unit(inner_frame(fo)) == unit)
		live_rest(l);
}

static void tell_instr(struct hook_thread *t, PyFrameObject *fo, struct code *c, int unit)
{
	code_decode(c);
	if (hook_sink->instr(t, (struct py_frame *)fo, c, c->unit_index[unit]))
		rest_to_line(t->state, fo, c, unit);
}

static void report_instr(struct hook_thread *t, PyFrameObject *fo, struct code *c, unsigned want)
{
	int unit = frame_unit(inner_frame(fo));

	if (unit < 0 || !hook_sink)
		return;
	if ((want & HOOK_RECORD) && record_instr(&t->record, t->number, (uintptr_t)inner_frame(fo), c, unit))
		t->due = hook_sink->recorded(t, c, unit);
	if (t->due || (want & HOOK_EVERY) || ((want & HOOK_STEP) && t->stepping) ||
	    ((want & HOOK_FLAGGED) && c->flags[unit]))
		tell_instr(t, fo, c, unit);
}

/* A frame begins or continues: take what is armed. */
static void trace_call(struct hook_thread *t, struct hook_state *st, PyFrameObject *fo, struct code *c)
{
	Frame *f = inner_frame(fo);
	struct live *l = live_find(st, fo);
	struct act *a = act_of(st, f);
	unsigned own = 0, by_code = 0;

	if (a) {
		a->begun = true;
		a->fo = fo;
	}
	if (l && !l->suspended)
		; /* it has been armed meanwhile */
	else if (a)
		own = a->want;
	else if (t->into && hook_sink) {
		c = code_get((struct py_code *)f->f_code);
		own = hook_sink->enter(t, c);
	}
	if (l && l->suspended)
		live_resume(st, l, own);
	else if (!l) {
		by_code = c ? c->hook.armed : 0;
		/* generators get a record: their frame object outlives this resumption, and so would our flags */
		if (own || (by_code && (!a || f->owner == FRAME_OWNED_BY_GENERATOR)))
			l = live_add(st, fo, own, by_code);
	}
	if (a)
		a->covered = l != NULL;
	if (a && !l)
		trace_flag_need(fo, &a->opcodes, act_instructions(a));
	if (a && !l && own == 0)
		reach_reduce(st, a);
	if (a && !l && c && a->rest == ACT_AWAKE)
		find_hot(st, fo, c, 0);
}

static void trace_return(struct hook_thread *t, struct hook_state *st, PyFrameObject *fo, struct code *c, PyObject *arg)
{
	Frame *f = inner_frame(fo);
	struct live *l = live_find(st, fo);
	struct act *a = act_of(st, f);
	bool yields = arg && f->owner == FRAME_OWNED_BY_GENERATOR && _Py_OPCODE(*f->prev_instr) == YIELD_VALUE;
	unsigned want = live_want(l) | (c ? c->hook.armed : 0) | (a ? a->want : 0);

	if ((want & HOOK_RECORD) && c)
		record_leave(&t->record, (uintptr_t)f, c, yields ? HOOK_YIELD : arg ? HOOK_RETURN : HOOK_UNWIND);
	if (((want & HOOK_CALLS) || ((want & HOOK_STEP) && t->stepping)) && hook_sink)
		hook_sink->leave(t, (struct py_frame *)fo, code_get((struct py_code *)f->f_code),
				 yields ? HOOK_YIELD :
				 arg	? HOOK_RETURN :
					  HOOK_UNWIND,
				 (struct py_obj *)arg);
	l = live_find(st, fo); /* the sink may have dropped it */
	if (l && yields)
		live_suspend(st, l);
	else if (l)
		live_drop(st, l);
}

static void trace_raise(struct hook_thread *t, struct hook_state *st, PyFrameObject *fo, struct code *c, PyObject *arg)
{
	struct live *l = live_find(st, fo);
	struct act *a = act_of(st, inner_frame(fo));
	unsigned want = live_want(l) | (c ? c->hook.armed : 0) | (a ? a->want : 0);

	if ((want & HOOK_CALLS) && hook_sink && PyTuple_Check(arg) && PyTuple_GET_SIZE(arg) == 3)
		hook_sink->raise(t, (struct py_frame *)fo, code_get((struct py_code *)inner_frame(fo)->f_code),
				 (struct py_obj *)PyTuple_GET_ITEM(arg, 0), (struct py_obj *)PyTuple_GET_ITEM(arg, 1),
				 (struct py_obj *)PyTuple_GET_ITEM(arg, 2));
}

static int trace_opcode(struct hook_thread *t, struct hook_state *st, PyObject *self, PyFrameObject *fo, int what,
			PyObject *arg)
{
	struct live *l = st->live;
	struct code *c = code_peek((struct py_code *)inner_frame(fo)->f_code);
	const struct trace_flag *flag;
	struct act *a;
	unsigned want;
	bool forward;

	if (l && l->fo != fo)
		l = live_find(st, fo);
	want = live_want(l) | (c ? c->hook.armed : 0);
	a = l ? NULL : act_of(st, inner_frame(fo));
	if (a && !a->fo) /* CPython made it for its first event */
		a->fo = fo;
	flag = l ? &l->opcodes : a ? &a->opcodes : NULL;
	/* computed before the stop, which may free the record */
	forward = what == PyTrace_LINE || !flag || !flag->ours || flag->program;
	if (what == PyTrace_LINE && l)
		live_wake(l);
	if (what == PyTrace_LINE && a && a->fo == fo && c) {
		reach_at_line(st, a);
		if (a->rest == ACT_AWAKE)
			find_hot(st, fo, c, 0);
	}
	if (what == PyTrace_OPCODE && c && want && (l || a)) {
		find_hot(st, fo, c, live_want(l));
		report_instr(t, fo, c, want);
		reduce_events(st, fo);
	}
	return st->user && forward ? to_user(st, self, fo, what, arg) : 0;
}

/* The code is armed for its flagged instructions only, and this is not one of them: there is nothing to do, in a
   stop or not. */
static inline bool is_passed(const struct hook_state *st, PyFrameObject *fo)
{
	const struct reach *r = st->hot_reach;

	return r && r->known && !st->user && r->ahead[frame_unit(inner_frame(fo))] == REACH_LATER;
}

/* The frame object may outlive its activation, in a traceback or a generator. */
static void act_returned(struct hook_state *st, PyFrameObject *fo)
{
	struct act *a = st->acts ? act_for(st, fo) : NULL;

	if (!a)
		return;
	trace_flag_need(fo, &a->opcodes, false);
	a->fo = NULL;
}

static __attribute__((noinline)) int trace_any(PyObject *self, PyFrameObject *fo, int what, PyObject *arg)
{
	struct hook_thread *t = live_thread(_PyThreadState_GET());
	struct hook_state *st = t->state;
	struct code *c;
	int rc = 0;

	hook_held(t);
	if (what == PyTrace_OPCODE && is_hot(st, fo) && !st->user && !t->in_stop) {
		report_instr(t, fo, st->hot_code, st->hot_want | st->hot_code->hook.armed);
		reduce_events(st, fo);
		return 0;
	}
	if (t->in_stop)
		return st->user && st->user != live_tracefn ? st->user(self, fo, what, arg) : 0;
	if (what == PyTrace_OPCODE || what == PyTrace_LINE)
		return trace_opcode(t, st, self, fo, what, arg);
	c = code_peek((struct py_code *)inner_frame(fo)->f_code);
	st->hot = NULL;
	switch (what) {
	case PyTrace_CALL:
		t->serial++;
		trace_call(t, st, fo, c);
		break;
	case PyTrace_EXCEPTION:
		trace_raise(t, st, fo, c, arg);
		break;
	case PyTrace_RETURN:
		trace_return(t, st, fo, c, arg);
		break;
	}
	if (st->user)
		rc = to_user(st, self, fo, what, arg);
	if (what != PyTrace_RETURN)
		return rc;
	act_returned(st, fo);
	if (!st->running)
		live_apply(st);
	return rc;
}

/* Apart, so that live_tracefn() saves no register. */
static __attribute__((noinline, hot)) int trace_more(PyObject *self, PyFrameObject *fo, int what, PyObject *arg)
{
	PyThreadState *ts = _PyThreadState_GET();
	struct hook_thread *t = hook_thread_last;
	struct hook_state *st;

	if ((what != PyTrace_OPCODE && what != PyTrace_LINE) || !t || t->ts != (struct py_thread *)ts ||
	    t->id != ts->id)
		return trace_any(self, fo, what, arg);
	st = t->state;
	if (what == PyTrace_LINE && st->live && st->live->fo == fo && !st->user) {
		live_wake(st->live);
		return 0; /* the event of its instruction follows, which is what the frame waits for */
	}
	if (what == PyTrace_LINE ? quick_line(st, fo) : is_hot(st, fo) && quick_rest(st, fo))
		return 0;
	return trace_any(self, fo, what, arg);
}

/* Does only the recorder want the instructions of the hot frame? */
static inline bool is_recorded_only(const struct hook_thread *t, const struct hook_state *st)
{
	return (st->hot_want | st->hot_code->hook.armed) == HOOK_RECORD && !st->user && !t->in_stop && !t->due &&
	       !hook_holding && hook_sink;
}

static __attribute__((noinline, hot)) int record_hot(struct hook_thread *t, PyFrameObject *fo)
{
	struct code *c = t->state->hot_code;
	int unit = frame_unit(fo->f_frame);

	if (record_instr(&t->record, t->number, (uintptr_t)fo->f_frame, c, unit) &&
	    (t->due = hook_sink->recorded(t, c, unit)))
		tell_instr(t, fo, c, unit);
	return 0;
}

/* An instruction that nothing waits for returns from here, with no call and no register saved. */
__attribute__((hot)) int live_tracefn(PyObject *self, PyFrameObject *fo, int what, PyObject *arg)
{
	PyThreadState *ts = _PyThreadState_GET();
	struct hook_thread *t = hook_thread_last;

	if ((what == PyTrace_OPCODE || what == PyTrace_LINE) && t && t->ts == (struct py_thread *)ts &&
	    t->id == ts->id && is_hot(t->state, fo)) {
		if (is_passed(t->state, fo))
			return 0;
		if (!t->state->hot_reach && what == PyTrace_OPCODE) /* each instruction is seen */
			return is_recorded_only(t, t->state) ? record_hot(t, fo) : trace_any(self, fo, what, arg);
	}
	return trace_more(self, fo, what, arg);
}
