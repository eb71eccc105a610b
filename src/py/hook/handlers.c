/* SPDX-License-Identifier: BSD-3-Clause */
/* Python handlers of all signals but SIGINT: they wait while the program is stopped, and the sink decides first
   about those that are watched.  Knows no prompt. */
#include <Python.h>
#include <signal.h>
#include "base/err.h"
#include "py/hook/handlers.h"
#include "py/hook/hook_impl.h"
#include "py/hook/signal_method.h"
#include "py/interp/main_thread.h"
#include "py/value/value.h"

/* Python runs a handler where Python code runs next.  In a stop that would be code that the user evaluates, or a
   condition, and the program's exception would end there: so the handler waits until the main thread continues. */
static struct {
	PyObject *user; /* the program's handler, or SIG_DFL; owned; NULL: ours is not installed */
	bool watched;	/* the sink is asked first */
	bool late;	/* came in a stop */
	bool now;	/* set in this stop by evaluated code: it does not wait */
} handlers[NSIG];
static bool any;       /* one of them is late or now */
static PyObject *ours; /* a builtin function; owned */

static bool is_default(PyObject *handler)
{
	return PyLong_Check(handler) && PyLong_AsLong(handler) == (long)(intptr_t)SIG_DFL;
}

/* Does what the signal would have done without our handler. Most end the process here. */
static void do_default(int sig, PyObject *number)
{
	PyObject *r;

	if (sig == SIGCHLD || sig == SIGURG || sig == SIGWINCH || sig == SIGCONT)
		return;
	r = signal_method_set(number, handlers[sig].user);
	Py_XDECREF(r);
	if (r)
		raise(sig);
	r = r ? signal_method_set(number, ours) : NULL;
	Py_XDECREF(r);
	PyErr_Clear();
}

/* A signal came while our handler was installed; it is removed now, so runs the program's. */
static PyObject *pass_on(int sig, PyObject *const *args, Py_ssize_t n)
{
	PyObject *handler = signal_method_get(args[0]), *r = NULL;

	if (handler && PyCallable_Check(handler))
		r = PyObject_Vectorcall(handler, args, (size_t)n, NULL);
	else if (handler && is_default(handler))
		raise(sig);
	if (handler && !r && !PyErr_Occurred())
		r = Py_NewRef(Py_None);
	Py_XDECREF(handler);
	return r;
}

/* Any other signal whose handler is a Python callable, or that is watched. */
static PyObject *handler_called(PyObject *self, PyObject *const *args, Py_ssize_t n)
{
	long sig = n == 2 ? PyLong_AsLong(args[0]) : 0;
	PyObject *frame = n == 2 && PyFrame_Check(args[1]) ? args[1] : NULL, *handler, *r;
	struct hook_thread *t;

	(void)self;
	if (sig <= 0 || sig >= NSIG || !handlers[sig].user) {
		PyErr_Clear();
		Py_RETURN_NONE;
	}
	t = hook_sink ? hook_thread_self() : NULL;
	if (t && t->in_stop && !handlers[sig].now) {
		handlers[sig].late = any = true;
		Py_RETURN_NONE;
	}
	if (t && !t->in_stop && handlers[sig].watched && !hook_sink->signal(t, (struct py_frame *)frame, (int)sig))
		Py_RETURN_NONE;
	if (!handlers[sig].user) /* the stop ended the session: the program's own handler is installed again */
		return pass_on((int)sig, args, n);
	if (!PyCallable_Check(handlers[sig].user)) {
		do_default((int)sig, args[0]);
		Py_RETURN_NONE;
	}
	handler = Py_NewRef(handlers[sig].user);
	r = PyObject_Vectorcall(handler, args, (size_t)n, NULL);
	Py_DECREF(handler);
	return r;
}

void hook_signals_let(void)
{
	int sig;

	if (!any || !main_thread_here())
		return;
	any = false;
	for (sig = 1; sig < NSIG; sig++) {
		handlers[sig].now = false;
		if (handlers[sig].late)
			PyErr_SetInterruptEx(sig);
		handlers[sig].late = false;
	}
}

static PyMethodDef ours_def = { "cdbg_signal", (PyCFunction)(void (*)(void))handler_called, METH_FASTCALL,
				"a signal waits while the program is "
				"stopped" };

/* The program has just set this handler: replaces it by ours if it is Python code. Returns a new reference to the
   program's previous handler. */
PyObject *handler_kept(PyObject *number, PyObject *handler, PyObject *had)
{
	long sig = PyLong_AsLong(number);
	PyObject *before = handlers[sig].user, *r;

	handlers[sig].user = NULL;
	if (PyCallable_Check(handler) || (handlers[sig].watched && is_default(handler))) {
		r = signal_method_set(number, ours);
		if (r)
			handlers[sig].user = Py_NewRef(handler);
		else
			PyErr_Clear();
		Py_XDECREF(r);
		handlers[sig].now = hook_thread_self()->in_stop != 0;
		any = any || handlers[sig].now;
	}
	if (!before)
		return had;
	Py_DECREF(had);
	return before;
}

/* Installs our handler in place of all other handlers that are Python code, and removes it. */
void handlers_exchange(bool ours_go_in)
{
	PyObject *number, *handler, *r;
	int sig;

	for (sig = 1; sig < NSIG; sig++) {
		number = sig == SIGINT ? NULL : PyLong_FromLong(sig);
		handler = !number ? NULL : ours_go_in ? signal_method_get(number) : Py_XNewRef(handlers[sig].user);
		r = NULL;
		if (handler && ours_go_in)
			r = handler_kept(number, handler, Py_NewRef(Py_None));
		else if (handler && (r = signal_method_set(number, handler)))
			Py_CLEAR(handlers[sig].user);
		PyErr_Clear();
		Py_XDECREF(r);
		Py_XDECREF(handler);
		Py_XDECREF(number);
	}
}

/* In the main thread: installs our handler where the default action is watched, and removes it where it is not
   watched any more. */
void handlers_apply_watch(void)
{
	PyObject *number, *handler, *r;
	int sig;

	for (sig = 1; sig < NSIG; sig++) {
		if (sig == SIGINT || handlers[sig].watched == (handlers[sig].user != NULL) ||
		    (handlers[sig].user && PyCallable_Check(handlers[sig].user)))
			continue;
		number = PyLong_FromLong(sig);
		handler = handlers[sig].watched ? signal_method_get(number) : handlers[sig].user;
		r = handler && is_default(handler) ? signal_method_set(number, handlers[sig].watched ? ours : handler) :
						     NULL;
		if (!handlers[sig].watched)
			handlers[sig].user = NULL;
		else if (r)
			handlers[sig].user = Py_NewRef(handler);
		PyErr_Clear();
		Py_XDECREF(r);
		Py_XDECREF(handler);
		Py_XDECREF(number);
	}
}

int handlers_start(struct err *err)
{
	if (!ours)
		ours = PyCFunction_New(&ours_def, NULL);
	return ours ? 0 : err_from_python(err, "cannot watch signal handlers");
}

void handler_watch(int sig, bool watched)
{
	handlers[sig].watched = watched;
}

bool handler_watched(int sig)
{
	return handlers[sig].watched;
}

bool hook_signal_default(int sig)
{
	return handlers[sig].user && !PyCallable_Check(handlers[sig].user);
}

PyObject *handler_of_program(int sig)
{
	return handlers[sig].user;
}
