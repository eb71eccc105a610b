/* SPDX-License-Identifier: BSD-3-Clause */
/* Ctrl-C: our handler stands below the program's own, which signal.getsignal() goes on showing.  A signal that the
   program sends itself is the program's; its other handlers wait while it is stopped.  Knows no prompt. */
#include <Python.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>
#include "base/err.h"
#include "base/signame.h"
#include "py/hook/hook_impl.h"
#include "py/interp/main_thread.h"
#include "py/value/value.h"

static bool in;
static PyObject *user;                       /* the program's handler as signal.signal() takes it; owned */
static PyObject *ours, *other;               /* builtin functions, for SIGINT and for the others; owned */
static PyObject *signal_func, *getsignal_func;       /* _signal's own; owned */
static PyCFunction signal_c, getsignal_c;    /* ... and their C functions */
static struct sigaction python_action;
static volatile sig_atomic_t from_program;   /* a SIGINT that the program sent: its handler has not run for it */
static volatile sig_atomic_t waits;          /* a SIGINT that is not the program's: ours has not run for it */
static volatile sig_atomic_t again;          /* such a signal came since ours ran last */
static volatile sig_atomic_t requested;      /* ... and hook_interrupt() sent it */
static const char asked, poked;              /* their addresses come with signals of ours */
static pthread_t main_thread;
static atomic_int wanted;                    /* hook_interrupt() before our handlers were in */

static bool wants_in;                        /* only the main thread may put our handlers in, and take them out */
static struct py_thread *main_ts;            /* compared only */

/* Python runs a handler where Python code runs next.  In a stop that is what the user evaluates, or a condition, which
   would end in the program's exception: so it waits until the main thread goes on. */
static struct {
	PyObject *user;                      /* the program's handler, or SIG_DFL; owned; NULL: ours is not in */
	bool watched;                        /* the sink is asked first */
	bool late;                           /* came in a stop */
	bool now;                            /* set in this stop by what is evaluated: does not wait */
} others[NSIG];
static bool any;                             /* one of them is late or now */

/* Runs as a signal handler: notes who sent it, then does what Python's own does. */
static void on_signal(int sig, siginfo_t *info, void *context)
{
	const void *what = info->si_code == SI_QUEUE && info->si_pid == getpid() ? info->si_value.sival_ptr : NULL;
	int e = errno;

	if (what == &poked && !waits)
		return;
	if (what == &asked || what == &poked)        /* one that is pending already swallows the other */
		waits = again = requested = 1;
	else if ((info->si_code == SI_USER || info->si_code == SI_TKILL || info->si_code == SI_QUEUE) &&
		 info->si_pid == getpid())
		from_program = 1;
	else
		waits = again = 1;
	if (waits)
		turns_signal();
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

typedef PyObject *(*fastcall)(PyObject *, PyObject *const *, Py_ssize_t);

/* CPython's own signal.signal(), whatever stands above it. */
static PyObject *set_c(PyObject *module, PyObject *sig, PyObject *handler)
{
	PyObject *args[2] = { sig, handler };

	return ((fastcall)(void (*)(void))signal_c)(module, args, 2);
}

static PyObject *set_handler(PyObject *handler)
{
	PyObject *sig = PyLong_FromLong(SIGINT), *r;

	r = sig ? set_c(PyCFunction_GET_SELF(signal_func), sig, handler) : NULL;
	Py_XDECREF(sig);
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
	bool decided = requested || !others[SIGINT].watched;         /* by handle, else */
	bool mine = waits && hook_sink, its = from_program || (!mine && !(again && hook_sink));

	/* Python runs the handler once for two signals that come together, and both count.  It may run again for a
	   signal of ours that came while it ran for another one; what comes without a signal, by interrupt_main(),
	   is the program's. */
	(void)self;
	waits = again = requested = 0;
	from_program = 0;
	if (mine && t->in_stop) {            /* it ends what is evaluated, at the prompt or for a condition */
		if (its) {
			from_program = 1;
			PyErr_SetInterruptEx(SIGINT);
		}
		t->broken = true;
		PyErr_SetNone(PyExc_KeyboardInterrupt);
		return NULL;
	}
	if (frame && !PyFrame_Check(frame))
		frame = NULL;
	if (mine && decided)
		hook_sink->interrupt(t, (struct py_frame *)frame);
	else if (mine && hook_sink->signal(t, (struct py_frame *)frame, SIGINT))
		its = true;
	if (its)
		return to_program(args, n);
	Py_RETURN_NONE;
}

static bool is_default(PyObject *handler)
{
	return PyLong_Check(handler) && PyLong_AsLong(handler) == (long)(intptr_t)SIG_DFL;
}

/* What the signal would have done had ours not been in.  Most end the process here. */
static void do_default(int sig, PyObject *number)
{
	PyObject *module = PyCFunction_GET_SELF(signal_func), *r;

	if (sig == SIGCHLD || sig == SIGURG || sig == SIGWINCH || sig == SIGCONT)
		return;
	r = set_c(module, number, others[sig].user);
	Py_XDECREF(r);
	if (r)
		raise(sig);
	r = r ? set_c(module, number, other) : NULL;
	Py_XDECREF(r);
	PyErr_Clear();
}

/* A signal came while ours was in; now that it is out, what the program has for it. */
static PyObject *pass_on(int sig, PyObject *const *args, Py_ssize_t n)
{
	PyObject *handler = getsignal_c(PyCFunction_GET_SELF(signal_func), args[0]), *r = NULL;

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
static PyObject *on_other(PyObject *self, PyObject *const *args, Py_ssize_t n)
{
	long sig = n == 2 ? PyLong_AsLong(args[0]) : 0;
	PyObject *frame = n == 2 && PyFrame_Check(args[1]) ? args[1] : NULL, *handler, *r;
	struct hook_thread *t;

	(void)self;
	if (sig <= 0 || sig >= NSIG || !others[sig].user) {
		PyErr_Clear();
		Py_RETURN_NONE;
	}
	t = hook_sink ? hook_thread_self() : NULL;
	if (t && t->in_stop && !others[sig].now) {
		others[sig].late = any = true;
		Py_RETURN_NONE;
	}
	if (t && !t->in_stop && others[sig].watched && !hook_sink->signal(t, (struct py_frame *)frame, (int)sig))
		Py_RETURN_NONE;
	if (!others[sig].user)               /* the stop ended the session, and the program's own handler is in again */
		return pass_on((int)sig, args, n);
	if (!PyCallable_Check(others[sig].user)) {
		do_default((int)sig, args[0]);
		Py_RETURN_NONE;
	}
	handler = Py_NewRef(others[sig].user);
	r = PyObject_Vectorcall(handler, args, (size_t)n, NULL);
	Py_DECREF(handler);
	return r;
}

void hook_signals_let(void)
{
	int sig;

	if (!any || !pthread_equal(main_thread, pthread_self()))
		return;
	any = false;
	for (sig = 1; sig < NSIG; sig++) {
		others[sig].now = false;
		if (others[sig].late)
			PyErr_SetInterruptEx(sig);
		others[sig].late = false;
	}
}

static PyMethodDef other_def = {
	"cdbg_signal", (PyCFunction)(void (*)(void))on_other, METH_FASTCALL, "a signal waits while the program stands"
};

static PyMethodDef ours_def = {
	"cdbg_interrupt", (PyCFunction)(void (*)(void))on_sigint, METH_FASTCALL, "Ctrl-C stops the program"
};

/* Has just been set: ours takes its place where it is Python code.  A new reference to what the program had. */
static PyObject *keep_other(PyObject *module, PyObject *number, PyObject *handler, PyObject *had)
{
	long sig = PyLong_AsLong(number);
	PyObject *before = others[sig].user, *r;

	others[sig].user = NULL;
	if (PyCallable_Check(handler) || (others[sig].watched && is_default(handler))) {
		r = set_c(module, number, other);
		if (r)
			others[sig].user = Py_NewRef(handler);
		else
			PyErr_Clear();
		Py_XDECREF(r);
		others[sig].now = hook_thread_self()->in_stop != 0;
		any = any || others[sig].now;
	}
	if (!before)
		return had;
	Py_DECREF(had);
	return before;
}

/* signal.signal(): the handler is kept as the program's, ours goes on. */
static PyObject *signal_ours(PyObject *module, PyObject *const *args, Py_ssize_t n)
{
	PyObject *r, *before;

	r = ((fastcall)(void (*)(void))signal_c)(module, args, n);     /* checks the arguments and the thread */
	if (!r || n != 2 || !PyLong_Check(args[0]))
		return r;
	if (PyLong_AsLong(args[0]) != SIGINT)
		return keep_other(module, args[0], args[1], r);
	Py_DECREF(r);
	before = user;
	Py_INCREF(args[1]);
	user = args[1];
	r = set_c(module, args[0], ours);
	chain();
	Py_XDECREF(r);
	if (!r)
		PyErr_Clear();
	return before ? before : Py_NewRef(Py_None);
}

static PyObject *getsignal_ours(PyObject *module, PyObject *arg)
{
	long sig = PyLong_Check(arg) ? PyLong_AsLong(arg) : 0;

	if (sig == SIGINT)
		return Py_NewRef(user ? user : Py_None);
	if (sig > 0 && sig < NSIG && others[sig].user)
		return Py_NewRef(others[sig].user);
	PyErr_Clear();
	return getsignal_c(module, arg);
}

/* Ours in the place of all other handlers that are Python code, and away again. */
static void exchange_others(bool ours_go_in)
{
	PyObject *module = PyCFunction_GET_SELF(signal_func), *number, *handler, *r;
	int sig;

	for (sig = 1; sig < NSIG; sig++) {
		number = sig == SIGINT ? NULL : PyLong_FromLong(sig);
		handler = !number ? NULL : ours_go_in ? getsignal_c(module, number) : Py_XNewRef(others[sig].user);
		r = NULL;
		if (handler && ours_go_in)
			r = keep_other(module, number, handler, Py_NewRef(Py_None));
		else if (handler && (r = set_c(module, number, handler)))
			Py_CLEAR(others[sig].user);
		PyErr_Clear();
		Py_XDECREF(r);
		Py_XDECREF(handler);
		Py_XDECREF(number);
	}
}

/* In the main thread: ours goes in where the default action is watched, and out where it is no longer. */
static void apply_watch(void)
{
	PyObject *module = PyCFunction_GET_SELF(signal_func), *number, *handler, *r;
	int sig;

	for (sig = 1; sig < NSIG; sig++) {
		if (sig == SIGINT || others[sig].watched == (others[sig].user != NULL) ||
		    (others[sig].user && PyCallable_Check(others[sig].user)))
			continue;
		number = PyLong_FromLong(sig);
		handler = others[sig].watched ? getsignal_c(module, number) : others[sig].user;
		r = handler && is_default(handler)
		    ? set_c(module, number, others[sig].watched ? other : handler) : NULL;
		if (!others[sig].watched)
			others[sig].user = NULL;
		else if (r)
			others[sig].user = Py_NewRef(handler);
		PyErr_Clear();
		Py_XDECREF(r);
		Py_XDECREF(handler);
		Py_XDECREF(number);
	}
}

static PyMethodDef *method(PyObject *f, int flags)
{
	PyMethodDef *def = f && PyCFunction_Check(f) ? ((PyCFunctionObject *)f)->m_ml : NULL;

	return def && (def->ml_flags & ~METH_STATIC) == flags ? def : NULL;
}

static int find_functions(struct err *err)
{
	PyObject *module;
	PyMethodDef *set = NULL, *get = NULL;

	if (signal_func)
		return 0;
	module = PyImport_ImportModule("_signal");
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
	other = PyCFunction_New(&other_def, NULL);
	return ours && other ? 0 : err_from_python(err, "cannot watch for Ctrl-C");
}

/* In the main thread. */
static int put_in(struct err *err)
{
	PyMethodDef *set = method(signal_func, METH_FASTCALL), *get = method(getsignal_func, METH_O);
	PyObject *r;

	if (in)
		return 0;
	signal_c = set->ml_meth;
	getsignal_c = get->ml_meth;
	r = set_handler(ours);               /* returns what the program had */
	if (!r)
		return err_from_python(err, "cannot watch for Ctrl-C");
	user = r;
	main_thread = pthread_self();
	main_ts = (struct py_thread *)PyThreadState_Get();
	chain();
	exchange_others(true);
	set->ml_meth = (PyCFunction)(void (*)(void))signal_ours;
	get->ml_meth = getsignal_ours;
	in = true;
	apply_watch();
	return 0;
}

/* In the main thread. */
static void take_out(void)
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
	exchange_others(false);
	in = false;
	PyErr_Restore(type, value, tb);
}

/* ---- start and stop, from any thread --------------------------------------------------------------------------- */

static void start_in_main(void)
{
	struct err err;

	if (wants_in && hook_sink && put_in(&err) == 0 && atomic_exchange(&wanted, 0))
		hook_interrupt();
}

static void stop_in_main(void)
{
	if (!wants_in)
		take_out();
}

static void watch_in_main(void)
{
	if (in && hook_sink)
		apply_watch();
}

/* What follows a start in another thread is mostly a stop, in which the main thread does not run: so it waits. */
int hook_signals_start(struct err *err)
{
	if (find_functions(err) < 0)
		return -1;
	wants_in = true;
	if (main_thread_here())
		return put_in(err);
	return main_thread_do(start_in_main, true) == 0 ? 0 :
	       err_set(err, "cannot watch for Ctrl-C: the main thread takes no more calls");
}

/* Until the main thread has taken them out the handlers pass everything on to the program's. */
void hook_signals_stop(void)
{
	int sig;

	for (sig = 1; sig < NSIG; sig++)
		others[sig].watched = false;
	wants_in = false;
	if (in && main_thread_here())
		take_out();
	else if (in)
		main_thread_do(stop_in_main, true);
}

void hook_signals_watch(const bool *want)
{
	int sig;

	for (sig = 1; sig < SIGNALS && sig < NSIG; sig++)
		others[sig].watched = want[sig];
	if (main_thread_here())
		watch_in_main();
	else if (in)
		main_thread_do(watch_in_main, false);
}

void hook_signals_forked(void)
{
	main_thread = pthread_self();
	main_ts = (struct py_thread *)PyThreadState_Get();
}

void hook_interrupt(void)
{
	if (!in) {
		atomic_store(&wanted, 1);    /* start_in_main() looks at it */
		return;
	}
	waits = 1;                           /* the helper thread looks before the signal has come */
	pthread_sigqueue(main_thread, SIGINT, (union sigval){ .sival_ptr = (void *)(uintptr_t)&asked });
	turns_wake();
}

/* A signal that comes just before the main thread waits for a lock does not end the wait. */
void hook_interrupt_poke(void)
{
	if (in)
		pthread_sigqueue(main_thread, SIGINT, (union sigval){ .sival_ptr = (void *)(uintptr_t)&poked });
}

struct py_thread *hook_interrupt_waits(void)
{
	return in && waits ? main_ts : NULL;
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
