/* SPDX-License-Identifier: BSD-3-Clause */
/* The bracket of commands that run or compile something in the program's process: see dynamo_edit.h.  Knows no command.
   */
#include "edit/dynamo_edit.h"
#include "torch/py_text.h"
#include <string.h>
#include <time.h>

enum { WAIT_MS = 5, WAIT_MOST = 60 }; /* between two looks; seconds */

/* What a thread is in that others must not be stopped in: it has state of the process changed, or has a lock that the
   command needs. */
enum inside { NOWHERE, A_LIBRARY, A_COMPILE };

static int depth;
static bool held;
static PyObject *locked; /* owned: Dynamo's lock, taken; or NULL */

static bool file_is(const char *s, const char *end)
{
	size_t n = strlen(s), m = strlen(end);

	return n >= m && !strcmp(s + n - m, end);
}

static bool one_of(const char *file, const char *const *list)
{
	for (; *list; list++)
		if (file_is(file, *list))
			return true;
	return false;
}

/* Torch's compilers patch modules of the process while they run, whatever calls them. */
static enum inside frame_inside(const char *file, bool innermost)
{
	static const char *const compiles[] = { "torch/_dynamo/convert_frame.py",
						"torch/_inductor/compile_fx.py",
						"torch/_functorch/_aot_autograd/graph_compile.py",
						"torch/_functorch/aot_autograd.py",
						"torch/fx/_symbolic_trace.py",
						"torch/fx/experimental/proxy_tensor.py",
						"torch/_export/__init__.py",
						"torch/onnx/_internal/exporter/_core.py",
						NULL };
	static const char *const locks[] = { "<frozen importlib._bootstrap>", "<frozen importlib._bootstrap_external>",
					     "/logging/__init__.py", NULL };

	if (one_of(file, compiles))
		return A_COMPILE;
	return innermost && one_of(file, locks) ? A_LIBRARY : NOWHERE;
}

/* A module whose body is the program is imported as long as the program runs: outside of its frames nothing is waited
   for. */
static enum inside thread_inside(PyFrameObject *top)
{
	PyFrameObject *f, *back;
	bool innermost = true;
	enum inside found = NOWHERE, in;
	PyCodeObject *co;
	const char *file;

	for (f = (PyFrameObject *)Py_NewRef(top); f; f = back) {
		co = PyFrame_GetCode(f);
		file = py_text_utf8(co->co_filename);
		in = file ? frame_inside(file, innermost) : NOWHERE;
		found = in > found ? in : found;
		innermost = innermost && !(file && host->files.is_user(file));
		Py_DECREF(co);
		back = PyFrame_GetBack(f);
		Py_DECREF(f);
	}
	PyErr_Clear();
	return found;
}

/* What another thread is in; *waits: until this stop ends.  All in C: the GIL is not released. */
static enum inside others_inside(bool *others, bool *waits)
{
	PyObject *sys = PyImport_ImportModule("sys"), *all, *key, *f;
	unsigned long self = PyThread_get_thread_ident(), ident;
	enum inside found = NOWHERE, in;
	Py_ssize_t pos = 0;

	all = sys ? PyObject_CallMethod(sys, "_current_frames", NULL) : NULL;
	*others = *waits = false;
	while (all && PyDict_Next(all, &pos, &key, &f)) {
		ident = PyLong_AsUnsignedLong(key);
		if (ident == self || !PyFrame_Check(f))
			continue;
		*others = true;
		in = thread_inside((PyFrameObject *)f);
		*waits |= in != NOWHERE && host->stops.waits(ident);
		found = in > found ? in : found;
	}
	PyErr_Clear();
	Py_XDECREF(all);
	Py_XDECREF(sys);
	return found;
}

/* Dynamo's lock, taken if it is free or this thread has it; NULL: another thread has it, *absent: or there is none. */
static PyObject *take_lock(bool *absent)
{
	PyObject *modules = PyImport_GetModuleDict(), *lock, *r;
	PyObject *m = PyDict_GetItemString(modules, "torch._dynamo.convert_frame"); /* borrowed */
	bool taken;

	lock = m ? PyObject_GetAttrString(m, "compile_lock") : NULL;
	*absent = !lock;
	r = lock ? PyObject_CallMethod(lock, "acquire", "O", Py_False) : NULL;
	taken = r == Py_True;
	PyErr_Clear();
	Py_XDECREF(r);
	if (taken)
		return lock;
	Py_XDECREF(lock);
	return NULL;
}

static void drop_lock(void)
{
	PyObject *lock = locked, *r;

	locked = NULL;
	r = lock ? PyObject_CallMethod(lock, "release", NULL) : NULL;
	PyErr_Clear();
	Py_XDECREF(r);
	Py_XDECREF(lock);
}

static void pause_here(void)
{
	const struct timespec t = { .tv_nsec = WAIT_MS * 1000000 };

	Py_BEGIN_ALLOW_THREADS
	nanosleep(&t, NULL);
	Py_END_ALLOW_THREADS
}

static int refuse(enum inside in, bool waits, struct err *err)
{
	const char *does = in == A_LIBRARY ? "imports or logs something" : "compiles";

	if (waits)
		return err_set(err,
			       "nothing was run: another thread %s and waits to stop, which it does when this stop "
			       "ends; 'continue' to its stop, and try there",
			       does);
	return err_set(err,
		       "nothing was run: for %d s another thread %s, which cannot be held in the middle of that; "
		       "'continue', and try when it has finished",
		       WAIT_MOST, does);
}

static bool was_interrupted(struct err *err)
{
	if (PyErr_CheckSignals() == 0 && !host->stops.interrupted())
		return false;
	PyErr_Clear();
	err_set(err, "interrupted: nothing was run");
	return true;
}

/* No other thread runs between the look at the others and the hold: both are C and keep the GIL. */
static int hold_others(struct err *err)
{
	bool others, waits, absent;
	enum inside in = NOWHERE;
	int i;

	for (i = 0; i < WAIT_MOST * 1000 / WAIT_MS; i++) {
		locked = take_lock(&absent);
		in = others_inside(&others, &waits);
		if (in == NOWHERE && !locked && !absent) /* between two frames of its compile */
			in = A_COMPILE;
		if (in == NOWHERE || !others) {
			held = others && host->stops.hold(err) >= 0;
			if (held || !others)
				return 0;
			drop_lock();
			return -1;
		}
		drop_lock();
		if (waits || was_interrupted(err))
			return waits ? refuse(in, true, err) : -1;
		pause_here();
	}
	return refuse(in, false, err);
}

int aside_begin(struct err *err)
{
	if (depth == 0 && hold_others(err) < 0)
		return -1;
	depth++;
	return 0;
}

void aside_end(void)
{
	PyObject *type, *value, *tb;

	if (--depth)
		return;
	PyErr_Fetch(&type, &value, &tb);
	if (held && !host->stops.release())
		host->talk.say(
			"the program's other threads ran while the command did, which waited for one of them or was "
			"interrupted");
	held = false;
	drop_lock();
	PyErr_Restore(type, value, tb);
}
