/* SPDX-License-Identifier: BSD-3-Clause */
/* CPython 3.12 and later: asks sys.monitoring for what armed code objects and activations need, by tool ids that
   nobody uses, and takes no event from any other tool.  Events are computed from lists, never restored. */
#include <Python.h>
#include <stdlib.h>
#include "base/buf.h"
#include "base/err.h"
#include "py/live_monitor.h"
#include "py/value.h"

#define TOOLS 6                              /* ids that sys.monitoring gives away */

struct live_events live_event;

static struct { PyObject *use, *free, *get, *reg, *events, *set_events, *local, *set_local, *disable; } api;
static struct { int events; PyObject *callback; } callback[8];
static int ncallback;
static int tool = -1, helper = -1;           /* helper: for priming only */
static bool registering;                     /* a callback of ours */
static int global;                           /* events set for all code */
static struct mon *mons;
static bool others;                          /* tools that are not ours have been seen since ids were taken */
static int nlive, ncalls, nends;             /* activations; those and code objects on HOOK_CALLS; code with ends */

/* ---- sys.monitoring ------------------------------------------------------------------------------ */

static int attr(PyObject *from, const char *name, PyObject **out)
{
	if (!*out)
		*out = PyObject_GetAttrString(from, name);
	return *out ? 0 : -1;
}

static int bit(PyObject *events, const char *name, int *out)
{
	PyObject *v = PyObject_GetAttrString(events, name);

	*out = v ? (int)PyLong_AsLong(v) : 0;
	Py_XDECREF(v);
	return v ? 0 : -1;
}

/* Another tool registers a callback: what is armed is shielded from it before it gets an event. */
static int on_audit(const char *event, PyObject *args, void *unused)
{
	struct mon *m;

	(void)args;
	(void)unused;
	if (tool < 0 || others || registering || strcmp(event, "sys.monitoring.register_callback"))
		return 0;
	others = true;
	for (m = mons; m; m = m->next)
		live_update(m);
	return 0;
}

int live_start(struct err *err)
{
	static bool listens;
	PyObject *m = PySys_GetObject("monitoring"), *e = m ? PyObject_GetAttrString(m, "events") : NULL;
	bool bad = !e || attr(m, "use_tool_id", &api.use) || attr(m, "free_tool_id", &api.free) ||
		   attr(m, "get_tool", &api.get) || attr(m, "register_callback", &api.reg) ||
		   attr(m, "get_events", &api.events) || attr(m, "set_events", &api.set_events) ||
		   attr(m, "get_local_events", &api.local) || attr(m, "set_local_events", &api.set_local) ||
		   attr(m, "DISABLE", &api.disable) ||
		   bit(e, "PY_START", &live_event.start) || bit(e, "PY_RESUME", &live_event.resume) ||
		   bit(e, "PY_RETURN", &live_event.ret) || bit(e, "PY_YIELD", &live_event.yield) ||
		   bit(e, "INSTRUCTION", &live_event.instruction) || bit(e, "LINE", &live_event.line) ||
		   bit(e, "RAISE", &live_event.raise) || bit(e, "PY_UNWIND", &live_event.unwind);

	Py_XDECREF(e);
	if (bad)
		return err_from_python(err, "cannot use sys.monitoring");
	if (!listens && PySys_AddAuditHook(on_audit, NULL) < 0) {
		PyErr_Clear();
		return err_set(err, "cannot watch for other tools: the interpreter takes no audit hook");
	}
	listens = true;
	return 0;
}

void *live_disable(void)
{
	return api.disable;
}

void live_callback(int events, void *object)
{
	callback[ncallback].events = events;
	callback[ncallback++].callback = object;
}

/* f(args...), as far as there are any; -1 when it fails.  The program's pending exception stays. */
static long call(PyObject *f, int id, PyObject *co, long events)
{
	PyObject *pending = PyErr_GetRaisedException();
	PyObject *arg[3], *r = NULL;
	long ret = -1;
	int n = 0, i;

	arg[n++] = PyLong_FromLong(id);
	if (co)
		arg[n++] = Py_NewRef(co);
	if (events >= 0)
		arg[n++] = PyLong_FromLong(events);
	r = PyObject_Vectorcall(f, arg, (size_t)n, NULL);
	if (r)
		ret = PyLong_Check(r) ? PyLong_AsLong(r) : 0;
	for (i = 0; i < n; i++)
		Py_XDECREF(arg[i]);
	Py_XDECREF(r);
	PyErr_SetRaisedException(pending);
	return ret;
}

/* New reference; NULL when nobody has it. */
static PyObject *tool_name(int id)
{
	PyObject *pending = PyErr_GetRaisedException(), *r = PyObject_CallFunction(api.get, "i", id);

	PyErr_SetRaisedException(pending);
	if (r == Py_None)
		Py_CLEAR(r);
	return r;
}

/* Fails where somebody has it. */
static bool tool_take(int id)
{
	PyObject *pending = PyErr_GetRaisedException(), *r = PyObject_CallFunction(api.use, "is", id, "cdbg");

	PyErr_SetRaisedException(pending);
	Py_XDECREF(r);
	return r;
}

static void callbacks(bool on)
{
	PyObject *pending = PyErr_GetRaisedException(), *r;
	int i, events;

	registering = true;
	for (i = 0; i < ncallback; i++)
		for (events = callback[i].events; events; events &= events - 1) {
			r = PyObject_CallFunction(api.reg, "iiO", tool, events & -events,
						  on ? callback[i].callback : Py_None);
			if (!r)
				PyErr_Clear();
			Py_XDECREF(r);
		}
	registering = false;
	PyErr_SetRaisedException(pending);
}

/* New reference; NULL: nobody else has it. */
static PyObject *other_tool(int id)
{
	return id == tool || id == helper ? NULL : tool_name(id);
}

static bool other_tools(void)
{
	PyObject *name;
	bool any = false;
	int id;

	for (id = 0; id < TOOLS; id++) {
		name = other_tool(id);
		any |= name != NULL;
		Py_XDECREF(name);
	}
	return any;
}

/* Ids with names (debugger, coverage, profiler) are left to those tools as long as others are free. */
bool live_tools(void)
{
	static const int order[] = { 4, 3, 5, 2 };
	size_t i;

	if (!api.use)
		return false;
	for (i = 0; i < sizeof(order) / sizeof(order[0]) && helper < 0; i++) {
		if (order[i] == tool || !tool_take(order[i]))
			continue;
		if (tool < 0) {
			tool = order[i];
			callbacks(true);
			others = other_tools();
		} else
			helper = order[i];
	}
	return tool >= 0;
}

static void tools_give_back(void)
{
	if (tool >= 0) {
		callbacks(false);
		call(api.free, tool, NULL, -1);
	}
	if (helper >= 0)
		call(api.free, helper, NULL, -1);
	tool = helper = -1;
}

static void set_global(int events)
{
	if (events != global && (tool >= 0 || (events && live_tools()))) {
		call(api.set_events, tool, NULL, events);
		global = events;
	}
}

/* ---- a code object's events ------------------------------------------------------------------------ */

static void list(struct mon *m, bool in)
{
	if (in == (m->link != NULL))
		return;
	if (in) {
		m->next = mons;
		if (mons)
			mons->link = &m->next;
		m->link = &mons;
		mons = m;
	} else {
		*m->link = m->next;
		if (m->next)
			m->next->link = m->link;
		m->link = NULL;
	}
}

/* Its activations are gone: a frame keeps its code alive. */
static void code_gone(struct code *c)
{
	struct mon *m = c->hook;

	list(m, false);
	live_code_changed(c->armed, 0);
	free(m);
}

struct mon *live_mon(struct code *c)
{
	struct mon *m = c->hook;

	if (!m) {
		m = c->hook = mem_alloc(sizeof(*m));
		m->c = c;
		c->hook_gone = code_gone;
	}
	return m;
}

bool live_full(const struct mon *m)
{
	const struct live *l;

	if (m->c->armed & (HOOK_EVERY | HOOK_STEP))
		return true;
	for (l = m->live; l; l = l->next)
		if (l->want & LIVE_INSTRUCTIONS)
			return true;
	return false;
}

/*
 * Where a line event and an instruction event are at one place, and the only tool that wants the line answers with
 * DISABLE, CPython forgets the other (Python/instrumentation.c, de_instrument_line): beside other tools lines are
 * wanted too.
 */
static int events_for(const struct mon *m)
{
	unsigned want = m->c->armed;
	const struct live *l;
	int events = 0;

	for (l = m->live; l; l = l->next)
		want |= l->want;
	if (want & LIVE_INSTRUCTIONS)
		events |= live_event.instruction | (others ? live_event.line : 0);
	if (want & HOOK_CALLS)
		events |= live_event.start | live_event.resume | live_event.ret | live_event.yield;
	return events;
}

/*
 * CPython (Python/instrumentation.c, update_instrumentation_data) forgets who wanted INSTRUCTION events of a code
 * object when it first has two tools for one event there: that moment is made to come now, for good, with nobody
 * else's INSTRUCTION set and with ours set again after it.
 */
static void prime(struct mon *m)
{
	PyObject *co = (PyObject *)m->c->co, *name;
	long local[TOOLS] = { 0 }, all[TOOLS] = { 0 };
	int id;

	if (helper < 0)
		return;
	for (id = 0; id < TOOLS; id++) {
		name = other_tool(id);
		if (!name)
			continue;
		Py_DECREF(name);
		local[id] = call(api.local, id, co, -1);
		all[id] = call(api.events, id, NULL, -1);
		if (local[id] > 0 && (local[id] & live_event.instruction))
			call(api.set_local, id, co, 0);
		if (all[id] > 0 && (all[id] & live_event.instruction))
			call(api.set_events, id, NULL, all[id] & ~live_event.instruction);
	}
	call(api.set_local, helper, co, live_event.start);
	call(api.set_local, tool, co, live_event.start | live_event.instruction);
	call(api.set_local, tool, co, 0);
	call(api.set_local, helper, co, 0);
	for (id = 0; id < TOOLS; id++) {
		if (local[id] > 0 && (local[id] & live_event.instruction))
			call(api.set_local, id, co, local[id]);
		if (all[id] > 0 && (all[id] & live_event.instruction))
			call(api.set_events, id, NULL, all[id]);
	}
	m->primed = true;
}

static void apply(struct mon *m, int events)
{
	PyObject *co = (PyObject *)m->c->co;

	if (!live_tools())
		return;
	if (events && !m->primed)
		prime(m);
	if (m->disabled)
		call(api.set_local, tool, co, 0);
	call(api.set_local, tool, co, events);
	m->disabled = false;
	m->events = events;
	list(m, events);
}

void live_update(struct mon *m)
{
	int events = events_for(m);

	if ((events & ~m->events) || (m->disabled && live_full(m)))
		apply(m, m->events | events);
}

/* Code whose flags changed: instructions that were answered with DISABLE are wanted now. */
void hook_flags_changed(struct code *c)
{
	struct mon *m = c->hook;

	if (m && m->disabled && m->events)
		apply(m, m->events);
}

void live_land(struct mon *m, void *table)
{
	PyCodeObject *co = (PyCodeObject *)m->c->co;
	PyObject *own = co->co_linetable;
	int events = m->events | live_event.instruction;

	m->disabled = true;                  /* the place that it jumps to may be */
	if (!table) {
		apply(m, events);
		return;
	}
	if (m->events & live_event.line)
		apply(m, m->events & ~live_event.line);
	m->forged = true;
	py_code_drop_lines(m->c->co);
	co->co_linetable = table;
	apply(m, events | live_event.line);
	co->co_linetable = own;
}

void live_landed(struct mon *m)
{
	int events = m->events & ~live_event.line;

	if (m->forged) {
		apply(m, events);
		py_code_drop_lines(m->c->co);
		m->forged = false;
	}
	apply(m, events_for(m) | events);
}

void *live_line_tool(struct code *c)
{
	PyThreadState *ts = PyInterpreterState_ThreadHead(PyInterpreterState_Get());
	PyObject *name;
	int id;

	for (; ts; ts = PyThreadState_Next(ts))
		if (ts->c_tracefunc)
			return PyUnicode_FromString("sys.settrace");
	for (id = 0; id < TOOLS; id++) {
		name = other_tool(id);
		if (!name)
			continue;
		if ((call(api.events, id, NULL, -1) | call(api.local, id, (PyObject *)c->co, -1)) & live_event.line)
			return name;
		Py_DECREF(name);
	}
	return NULL;
}

/* ---- activations ------------------------------------------------------------------------------------- */

static void count(const struct live *l, int by)
{
	nlive += by;
	if (l->want & HOOK_CALLS)
		ncalls += by;
}

/* In a callback of the frame's end, so its locals die at their usual time. */
void live_drop(struct mon *m, struct live *l)
{
	struct live **p;

	for (p = &m->live; *p != l; p = &(*p)->next)
		;
	*p = l->next;
	count(l, -1);
	py_unref(l->frame);
	free(l);
}

/* A frame object whose frame ended unseen (a generator that was let go of) holds the frame itself, elsewhere. */
struct live *live_find(struct mon *m, uintptr_t address)
{
	struct live *l, *next;

	for (l = m->live; l; l = next) {
		next = l->next;
		if (l->address != address)
			continue;
		if (py_frame_address(l->frame) == address)
			return l;
		live_drop(m, l);
	}
	return NULL;
}

static void drop_ended(struct mon *m)
{
	struct live *l, *next;

	for (l = m->live; l; l = next) {
		next = l->next;
		if (!py_frame_alive(l->frame))
			live_drop(m, l);
	}
}

struct live *live_add(struct mon *m, struct py_frame *f, struct hook_thread *t, unsigned want)
{
	struct live *l = live_find(m, py_frame_address(f));

	if (l) {
		count(l, -1);
	} else {
		drop_ended(m);
		l = mem_alloc(sizeof(*l));
		l->frame = py_ref(f);
		l->address = py_frame_address(f);
		l->next = m->live;
		m->live = l;
	}
	l->t = t;
	l->want |= want;
	count(l, 1);
	live_update(m);
	live_update_global();
	return l;
}

static void each_live(void (*visit)(struct mon *m, struct live *l, struct hook_thread *t), struct hook_thread *t)
{
	struct mon *m;
	struct live *l, *next;

	for (m = mons; m; m = m->next)
		for (l = m->live; l; l = next) {
			next = l->next;
			if (!t || l->t == t)
				visit(m, l, t);
		}
}

static void unstep(struct mon *m, struct live *l, struct hook_thread *t)
{
	(void)t;
	l->want &= ~(unsigned)HOOK_STEP;
	if (!l->want)
		live_drop(m, l);
}

void live_unstep(struct hook_thread *t)
{
	each_live(unstep, t);
}

static void drop(struct mon *m, struct live *l, struct hook_thread *t)
{
	(void)t;
	live_drop(m, l);
}

void hook_state_free(struct hook_thread *t)
{
	each_live(drop, t);
	free(t->state);
	t->state = NULL;
}

void live_code_changed(unsigned before, unsigned now)
{
	ncalls += !!(now & HOOK_CALLS) - !!(before & HOOK_CALLS);
	nends += !!(now & (HOOK_CALLS | HOOK_STEP)) - !!(before & (HOOK_CALLS | HOOK_STEP));
}

/* ---- all code ------------------------------------------------------------------------------------------ */

static bool into_wanted(void)
{
	struct hook_thread *t;

	if (!hook_sink)
		return false;
	for (t = hook_thread_first(); t; t = t->next)
		if (t->into)
			return true;
	return hook_into_default;
}

/* What no code object can be asked for alone: that any frame begins, unwinds, or meets an exception. */
static int global_wanted(bool into)
{
	return (into ? live_event.start | live_event.resume : 0) | (nlive || nends ? live_event.unwind : 0) |
	       (ncalls ? live_event.raise : 0);
}

void live_update_global(void)
{
	struct hook_thread *t = hook_thread_self();
	int wanted = global_wanted(t->into || hook_into_default);

	if (wanted & ~global)
		set_global(global | wanted);
}

/* While a thread steps events stay, so that setting them is not paid for at each step; those that nobody wants
   end by themselves, with DISABLE. */
void live_settle(bool stepping)
{
	int wanted = global_wanted(into_wanted()), events;
	struct mon *m, *next;

	if (stepping)                        /* but that frames begin costs plain Python too much to stay */
		wanted |= global & (live_event.unwind | live_event.raise);
	set_global(wanted);
	for (m = mons; m && !stepping; m = next) {
		next = m->next;
		drop_ended(m);
		events = events_for(m);
		if (events != m->events)
			apply(m, events);
	}
	if (!mons && !global)
		tools_give_back();
}

void live_stop(void)
{
	struct mon *m, *next;

	each_live(drop, NULL);
	for (m = mons; m; m = next) {
		next = m->next;
		apply(m, 0);
	}
	set_global(0);
	tools_give_back();
}

bool live_installed(void)
{
	return tool >= 0 && (mons || (global & live_event.start));
}
