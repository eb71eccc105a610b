/* SPDX-License-Identifier: BSD-3-Clause */
/* sys.monitoring's tool ids: takes unused ones, frees them, and makes sure that no event of another tool is lost.
   Knows code objects, not what they are armed for. */
#include <Python.h>
#include <string.h>
#include "base/buf.h"
#include "base/err.h"
#include "py/interp/interp.h"
#include "py/hook/tools_monitor.h"
#include "py/value/value.h"

#define TOOLS 6 /* ids that sys.monitoring gives away */

struct tool_events tool_event;

static struct {
	PyObject *use, *free, *get, *reg, *events, *set_events, *local, *set_local, *disable;
} api;
static struct {
	int events;
	PyObject *callback;
} callback[8];
static int ncallback;
static int tool = -1, helper = -1; /* helper: for priming only */
static bool registering;	   /* a callback that cdbg made */
static bool others;		   /* tools that are not ours have been seen since ids were taken */
static void (*other_came)(void);

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

/* Another tool registers a callback, before it gets an event. */
static int tools_audit(const char *event, PyObject *args, void *unused)
{
	(void)args;
	(void)unused;
	if (strcmp(event, "sys.monitoring.register_callback") || !interp_ours() || tool < 0 || others || registering)
		return 0;
	others = true;
	other_came();
	return 0;
}

int tools_monitor_start(void (*came)(void), struct err *err)
{
	static bool listens;
	PyObject *m = PySys_GetObject("monitoring"), *e = m ? PyObject_GetAttrString(m, "events") : NULL;
	bool bad = !e || attr(m, "use_tool_id", &api.use) || attr(m, "free_tool_id", &api.free) ||
		   attr(m, "get_tool", &api.get) || attr(m, "register_callback", &api.reg) ||
		   attr(m, "get_events", &api.events) || attr(m, "set_events", &api.set_events) ||
		   attr(m, "get_local_events", &api.local) || attr(m, "set_local_events", &api.set_local) ||
		   attr(m, "DISABLE", &api.disable) || bit(e, "PY_START", &tool_event.start) ||
		   bit(e, "PY_RESUME", &tool_event.resume) || bit(e, "PY_RETURN", &tool_event.ret) ||
		   bit(e, "PY_YIELD", &tool_event.yield) || bit(e, "INSTRUCTION", &tool_event.instruction) ||
		   bit(e, "LINE", &tool_event.line) || bit(e, "RAISE", &tool_event.raise) ||
		   bit(e, "PY_UNWIND", &tool_event.unwind);

	Py_XDECREF(e);
	other_came = came;
	if (bad)
		return err_from_python(err, "cannot use sys.monitoring");
	if (!listens && PySys_AddAuditHook(tools_audit, NULL) < 0) {
		PyErr_Clear();
		return err_set(err, "cannot watch for other tools: the interpreter takes no audit hook");
	}
	listens = true;
	return 0;
}

void *tools_monitor_disable(void)
{
	return api.disable;
}

void tools_monitor_callback(int events, void *object)
{
	callback[ncallback].events = events;
	callback[ncallback++].callback = object;
}

/* Calls f(args...), without arguments that are NULL; -1 if it fails. The program's pending exception stays. */
static long call_api(PyObject *f, int id, PyObject *co, long events)
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

/* ---- whose is an id -------------------------------------------------------------------------------- */

/* New reference; NULL: the id is free, or ours. */
static PyObject *other_tool(int id)
{
	PyObject *pending, *r;

	if (id == tool || id == helper)
		return NULL;
	pending = PyErr_GetRaisedException();
	r = PyObject_CallFunction(api.get, "i", id);
	PyErr_SetRaisedException(pending);
	if (r == Py_None)
		Py_CLEAR(r);
	return r;
}

/* The first id from `from` on that another tool has; TOOLS: none. */
static int next_other(int from)
{
	PyObject *name = NULL;
	int id;

	for (id = from; id < TOOLS && !(name = other_tool(id)); id++)
		;
	Py_XDECREF(name);
	return id;
}

/* Fails where somebody has it. */
static bool claim_tool(int id)
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

/* Ids with names are left to those tools as long as others are free: coverage's and the debugger's, ours after all,
   come last, and never for priming alone. */
bool tools_monitor_take(void)
{
	static const int order[] = { 4, 3, 5, 2, 0, 1 };
	size_t i;

	if (!api.use)
		return false;
	for (i = 0; i < sizeof(order) / sizeof(order[0]) && helper < 0; i++) {
		if (order[i] == tool || (tool >= 0 && order[i] < 2) || !claim_tool(order[i]))
			continue;
		if (tool < 0) {
			tool = order[i];
			callbacks(true);
			others = next_other(0) < TOOLS;
		} else
			helper = order[i];
	}
	return tool >= 0;
}

void tools_monitor_give_back(void)
{
	if (tool >= 0) {
		callbacks(false);
		call_api(api.free, tool, NULL, -1);
	}
	if (helper >= 0)
		call_api(api.free, helper, NULL, -1);
	tool = helper = -1;
}

bool tools_monitor_ours(void)
{
	return tool >= 0;
}

bool tools_monitor_others(void)
{
	return others;
}

/* False: no other tool is there. */
static bool add_tool_name(struct buf *out, int id)
{
	PyObject *pending = PyErr_GetRaisedException(), *name = other_tool(id);
	const char *text = name && PyUnicode_Check(name) ? PyUnicode_AsUTF8(name) : NULL;
	bool there = name;

	if (there)
		buf_addf(out, "'%s'", text ? text : "?");
	Py_XDECREF(name);
	PyErr_SetRaisedException(pending);
	return there;
}

void tools_monitor_describe(struct buf *out)
{
	if (tool < 0)
		buf_adds(out, "no tool id taken now");
	else if (helper < 0)
		buf_addf(out, "tool id %d", tool);
	else
		buf_addf(out, "tool ids %d and %d", tool, helper);
}

bool tools_monitor_name(int id, struct buf *out)
{
	if (id < TOOLS && add_tool_name(out, id))
		buf_addf(out, " of sys.monitoring, tool id %d", id);
	return id < TOOLS;
}

int tools_monitor_able(struct err *err)
{
	struct buf names = { 0 };
	int id;

	for (id = 0; tool < 0 && id < TOOLS; id++) {
		buf_adds(&names, id ? ", " : "");
		if (!add_tool_name(&names, id))
			break;
	}
	if (id == TOOLS)
		err_set(err,
			"cannot stop in Python code: other tools have all tool ids of sys.monitoring (%s): "
			"end one of them, or call sys.monitoring.free_tool_id, then ask again",
			buf_str(&names));
	buf_release(&names);
	return id == TOOLS ? -1 : 0;
}

/* ---- events ---------------------------------------------------------------------------------------- */

void tools_monitor_set(struct py_code *co, int events)
{
	call_api(api.set_local, tool, (PyObject *)co, events);
}

void tools_monitor_set_all(int events)
{
	call_api(api.set_events, tool, NULL, events);
}

/*
 * CPython (Python/instrumentation.c, update_instrumentation_data) forgets which tools requested INSTRUCTION events
 * of a code object when it first has two tools for one event there.  This is made to happen now, and only once,
 * while no other tool has INSTRUCTION set; ours is set again afterwards.  If there is no second id for us, another
 * tool's serves: no code runs before it has its own events back.
 */
bool tools_monitor_prime(struct py_code *code)
{
	PyObject *co = (PyObject *)code;
	long local[TOOLS] = { 0 }, all[TOOLS] = { 0 };
	int id, second = helper >= 0 ? helper : next_other(0);

	if (second == TOOLS)
		return false;
	for (id = next_other(0); id < TOOLS; id = next_other(id + 1)) {
		local[id] = call_api(api.local, id, co, -1);
		all[id] = call_api(api.events, id, NULL, -1);
		if (local[id] > 0 && (local[id] & tool_event.instruction))
			call_api(api.set_local, id, co, 0);
		if (all[id] > 0 && (all[id] & tool_event.instruction))
			call_api(api.set_events, id, NULL, all[id] & ~tool_event.instruction);
	}
	call_api(api.set_local, second, co, tool_event.start);
	call_api(api.set_local, tool, co, tool_event.start | tool_event.instruction);
	call_api(api.set_local, tool, co, 0);
	call_api(api.set_local, second, co, second != helper && local[second] > 0 ? local[second] : 0);
	for (id = next_other(0); id < TOOLS; id = next_other(id + 1)) {
		if (local[id] > 0 && (local[id] & tool_event.instruction))
			call_api(api.set_local, id, co, local[id]);
		if (all[id] > 0 && (all[id] & tool_event.instruction))
			call_api(api.set_events, id, NULL, all[id]);
	}
	return true;
}

void *tools_monitor_line(struct py_code *co)
{
	PyThreadState *ts = PyInterpreterState_ThreadHead(PyInterpreterState_Get());
	int id;

	for (; ts; ts = PyThreadState_Next(ts))
		if (ts->c_tracefunc)
			return PyUnicode_FromString("sys.settrace");
	for (id = next_other(0); id < TOOLS; id = next_other(id + 1))
		if ((call_api(api.events, id, NULL, -1) | call_api(api.local, id, (PyObject *)co, -1)) &
		    tool_event.line)
			return other_tool(id);
	return NULL;
}
