/* SPDX-License-Identifier: BSD-3-Clause */
/* Dynamo's lookups: the hook that it calls after each one, and its callback before generated code runs.  Both are
   set only while hits are counted or misses are caught.  C++ code calls both and ends the process on an exception, so
   they never raise one. */
#include "model/entry.h"
#include "observe/dynamo_observe.h"
#include "torch/attrs.h"

static PyObject *completed, *runs; /* owned: our functions */
static PyObject *before;	   /* owned: the guard-complete hook that was set before, or NULL */
static bool awake, counting, counted, watching, hooked, running;
static _Thread_local bool hit;	       /* the last lookup of this thread found an entry, which is not counted yet */
static _Thread_local enum lookup last; /* ... and its result, until lookup_take() returns it */

/* completed(hit): Dynamo continues with the value that it returns. */
static PyObject *on_complete(PyObject *self, PyObject *arg)
{
	PyObject *r = before ? PyObject_CallOneArg(before, arg) : NULL;

	(void)self;
	PyErr_Clear();
	if (!r)
		r = Py_NewRef(arg);
	hit = r == Py_True;
	last = hit ? LOOKUP_HIT : LOOKUP_MISS;
	return r;
}

static PyObject *on_run(PyObject *self, PyObject *code)
{
	struct entry *e = hit && PyCode_Check(code) ? model_entry((PyCodeObject *)code) : NULL;

	(void)self;
	hit = false;
	if (e && counting) {
		e->made.hits++;
		model_called(e);
	}
	Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
	{ "guards_checked", on_complete, METH_O, NULL },
	{ "generated_code_runs", on_run, METH_O, NULL },
};

static PyObject *set(enum attr_id id, PyObject *hook)
{
	PyObject *setter = attrs_get(id), *old = setter ? PyObject_CallOneArg(setter, hook) : NULL;

	PyErr_Clear();
	Py_XDECREF(setter);
	return old;
}

/* Is the only place for such a hook taken, by torch's own bytecode debugger? */
static bool debugger_installed(void)
{
	PyObject *get = attrs_get(ATTR_RUN_CALLBACK_GET), *now = get ? PyObject_CallNoArgs(get) : NULL;
	bool yes = now && now != Py_None && now != runs;

	PyErr_Clear();
	Py_XDECREF(now);
	Py_XDECREF(get);
	return yes;
}

static void hook_complete(bool on)
{
	PyObject *old;

	if (on == hooked)
		return;
	hooked = on;
	if (!completed)
		completed = PyCFunction_New(&methods[0], NULL);
	old = set(ATTR_COMPLETE_HOOK, on ? completed : before ? before : Py_None);
	Py_CLEAR(before);
	if (on && old && old != Py_None && old != completed)
		before = Py_NewRef(old);
	Py_XDECREF(old);
}

static void hook_runs(bool on)
{
	PyObject *old;

	if (on == running)
		return;
	running = on;
	if (!runs)
		runs = PyCFunction_New(&methods[1], NULL);
	if (on || !debugger_installed()) {
		old = set(ATTR_RUN_CALLBACK, on ? runs : Py_None);
		Py_XDECREF(old);
	}
}

static void apply(void)
{
	hook_complete(awake && (counting || watching));
	hook_runs(awake && counting);
}

bool lookup_countable(void)
{
	return attrs_have(ATTR_COMPLETE_HOOK) && attrs_have(ATTR_RUN_CALLBACK);
}

static void set_counting(bool on)
{
	if (on && !lookup_countable()) {
		host->talk.note(1, "this version of torch does not allow counting hits");
		return;
	}
	if (on && debugger_installed()) {
		host->talk.note(1, "hits are not counted: torch's bytecode debugger uses the hook for it");
		return;
	}
	counting = on;
	counted = counted || on;
	apply();
}

void lookup_watch(bool on)
{
	watching = on;
	last = LOOKUP_NONE;
	apply();
}

enum lookup lookup_take(void)
{
	enum lookup was = last;

	last = LOOKUP_NONE;
	return was;
}

void lookup_changed(struct session *s)
{
	(void)s;
	if (awake)
		set_counting(host->talk.option_number("count") != 0);
}

void lookup_wake(void)
{
	awake = true;
	if (host->talk.option_number("count"))
		set_counting(true);
	apply();
}

void lookup_stop(void)
{
	awake = counting = false;
	apply();
}

bool lookup_counted(void)
{
	return counted;
}
