/* SPDX-License-Identifier: BSD-3-Clause */
/* Ctrl-C: our handler stands below the program's own, which signal.getsignal() goes on showing.  A signal that the
   program sends itself is the program's.  Knows no prompt. */
#include <Python.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>
#include "base/err.h"
#include "py/hook_impl.h"
#include "py/value.h"

static bool in;
static PyObject *user;                       /* the program's handler as signal.signal() takes it; owned */
static PyObject *ours;                       /* builtin function; owned */
static PyObject *signal_func, *getsignal_func;       /* _signal's own; owned */
static PyCFunction signal_c, getsignal_c;    /* ... and their C functions */
static struct sigaction python_action;
static volatile sig_atomic_t from_program;   /* the last SIGINT was the program's own doing */
static volatile sig_atomic_t waits;          /* a SIGINT that is not the program's: ours has not run for it */
static atomic_int asked;                     /* hook_interrupt() sent it */
static pthread_t main_thread;

/* Runs as a signal handler: notes who sent it, then does what Python's own does. */
static void on_signal(int sig, siginfo_t *info, void *context)
{
	int e = errno;

	if (asked)
		asked = 0;
	else
		from_program = (info->si_code == SI_USER || info->si_code == SI_TKILL || info->si_code == SI_QUEUE) &&
			       info->si_pid == getpid();
	if (!from_program)
		waits = 1;
	errno = e;
	if (python_action.sa_flags & SA_SIGINFO)
		python_action.sa_sigaction(sig, info, context);
	else
		python_action.sa_handler(sig);
}

/* Python has just installed its C handler: ours goes above it. */
static void chain(void)
{
	struct sigaction now;

	if (sigaction(SIGINT, NULL, &now) < 0)
		return;
	if ((now.sa_flags & SA_SIGINFO) && now.sa_sigaction == on_signal)
		return;
	if (!(now.sa_flags & SA_SIGINFO) && (now.sa_handler == SIG_DFL || now.sa_handler == SIG_IGN))
		return;
	python_action = now;
	now.sa_sigaction = on_signal;
	now.sa_flags |= SA_SIGINFO;
	sigaction(SIGINT, &now, NULL);
}

static PyObject *set_handler(PyObject *handler)
{
	PyObject *args[2] = { PyLong_FromLong(SIGINT), handler }, *r;

	r = args[0] ? PyObject_Vectorcall(signal_func, args, 2, NULL) : NULL;
	Py_XDECREF(args[0]);
	return r;
}

/* The program's own SIGINT: what its handler would have done. */
static PyObject *to_program(PyObject *const *args, Py_ssize_t n)
{
	long special;
	PyObject *r;

	if (!user || user == Py_None)
		Py_RETURN_NONE;
	if (PyCallable_Check(user))
		return PyObject_Vectorcall(user, args, (size_t)n, NULL);
	special = PyLong_AsLong(user);
	if (special == (long)(intptr_t)SIG_DFL && !PyErr_Occurred()) {
		((PyCFunctionObject *)signal_func)->m_ml->ml_meth = signal_c;
		r = set_handler(user);
		Py_XDECREF(r);
		raise(SIGINT);
	}
	PyErr_Clear();
	Py_RETURN_NONE;
}

static PyObject *on_sigint(PyObject *self, PyObject *const *args, Py_ssize_t n)
{
	struct hook_thread *t = hook_thread_self();
	PyObject *frame = n == 2 ? args[1] : NULL;

	(void)self;
	waits = 0;
	if (from_program || !hook_sink) {
		from_program = 0;
		return to_program(args, n);
	}
	if (t->in_stop) {                    /* it ends what is evaluated, at the prompt or for a condition */
		t->broken = true;
		PyErr_SetNone(PyExc_KeyboardInterrupt);
		return NULL;
	}
	hook_sink->interrupt(t, (struct py_frame *)(frame && PyFrame_Check(frame) ? frame : NULL));
	Py_RETURN_NONE;
}

static PyMethodDef ours_def = {
	"cdbg_interrupt", (PyCFunction)(void (*)(void))on_sigint, METH_FASTCALL, "Ctrl-C stops the program"
};

typedef PyObject *(*fastcall)(PyObject *, PyObject *const *, Py_ssize_t);

/* signal.signal(): SIGINT's handler is kept as the program's, ours goes on. */
static PyObject *signal_ours(PyObject *module, PyObject *const *args, Py_ssize_t n)
{
	fastcall original = (fastcall)(void (*)(void))signal_c;
	PyObject *with[2], *r, *before;

	r = original(module, args, n);       /* checks the arguments and the thread */
	if (!r || n != 2 || !PyLong_Check(args[0]) || PyLong_AsLong(args[0]) != SIGINT)
		return r;
	Py_DECREF(r);
	before = user;
	Py_INCREF(args[1]);
	user = args[1];
	with[0] = args[0];
	with[1] = ours;
	r = original(module, with, 2);
	chain();
	Py_XDECREF(r);
	if (!r)
		PyErr_Clear();
	return before ? before : Py_NewRef(Py_None);
}

static PyObject *getsignal_ours(PyObject *module, PyObject *arg)
{
	if (PyLong_Check(arg) && PyLong_AsLong(arg) == SIGINT)
		return Py_NewRef(user ? user : Py_None);
	return getsignal_c(module, arg);
}

static PyMethodDef *method(PyObject *f, int flags)
{
	PyMethodDef *def = f && PyCFunction_Check(f) ? ((PyCFunctionObject *)f)->m_ml : NULL;

	return def && (def->ml_flags & ~METH_STATIC) == flags ? def : NULL;
}

int hook_sigint_start(struct err *err)
{
	PyObject *module = PyImport_ImportModule("_signal");
	PyMethodDef *set = NULL, *get = NULL;
	PyObject *r;

	if (in)
		return 0;
	if (module) {
		signal_func = PyObject_GetAttrString(module, "signal");
		getsignal_func = PyObject_GetAttrString(module, "getsignal");
		set = method(signal_func, METH_FASTCALL);
		get = method(getsignal_func, METH_O);
	}
	Py_XDECREF(module);
	if (!set || !get) {
		PyErr_Clear();
		return err_set(err, "cannot watch for Ctrl-C: _signal.signal is not what it is on this CPython");
	}
	ours = PyCFunction_New(&ours_def, NULL);
	r = ours ? set_handler(ours) : NULL;         /* returns what the program had */
	if (!r)
		return err_from_python(err, "cannot watch for Ctrl-C");
	user = r;
	main_thread = pthread_self();
	chain();
	signal_c = set->ml_meth;
	getsignal_c = get->ml_meth;
	set->ml_meth = (PyCFunction)(void (*)(void))signal_ours;
	get->ml_meth = getsignal_ours;
	in = true;
	return 0;
}

/* Where this is not the main thread the handler stays and passes everything on to the program's. */
void hook_sigint_stop(void)
{
	PyObject *type, *value, *tb, *r;

	if (!in)
		return;
	PyErr_Fetch(&type, &value, &tb);
	method(signal_func, METH_FASTCALL)->ml_meth = signal_c;
	method(getsignal_func, METH_O)->ml_meth = getsignal_c;
	r = user && user != Py_None ? set_handler(user) : NULL;
	if (!r)
		PyErr_Clear();
	Py_XDECREF(r);
	in = false;
	PyErr_Restore(type, value, tb);
}

void hook_interrupt(void)
{
	if (!in)
		return;
	asked = 1;
	pthread_kill(main_thread, SIGINT);   /* also breaks a sleep, which setting Python's flag does not */
}

bool hook_interrupt_taken(void)
{
	if (!in || !waits || !pthread_equal(main_thread, pthread_self()))
		return false;
	if (PyErr_CheckSignals() < 0)        /* ours raises, for an evaluation that has ended */
		PyErr_Clear();
	hook_thread_self()->broken = false;
	return !waits;
}

bool hook_interrupt_again(struct hook_thread *t)
{
	bool was = t->broken;

	t->broken = false;
	if (was)
		hook_interrupt();
	return was;
}
