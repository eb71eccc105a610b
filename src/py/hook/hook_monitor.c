/* SPDX-License-Identifier: BSD-3-Clause */
/* Control on CPython 3.12 and later: callbacks of sys.monitoring on code that is armed, each an object with a
   vectorcall of its own.  No other tool loses an event.  Decides nothing. */
#include <Python.h>
#include <stddef.h>
#include "base/buf.h"
#include "base/err.h"
#include "py/hook/live_monitor.h"
#include "py/record/recorder.h"

#if PY_VERSION_HEX < 0x030C0000
#error "hook_monitor.c is for CPython 3.12 and later"
#endif

static bool stepping; /* hook_step(): some thread has a plan */

/* ---- callbacks ------------------------------------------------------------------------------------- */

/* The monitoring of the code that an event is of, NULL: nothing is armed there. */
static struct mon *mon_of(PyObject *co)
{
	struct code *c = code_peek((struct py_code *)co);

	return c ? c->hook.own : NULL;
}

static struct live *find_activation(struct mon *m, struct hook_thread *t)
{
	return m && m->live ? live_find(m, py_thread_innermost(t->ts)) : NULL;
}

static unsigned wanted_events(struct mon *m, struct live *l)
{
	return (m ? m->c->hook.armed : 0) | (l ? l->want : 0);
}

/* The code of the frame in which the event occurred; a callback in C has no frame of its own. Borrowed: the frame
   runs. */
static struct py_frame *current(void)
{
	return (struct py_frame *)PyEval_GetFrame();
}

/* The sink may have requested new frames by t->into alone. */
static void after(struct hook_thread *t)
{
	if (t->into)
		live_update_global();
}

static void leave(struct hook_thread *t, struct mon *m, enum hook_how how, struct py_obj *value)
{
	struct live *l = find_activation(m, t);
	unsigned want = wanted_events(m, l);
	struct py_frame *f = want & HOOK_RECORD ? current() : NULL;

	if (f)
		record_leave(&t->record, py_frame_address(f), m->c, how);
	if (((want & HOOK_CALLS) || ((want & HOOK_STEP) && t->stepping)) && hook_sink) {
		hook_sink->leave(t, current(), m->c, how, value);
		after(t);
		l = find_activation(m, t); /* the sink may have dropped it */
	}
	if (l && how != HOOK_YIELD)
		live_drop(m, l);
}

/*
 * A frame ends here and CPython will not report it: PY_RETURN was not requested when it fetched this instruction, so
 * requesting it now comes too late.  The value is still on the stack, or in the instruction.
 */
static void leave_instr(struct hook_thread *t, struct mon *m, struct py_frame *f, int index)
{
	const struct instr *in = &m->c->instr[index];
	struct py_obj *value = frame_return_value(f, m->c, index);

	leave(t, m, in->flags & INSTR_YIELD ? HOOK_YIELD : HOOK_RETURN, value);
}

/*
 * Returns -1 with an exception when the frame has to jump.  If CPython did not save the stack pointer the depth is
 * known all the same: it is stored in the frame as long as it may be read, as at LINE events.
 */
static int report_event(struct hook_thread *t, struct mon *m, struct live *l, int unit)
{
	struct py_frame *f = l ? l->frame : current(); /* valid: it runs, even if l is freed */
	bool told = m->events & tool_event.ret;
	struct code *c = m->c;
	int index, ret = 0;

	if (!f) {
		PyErr_Clear();
		return 0;
	}
	code_decode(c);
	index = c->unit_index[unit];
	if (!py_saves_depth)
		py_frame_save_depth(f, c->instr[index].depth);
	hook_sink->instr(t, f, c, index);
	after(t);
	if (PyFrame_GetLasti((PyFrameObject *)f) != 2 * unit) {
		jump_monitor_leave(t, f, c);
		ret = -1;
	} else if (!told && (c->instr[index].flags & (INSTR_RETURN | INSTR_YIELD)))
		leave_instr(t, m, f, index);
	if (!py_saves_depth)
		py_frame_save_depth(f, -1);
	return ret;
}

static PyObject *monitor_instr(PyObject *self, PyObject *const *args, size_t n, PyObject *names)
{
	struct hook_thread *t = hook_thread_self();
	struct mon *m;
	struct live *l;
	unsigned want;
	int unit;

	(void)self;
	(void)n;
	(void)names;
	hook_held(t);
	if (t->in_stop || (t->state->landing && jump_monitor_instr(t)))
		Py_RETURN_NONE; /* never DISABLE here: it would stay */
	m = mon_of(args[0]);
	if (!m || !hook_sink)
		Py_RETURN_NONE;
	unit = (int)PyLong_AsLong(args[1]) / 2;
	l = find_activation(m, t);
	want = wanted_events(m, l);
	if ((want & HOOK_RECORD) && record_instr(&t->record, t->number, py_thread_innermost(t->ts), m->c, unit))
		t->due = hook_sink->recorded(t, m->c, unit);
	if (t->due || (want & HOOK_EVERY) || ((want & HOOK_STEP) && t->stepping) ||
	    ((want & HOOK_FLAGGED) && m->c->flags[unit])) {
		if (report_event(t, m, l, unit) < 0)
			return NULL;
		Py_RETURN_NONE;
	}
	if (live_full(m))
		Py_RETURN_NONE;
	m->disabled = true;
	return Py_NewRef(tools_monitor_disable());
}

/* A frame begins or continues. */
static PyObject *on_start(PyObject *self, PyObject *const *args, size_t n, PyObject *names)
{
	struct hook_thread *t = hook_thread_self();
	struct mon *m;
	struct live *l;
	struct code *c;
	unsigned want;

	(void)self;
	(void)n;
	(void)names;
	t->serial++;
	hook_held(t);
	if (t->in_stop || !hook_sink)
		Py_RETURN_NONE;
	m = mon_of(args[0]);
	l = find_activation(m, t);
	if (t->into && (!l || !(l->want & HOOK_STEP))) { /* a generator that is recorded has one */
		c = code_get((struct py_code *)args[0]);
		want = hook_sink->enter(t, c);
		if (want && current()) {
			m = live_mon(c);
			l = live_add(m, current(), t, want);
		}
	}
	if (wanted_events(m, l) & HOOK_CALLS)
		after(t);
	Py_RETURN_NONE;
}

static PyObject *on_end(PyObject *const *args, enum hook_how how)
{
	struct hook_thread *t = hook_thread_self();
	struct mon *m;

	hook_held(t);
	if (t->in_stop)
		Py_RETURN_NONE;
	m = mon_of(args[0]);
	if (m)
		leave(t, m, how, how == HOOK_UNWIND ? NULL : (struct py_obj *)args[2]);
	Py_RETURN_NONE;
}

static PyObject *on_return(PyObject *self, PyObject *const *args, size_t n, PyObject *names)
{
	(void)self;
	(void)n;
	(void)names;
	return on_end(args, HOOK_RETURN);
}

static PyObject *on_yield(PyObject *self, PyObject *const *args, size_t n, PyObject *names)
{
	(void)self;
	(void)n;
	(void)names;
	return on_end(args, HOOK_YIELD);
}

static PyObject *on_unwind(PyObject *self, PyObject *const *args, size_t n, PyObject *names)
{
	(void)self;
	(void)n;
	(void)names;
	return on_end(args, HOOK_UNWIND);
}

static PyObject *monitor_raise(PyObject *self, PyObject *const *args, size_t n, PyObject *names)
{
	struct hook_thread *t = hook_thread_self();
	PyObject *exc = args[2], *tb;
	struct mon *m;

	(void)self;
	(void)n;
	(void)names;
	if (t->in_stop || t->state->landing || !hook_sink)
		Py_RETURN_NONE;
	m = mon_of(args[0]);
	if (!(wanted_events(m, find_activation(m, t)) & HOOK_CALLS))
		Py_RETURN_NONE;
	tb = PyException_GetTraceback(exc);
	hook_sink->raise(t, current(), m->c, (struct py_obj *)Py_TYPE(exc), (struct py_obj *)exc, (struct py_obj *)tb);
	Py_XDECREF(tb);
	after(t);
	Py_RETURN_NONE;
}

static PyObject *on_line(PyObject *self, PyObject *const *args, size_t n, PyObject *names)
{
	struct hook_thread *t = hook_thread_self();

	(void)self;
	(void)args;
	(void)n;
	(void)names;
	if (!t->in_stop && t->state->landing)
		jump_monitor_line(t);
	Py_RETURN_NONE;
}

struct callback {
	PyObject_HEAD vectorcallfunc run;
};

static PyTypeObject callback_type = {
	PyVarObject_HEAD_INIT(NULL, 0).tp_name = "cdbg.callback",
	.tp_doc = "what sys.monitoring calls",
	.tp_basicsize = sizeof(struct callback),
	.tp_vectorcall_offset = offsetof(struct callback, run),
	.tp_call = PyVectorcall_Call,
	.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL,
};

static int make_callbacks(struct err *err)
{
	static bool made;
	const struct {
		int events;
		vectorcallfunc run;
	} want[] = {
		{ tool_event.instruction, monitor_instr },
		{ tool_event.start | tool_event.resume, on_start },
		{ tool_event.ret, on_return },
		{ tool_event.yield, on_yield },
		{ tool_event.unwind, on_unwind },
		{ tool_event.raise, monitor_raise },
		{ tool_event.line, on_line },
	};
	struct callback *cb;
	size_t i;

	if (made)
		return 0;
	if (PyType_Ready(&callback_type) < 0) {
		PyErr_Clear();
		return err_set(err, "cannot make callbacks for sys.monitoring");
	}
	for (i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		cb = PyObject_New(struct callback, &callback_type);
		if (!cb) {
			PyErr_Clear();
			return err_set(err, "no memory for the callbacks of sys.monitoring");
		}
		cb->run = want[i].run;
		tools_monitor_callback(want[i].events, cb);
	}
	made = true;
	return 0;
}

/* ---- arming ------------------------------------------------------------------------------------------- */

static struct hook_state *state_new(struct hook_thread *t)
{
	(void)t;
	return mem_alloc(sizeof(struct hook_state));
}

int hook_able(struct err *err)
{
	return tools_monitor_able(err);
}

/* sys.monitoring reports the calls of code that is watched. */
bool hook_only_c(const struct hook_thread *t, unsigned long serial)
{
	(void)t;
	(void)serial;
	return false;
}

void hook_describe(struct buf *out)
{
	buf_adds(out, "sys.monitoring, ");
	tools_monitor_describe(out);
}

bool hook_tool(int i, struct buf *out)
{
	buf_reset(out);
	if (i == 0 && ((PyThreadState *)hook_thread_self()->ts)->c_tracefunc)
		buf_adds(out, "a trace function of sys.settrace");
	return i == 0 || tools_monitor_name(i - 1, out);
}

void hook_code(struct code *c, unsigned want)
{
	struct mon *m;

	if (c->temps)
		want |= HOOK_FLAGGED;
	if (c->hook.recorded)
		want |= HOOK_RECORD;
	if (!want && !c->hook.own)
		return;
	m = live_mon(c);
	live_code_changed(c->hook.armed, want);
	if (want & ~(unsigned)c->hook.armed & HOOK_FLAGGED)
		hook_flags_changed(c);
	c->hook.armed = (uint8_t)want;
	live_update(m);
	live_update_global();
}

int hook_frame(struct py_frame *f, unsigned want, struct err *err)
{
	if (!py_frame_alive(f))
		return err_set(err, "cannot follow this frame: it has ended");
	if (hook_able(err) < 0)
		return -1;
	live_add(live_mon(frame_code(f)), f, hook_thread_self(), want);
	return 0;
}

void hook_frame_drop(struct py_frame *f)
{
	struct mon *m = frame_code(f)->hook.own;
	struct live *l = m ? live_find(m, py_frame_address(f)) : NULL;

	if (l)
		live_drop(m, l);
}

void hook_unstep(struct hook_thread *t)
{
	live_unstep(t);
}

void hook_place(bool outside, bool regions, bool graphs)
{
	(void)outside;
	(void)regions;
	(void)graphs;
	live_settle(stepping);
}

void hook_step(bool on)
{
	stepping = on;
	if (on)
		live_settle(true);
}

bool hook_needs_regions(void)
{
	return false; /* events are the code object's own, whatever evaluates it */
}

void hook_region(enum hook_region what)
{
	(void)what;
}

bool hook_installed(void)
{
	return live_installed();
}

/* ---- a stop --------------------------------------------------------------------------------------------- */

enum { SAVED_TRACING, SAVED_WHAT };
#define HEAD_ROOM 300

void hook_stop_enter(struct hook_thread *t, struct hook_saved *s)
{
	PyThreadState *ts = (PyThreadState *)t->ts;

	s->exc[0] = PyErr_GetRaisedException();
	s->number[SAVED_TRACING] = ts->tracing;
	s->number[SAVED_WHAT] = ts->what_event;
	ts->py_recursion_remaining += HEAD_ROOM;
	ts->tracing = 0; /* Dynamo and other tools must work for evaluated code */
	t->in_stop++;
}

void hook_stop_leave(struct hook_thread *t, struct hook_saved *s)
{
	PyThreadState *ts = (PyThreadState *)t->ts;

	t->in_stop--;
	if (!t->in_stop && hook_sink)
		live_settle(stepping); /* armed or disarmed at the prompt */
	ts->tracing = (int)s->number[SAVED_TRACING];
	ts->what_event = (int)s->number[SAVED_WHAT];
	ts->py_recursion_remaining -= HEAD_ROOM;
	PyErr_SetRaisedException(s->exc[0]);
	if (!t->in_stop)
		hook_signals_let();
}

int hook_start(const struct hook_sink *sink, struct err *err)
{
	static const struct hook_state_ops states = { .new = state_new, .free = live_state_free };

	hook_states(&states);
	if (live_start(err) < 0 || make_callbacks(err) < 0 || hook_audit_start(err) < 0)
		return -1;
	hook_sink = sink;
	return 0;
}

void hook_stop(void)
{
	hook_sink = NULL;
	stepping = false;
	hook_into_all(false);
	live_stop();
	hook_signals_stop();
}
