/* SPDX-License-Identifier: BSD-3-Clause */
/* Control on CPython 3.11: an eval-frame hook, which switches the trace function (events_trace.c) on for frames of
   armed code, and the bracket of a stop.  Decides nothing. */
#define PY_SSIZE_T_CLEAN
#define Py_BUILD_CORE
#include <Python.h>
#include <frameobject.h>
#include <pthread.h>
#include <internal/pycore_frame.h>
#include <internal/pycore_code.h>
#include <internal/pycore_interp.h>
#include <internal/pycore_pystate.h>
#undef Py_BUILD_CORE
#include "base/buf.h"
#include "base/err.h"
#include "py/hook/hook_impl.h"
#include "py/interp/interp.h"
#include "py/hook/quick_trace.h"

#if PY_VERSION_HEX >> 16 != 0x030B
#error "hook_trace.c is for CPython 3.11 only"
#endif

enum { NEAR_SLOTS = 64 };

/* What each frame asks for, together. */
static struct {
	uint64_t near; /* a bit for each slot of near_code that has any */
	bool outside, regions, graphs, step;
	bool in; /* the hook is installed, or an evaluator that was installed over it */
} place;
/* Armed code objects by near_slot(): how many; the one that there is, or NULL. */
static struct {
	struct code *only;
	unsigned n;
} near_code[NEAR_SLOTS];
static unsigned long taken_out;	      /* the number of times that calls were not seen */
static PyCFunction settrace_original; /* sys.settrace's own C function while ours is installed */

static inline unsigned near_slot(const void *co)
{
	return ((uintptr_t)co >> 5 ^ (uintptr_t)co >> 11) % NEAR_SLOTS;
}

static void near_put(struct code *c, bool armed)
{
	unsigned i = near_slot(c->co);

	near_code[i].n += armed ? 1 : -1;
	near_code[i].only = armed && near_code[i].n == 1 ? c : NULL;
	if (near_code[i].n)
		place.near |= UINT64_C(1) << i;
	else
		place.near &= ~(UINT64_C(1) << i);
}

/* May code of this frame be armed? */
static inline bool is_near(const Frame *f)
{
	return place.near >> near_slot(f->f_code) & 1;
}

/* ---- the eval-frame hook ------------------------------------------------------------------------- */

/* The callee may have set a tracer, or told that the caller has no events of lines. */
static void watch_lines(struct hook_state *st)
{
	struct act *a = act_of_cframe(st, st->ts->cframe);

	if (st->user)
		reach_no_lines(st);
	else if (a && a->f->frame_obj && !a->f->frame_obj->f_trace_lines)
		reach_wake(st, a);
}

/* The callee is gone; ts->cframe is the caller's again.  State is computed, never restored: a frame may have been
   armed or disarmed while the callee ran. */
static void hook_back(struct hook_state *st)
{
	PyThreadState *ts = st->ts;

	reach_returned(st);
	if (st->running || act_on(act_of_cframe(st, ts->cframe))) {
		live_take(st);
		if (st->to_line)
			watch_lines(st);
		ts->cframe->use_tracing = ts->tracing ? 0 : LIVE_ON;
	} else {
		live_give(st);
		ts->cframe->use_tracing = ts->tracing ? 0 : live_user_on(st);
	}
}

static PyObject *hook_armed(struct hook_thread *t, Frame *f, int throwing, unsigned want, struct code *c)
{
	struct hook_state *st = t->state;
	struct act *a;
	PyObject *r;

	live_move(st, f);
	a = act_new(st, f);
	a->want = want;
	a->code = c;
	if (reach_start(st, a))
		st->ts->cframe->use_tracing = live_user_on(st);
	else {
		live_take(st);
		st->ts->cframe->use_tracing = LIVE_ON;
	}
	r = _PyEval_EvalFrameDefault(st->ts, f, throwing);
	reach_ended(st, a);
	act_end(st, a);
	hook_back(st);
	return r;
}

/* A frame without events has ended.  changed: something was armed or disarmed meanwhile. */
static void settle(struct hook_state *st, bool changed)
{
	bool sees = hook_sees_calls();

	if (!changed && quick_returned(st, sees))
		return;
	if (await_trace_returned(st, sees) || (changed && st->running))
		hook_back(st);
	else if (changed)
		live_apply(st);
}

/* A frame that is not armed when it begins, and is not called by one that is. */
static inline PyObject *evaluate_plain(struct hook_thread *t, PyThreadState *ts, Frame *f, int throwing)
{
	unsigned long serial = t->state->serial;
	PyObject *r = _PyEval_EvalFrameDefault(ts, f, throwing);
	struct hook_state *st = t->state;

	if ((st->serial != serial || (st->awaits && st->awaits->f == ts->cframe->current_frame)) && !t->in_stop)
		settle(st, st->serial != serial);
	return r;
}

static PyObject *evaluate(struct hook_thread *t, PyThreadState *ts, Frame *f, int throwing)
{
	PyCodeObject *co = f->f_code;
	struct hook_state *st;
	struct code *c;
	unsigned want = 0;
	PyObject *r;

	hook_held(t);
	st = t->state;
	if (!t->in_stop) {
		c = co->co_extra ? code_peek((struct py_code *)co) : NULL;
		if (t->into && hook_sink)
			want = hook_sink->enter(t, c ? c : code_get((struct py_code *)co));
		if (want || (c && c->hook.armed) || live_suspended(f))
			return hook_armed(t, f, throwing, want, c);
	}
	if (ts->c_tracefunc == live_tracefn) { /* callee of an armed frame: at full speed */
		live_give(st);
		ts->cframe->use_tracing = live_user_on(st);
		r = _PyEval_EvalFrameDefault(ts, f, throwing);
		if (!t->in_stop)
			hook_back(st);
		return r;
	}
	return evaluate_plain(t, ts, f, throwing);
}

static PyObject *hook(PyThreadState *ts, Frame *f, int throwing);
static void hook_in(bool in);
static bool always_in(void);
static void graphs_ended(struct hook_state *st);

/*
 * With the hook, each call of a Python function uses C stack, which CPython 3.11 otherwise does not need: a program
 * that raised its recursion limit would crash only under cdbg. When little of the stack is left, the interpreter
 * runs calls without the hook; armed ones get their records at the CALL event.
 */
static bool is_deep(struct hook_state *st)
{
	const char here = 0;
	pthread_attr_t attr;
	void *base = NULL;
	size_t size = 0;

	if (!st->stack_low && pthread_getattr_np(pthread_self(), &attr) == 0) {
		pthread_attr_getstack(&attr, &base, &size);
		pthread_attr_destroy(&attr);
		st->stack_low = (const char *)base + size / 8;
	}
	return (uintptr_t)&here < (uintptr_t)st->stack_low;
}

static PyObject *hook_deep(struct hook_state *st, Frame *f, int throwing)
{
	PyObject *r;

	hook_in(false);
	r = _PyEval_EvalFrameDefault(st->ts, f, throwing);
	hook_in(always_in());
	if (!st->t->in_stop)
		settle(st, false);
	return r;
}

/*
 * True if nothing is to be done for a frame that is not armed: its caller is not armed either, and no new frame is
 * asked for.  And another evaluator (Dynamo's) is installed and has called this hook: without cdbg, too, CALL then
 * inlines no call, so neither C stack nor arguments need attention.
 */
static inline bool needs_nothing(const struct hook_thread *t, PyThreadState *ts)
{
	return ts->interp->eval_frame != hook && !(place.outside | place.step) && !t->into && !t->in_stop &&
	       ts->c_tracefunc != live_tracefn && !live_any_suspended();
}

static __attribute__((noinline)) PyObject *hook_any(struct hook_thread *t, PyThreadState *ts, Frame *f, int throwing)
{
	Frame *caller = ts->cframe->current_frame;
	struct hook_state *st = t->state;
	struct level outer = st->level;
	PyObject *r;

	t->serial += !t->in_stop;
	if (ts->interp->eval_frame == hook) {
		live_args_release(caller, f, outer.f == caller && outer.since == taken_out);
		graphs_ended(st);
		st->level = (struct level){ .f = f, .since = taken_out };
	} else /* arguments stay where they are: a later call cannot be sure */
		st->level = outer = (struct level){ 0 };
	r = is_deep(st) && !t->in_stop ? hook_deep(st, f, throwing) : evaluate(t, ts, f, throwing);
	st->level = outer;
	return r;
}

static __attribute__((noinline)) PyObject *hook_rest(PyThreadState *ts, Frame *f, int throwing)
{
	struct hook_thread *t;

	if (ts->tracing)
		return _PyEval_EvalFrameDefault(ts, f, throwing);
	t = live_thread(ts);
	return needs_nothing(t, ts) && !is_near(f) ? evaluate_plain(t, ts, f, throwing) : hook_any(t, ts, f, throwing);
}

/* A frame that may be armed, where all others need nothing. */
static __attribute__((noinline, hot)) PyObject *hook_near(struct hook_thread *t, PyThreadState *ts, Frame *f,
							  int throwing)
{
	struct code *c = near_code[near_slot(f->f_code)].only;
	struct hook_state *st = t->state;
	struct act *a;
	PyObject *r;

	if (c && (PyCodeObject *)c->co != f->f_code)
		return evaluate_plain(t, ts, f, throwing);
	a = c && place.in && ts->interp->eval_frame ? quick_begin(st, f, c) : NULL;
	if (!a)
		return hook_any(t, ts, f, throwing);
	r = _PyEval_EvalFrameDefault(ts, f, throwing);
	if (!quick_end(st, a))
		hook_back(st);
	return r;
}

/* Comes first and stays short: a compiled call has 24 frames that need nothing. */
static __attribute__((hot)) PyObject *hook(PyThreadState *ts, Frame *f, int throwing)
{
	struct hook_thread *t = hook_thread_last;

	if (ts->tracing || !t || t->ts != (struct py_thread *)ts || t->id != ts->id || !needs_nothing(t, ts))
		return hook_rest(ts, f, throwing);
	return is_near(f) ? hook_near(t, ts, f, throwing) : evaluate_plain(t, ts, f, throwing);
}

/* Installed only over CPython's own evaluator, and removed only if it is current: over Dynamo's it would be removed
   or hang the process (torch/csrc/dynamo/eval_frame.c saves the evaluator it finds, each time it goes in). */
static inline void hook_in_now(PyInterpreterState *interp, bool in)
{
	interp->eval_frame = in ? hook : NULL; /* as _PyInterpreterState_SetEvalFrameFunc() writes it */
	place.in = in;
	taken_out += !in;
}

static void hook_in(bool in)
{
	PyInterpreterState *interp = PyInterpreterState_Get();
	_PyFrameEvalFunction now = _PyInterpreterState_GetEvalFrameFunc(interp);

	if (now == (in ? _PyEval_EvalFrameDefault : hook))
		hook_in_now(interp, in);
}

/* While a step's frame is armed, its calls come to hook_any() or are events; but not those that a profiler makes. */
bool hook_only_c(const struct hook_thread *t, unsigned long serial)
{
	PyThreadState *ts = (PyThreadState *)t->ts;

	return t->serial == serial && !ts->c_profilefunc && PyInterpreterState_ThreadHead(ts->interp) == ts &&
	       !ts->next;
}

bool hook_sees_calls(void)
{
	_PyFrameEvalFunction now = _PyThreadState_GET()->interp->eval_frame;

	return now && now != hook && place.in;
}

static bool always_in(void)
{
	return place.outside || place.step || hook_into_default || live_any_suspended();
}

/* Calls that needs_nothing() lets pass keep their arguments: what was sure before is not sure after them. */
static void place_changed(void)
{
	if (!place.outside && !place.step)
		taken_out++;
	hook_in(always_in());
}

void hook_place(bool outside, bool regions, bool graphs)
{
	place.outside = outside;
	place.regions = regions;
	place.graphs = graphs;
	place_changed();
}

void hook_step(bool on)
{
	place.step = on;
	place_changed();
}

bool hook_needs_regions(void)
{
	return true;
}

/* ---- graphs ----------------------------------------------------------------------------------------- */

/* Dynamo's evaluator is out while a graph runs.  So where graphs are wanted, the hook stays in until the frame that had
   switched it on is gone: that frame switches it off, or the next one that begins finds it gone. */

static bool is_within(const struct hook_state *st)
{
	const Frame *f = st->outermost.f ? st->ts->cframe->current_frame : NULL;

	while (f && (f != st->outermost.f || f->f_code != st->outermost.code))
		f = f->previous;
	return f;
}

/* Of any thread: the hook is in for all. */
static bool any_within(const struct hook_state *st)
{
	struct hook_thread *t;

	if (is_within(st))
		return true;
	for (t = hook_thread_first(); t; t = t->next)
		if (t->state != st && is_within(t->state))
			return true;
	return false;
}

/* A frame begins with the hook in: has it still to be? */
static void graphs_ended(struct hook_state *st)
{
	if (place.graphs && !always_in() && !st->t->in_stop && !any_within(st))
		hook_in(false);
}

/* Does the hook go in (1), go out (0), or stay as it is (-1)? */
static int graph_region(struct hook_state *st, enum hook_region what)
{
	const Frame *f = st->ts->cframe->current_frame;
	bool begins = what == HOOK_REGION_IN || what == HOOK_REGION_CALL;

	if (st->outermost.f == f && f && (what == HOOK_REGION_OUT || what == HOOK_REGION_BACK)) {
		st->outermost.f = NULL;
		return any_within(st) ? -1 : 0;
	}
	if (is_within(st))
		return begins ? 1 : -1;
	if (f && (begins || what == HOOK_REGION_OUT)) { /* out: what switched it on has returned, a context manager */
		st->outermost.f = f;
		st->outermost.code = f->f_code;
		return 1;
	}
	return any_within(st) ? -1 : 0;
}

void hook_region(enum hook_region what)
{
	PyThreadState *ts = _PyThreadState_GET();
	int in = place.graphs		 ? graph_region(live_thread(ts)->state, what) :
		 what == HOOK_REGION_IN	 ? 1 :
		 what < HOOK_REGION_CALL ? 0 :
					   -1;

	/* most calls end here: Dynamo is switched off and on again inside a region (NULL: CPython's own evaluator) */
	if (in >= 0 && ts->interp->eval_frame == (in ? NULL : hook) &&
	    (in ? place.regions || always_in() : !always_in()))
		hook_in_now(ts->interp, in);
}

bool hook_installed(void)
{
	return _PyInterpreterState_GetEvalFrameFunc(PyInterpreterState_Get()) == hook;
}

/* ---- arming -------------------------------------------------------------------------------------- */

static void code_ended(struct code *c)
{
	if (c->hook.armed)
		near_put(c, false);
	reach_free(c);
}

void hook_code(struct code *c, unsigned want)
{
	unsigned before = c->hook.armed;

	if (c->temps)
		want |= HOOK_FLAGGED;
	if (c->hook.recorded)
		want |= HOOK_RECORD;
	c->hook.armed = (uint8_t)want;
	if (!want != !before)
		near_put(c, want);
	c->hook.gone = code_ended;
	if (want != before)
		reach_changed(c);
	if (want & ~before)
		live_arm_code(c, want);
	else if (!want && before)
		live_disarm_code(c);
}

int hook_frame(struct py_frame *f, unsigned want, struct err *err)
{
	return live_arm_frame((PyFrameObject *)f, want, err);
}

void hook_frame_drop(struct py_frame *f)
{
	live_disarm_frame((PyFrameObject *)f);
}

int hook_jump(struct py_frame *f, int unit, struct err *err)
{
	return py_frame_jump(f, unit, err);
}

void hook_unstep(struct hook_thread *t)
{
	live_unstep(t->state);
}

void hook_flags_changed(struct code *c)
{
	reach_changed(c);
}

/* ---- sys.settrace: the user's tracer is kept below ours -------------------------------------------- */

static PyObject *settrace_ours(PyObject *self, PyObject *arg)
{
	PyThreadState *ts = PyThreadState_Get();
	struct hook_thread *t;
	struct hook_state *st;
	PyObject *r;

	if (!interp_ours()) /* the method is shared by all interpreters */
		return settrace_original(self, arg);
	t = hook_thread_self();
	st = t->state;
	if (ts->c_tracefunc != live_tracefn || t->in_stop)
		return settrace_original(self, arg);
	ts->c_tracefunc = st->user;
	r = settrace_original(self, arg);
	st->user = ts->c_tracefunc;
	ts->c_tracefunc = live_tracefn;
	live_apply(st);
	return r;
}

static void settrace_swap(bool in)
{
	PyObject *f = PySys_GetObject("settrace");
	PyMethodDef *def;

	if (!f || !PyCFunction_Check(f))
		return;
	def = ((PyCFunctionObject *)f)->m_ml; /* the method itself, so that aliases see it too */
	if (in && def->ml_meth != settrace_ours) {
		settrace_original = def->ml_meth;
		def->ml_meth = settrace_ours;
	} else if (!in && def->ml_meth == settrace_ours)
		def->ml_meth = settrace_original;
}

int hook_able(struct err *err)
{
	(void)err;
	return 0;
}

void hook_describe(struct buf *out)
{
	buf_adds(out, hook_installed() ? "an eval-frame hook and a trace function, in place" :
					 "an eval-frame hook and a trace function, not needed now");
}

bool hook_tool(int i, struct buf *out)
{
	struct hook_state *st = hook_thread_self()->state;

	buf_reset(out);
	if (i == 0 && st->user && st->user != live_tracefn)
		buf_adds(out, "a trace function of sys.settrace");
	return i == 0;
}

int hook_start(const struct hook_sink *sink, struct err *err)
{
	static const struct hook_state_ops states = { .new = live_state_new, .free = live_state_free };

	hook_states(&states);
	if (hook_audit_start(err) < 0)
		return -1;
	hook_sink = sink;
	settrace_swap(true);
	return 0;
}

void hook_stop(void)
{
	hook_sink = NULL;
	place.outside = place.regions = place.graphs = place.step = false;
	hook_into_all(false);
	live_disarm_all();
	hook_in(false); /* stays without effect if Dynamo saved it */
	settrace_swap(false);
	hook_signals_stop();
}
