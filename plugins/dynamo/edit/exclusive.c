/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs a function while no other thread runs and none is inside Dynamo's cache.  Knows nothing about that function. */
#include "edit/dynamo_edit.h"
#include "model/compiling.h"
#include "model/func.h"
#include <string.h>
#include <time.h>

enum busy { IDLE, LOOKS_UP, COMPILES };

static bool file_ends(PyCodeObject *co, const char *with)
{
	const char *file = PyUnicode_AsUTF8(co->co_filename);
	size_t n = file ? strlen(file) : 0, m = strlen(with);

	PyErr_Clear();
	return n >= m && !strcmp(file + n - m, with);
}

/* Is this thread inside Dynamo's cache?  Dynamo releases the GIL there: for the lock of a guard tree, in guards
   written in Python, and while it compiles.  A lookup has no frame of its own, and the cache owns the code that runs;
   so any frame of a compiled region in another thread counts. */
static enum busy busy_under(PyFrameObject *top, bool self)
{
	PyFrameObject *f, *back;
	enum busy found = IDLE;
	bool region = false;
	PyCodeObject *co;

	for (f = (PyFrameObject *)Py_NewRef(top); f; f = back) {
		co = PyFrame_GetCode(f);
		region |= file_ends(co, "_dynamo/eval_frame.py");
		if (file_ends(co, "_dynamo/convert_frame.py"))
			found = COMPILES;
		else if (found == IDLE && (file_ends(co, "_dynamo/guards.py") || file_ends(co, EDIT_CONDITION)))
			found = LOOKS_UP;
		Py_DECREF(co);
		back = PyFrame_GetBack(f);
		Py_DECREF(f);
	}
	return found == IDLE && !self && region ? LOOKS_UP : found;
}

static PyObject *frames_now(void)
{
	PyObject *sys = PyImport_ImportModuleLevel("sys", NULL, NULL, NULL, 0), *all;

	all = sys ? PyObject_CallMethod(sys, "_current_frames", NULL) : NULL;

	PyErr_Clear();
	Py_XDECREF(sys);
	return all;
}

static enum busy anyone_busy(void)
{
	PyObject *all = frames_now(), *key, *f;
	unsigned long self = PyThread_get_thread_ident();
	enum busy found = IDLE, b;
	Py_ssize_t pos = 0;

	while (all && PyDict_Next(all, &pos, &key, &f)) {
		b = busy_under((PyFrameObject *)f, PyLong_AsUnsignedLong(key) == self);
		/* This thread may be stopped inside the compile of another function: see exclusive_compiles(). */
		if (PyLong_AsUnsignedLong(key) == self && (compiling_top() || b == COMPILES))
			b = IDLE;
		found = b > found ? b : found;
	}
	PyErr_Clear();
	Py_XDECREF(all);
	return found;
}

bool exclusive_runs_now(PyCodeObject *co)
{
	PyObject *all = co ? frames_now() : NULL, *key, *f;
	PyFrameObject *at, *back;
	PyCodeObject *code;
	Py_ssize_t pos = 0;
	bool yes = false;

	while (all && PyDict_Next(all, &pos, &key, &f))
		for (at = (PyFrameObject *)Py_NewRef(f); at; at = back) {
			code = PyFrame_GetCode(at);
			yes |= code == co;
			Py_DECREF(code);
			back = PyFrame_GetBack(at);
			Py_DECREF(at);
		}
	Py_XDECREF(all);
	return yes;
}

bool exclusive_compiles(PyCodeObject *co)
{
	struct compiling *c;

	for (c = compiling_top(); c; c = c->next)
		if (c->func && c->func->co == co)
			return true;
	return false;
}

static void pause_ms(long ms)
{
	const struct timespec t = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000 };

	Py_BEGIN_ALLOW_THREADS
	nanosleep(&t, NULL);
	Py_END_ALLOW_THREADS
}

/* Sets the time in seconds after which a waiting thread requests the GIL, unless it is negative.  Returns the
   old time. */
static double switch_interval(double to)
{
	PyObject *sys = PyImport_ImportModuleLevel("sys", NULL, NULL, NULL, 0), *old;
	double was;

	old = sys ? PyObject_CallMethod(sys, "getswitchinterval", NULL) : NULL;
	was = old ? PyFloat_AsDouble(old) : -1;
	if (sys && to > 0)
		Py_XDECREF(PyObject_CallMethod(sys, "setswitchinterval", "d", to));
	PyErr_Clear();
	Py_XDECREF(old);
	Py_XDECREF(sys);
	return was;
}

static bool other_threads(void)
{
	PyObject *all = frames_now();
	bool others = all && PyDict_GET_SIZE(all) > 1;

	Py_XDECREF(all);
	return others;
}

/* Any new frame releases the GIL if another thread has requested it, and a thread requests it after it has waited
   for the switch interval.  So this makes the interval longer than the function takes, waits for the old interval to
   pass, and takes the GIL again before it examines the other threads: from then on the GIL is not released. */
int exclusive_run(PyCodeObject *co, void (*run)(void *arg), void *arg, struct err *err)
{
	const double enough = 0.05;
	bool others = other_threads();
	double interval = others ? switch_interval(-1) : enough;
	enum busy busy = IDLE;
	int i, ret = 0, collects;

	if (exclusive_compiles(co))
		return err_set(err, "Dynamo is compiling this function: 'stepi' goes to its compiled code, where that "
				    "works");
	if (interval < enough) {
		switch_interval(enough);
		pause_ms((long)(interval * 1e3) + 1);
	}
	for (i = 0; i < (others ? 2000 : 1) && (i == 0 || busy != IDLE); i++) {
		if (others)
			pause_ms(1);
		busy = anyone_busy();
	}
	if (busy != IDLE)
		ret = err_set(err, busy == COMPILES ?
					   "another thread is compiling: edit when it has finished" :
					   "another thread is running compiled code: edit when it has left that");
	if (ret == 0) {
		collects = PyGC_Disable();
		run(arg);
		if (collects)
			PyGC_Enable();
	}
	if (interval < enough)
		switch_interval(interval);
	return ret;
}
