/* SPDX-License-Identifier: BSD-3-Clause */
/* Ctrl-C: our handler stands below the program's own, which signal.getsignal() goes on showing.  A signal that the
   program sends itself is the program's; its other handlers wait while it is stopped.  Knows no prompt. */
#include <Python.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>
#include "base/err.h"
#include "py/hook_impl.h"
#include "py/value.h"

static bool in;
static PyObject *user;                       /* the program's handler as signal.signal() takes it; owned */
static PyObject *ours, *other;               /* builtin functions, for SIGINT and for the others; owned */
static PyObject *signal_func, *getsignal_func;       /* _signal's own; owned */
static PyCFunction signal_c, getsignal_c;    /* ... and their C functions */
static struct sigaction python_action;
static volatile sig_atomic_t from_program;   /* a SIGINT that the program sent: its handler has not run for it */
static volatile sig_atomic_t waits;          /* a SIGINT that is not the program's: ours has not run for it */
static volatile sig_atomic_t again;          /* such a signal came since ours ran last */
static const char asked, poked;              /* their addresses come with signals of ours */
static pthread_t main_thread;
static atomic_int wanted;                    /* hook_interrupt() before our handlers were in */

/* Only the main thread may set handlers: what another one asks for waits for it. */
static enum { TASK_NONE, TASK_START, TASK_STOP } task;
static bool woken;                           /* no_news() handles SIGURG */
static struct py_thread *main_ts;            /* compared only */

/* Python runs a handler where Python code runs next.  In a stop that is what the user evaluates, or a condition, which
   would end in the program's exception: so it waits until the main thread goes on. */
static struct {
	PyObject *user;                      /* the program's handler, a callable; owned; NULL: ours is not in */
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
		waits = again = 1;
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
	bool mine = waits && hook_sink, its = from_program || (!mine && !(again && hook_sink));

	/* Python runs the handler once for two signals that come together, and both count.  It may run again for a
	   signal of ours that came while it ran for another one; what comes without a signal, by interrupt_main(),
	   is the program's. */
	(void)self;
	waits = again = 0;
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
	if (mine)
		hook_sink->interrupt(t, (struct py_frame *)(frame && PyFrame_Check(frame) ? frame : NULL));
	if (its)
		return to_program(args, n);
	Py_RETURN_NONE;
}

/* Any other signal whose handler is a Python callable. */
static PyObject *on_other(PyObject *self, PyObject *const *args, Py_ssize_t n)
{
	long sig = n == 2 ? PyLong_AsLong(args[0]) : 0;
	PyObject *handler, *r;

	(void)self;
	if (sig <= 0 || sig >= NSIG || !others[sig].user) {
		PyErr_Clear();
		Py_RETURN_NONE;
	}
	if (hook_sink && hook_thread_self()->in_stop && !others[sig].now) {
		others[sig].late = any = true;
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
	if (PyCallable_Check(handler)) {
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

/* ---- from another thread ------------------------------------------------------------------------------------ */

/* CPython's main thread began the interpreter: its thread state is the oldest, in a fork's child the only one. */
static pthread_t python_main_thread(void)
{
	PyThreadState *ts = PyInterpreterState_ThreadHead(PyInterpreterState_Main()), *next;

	while (ts && (next = PyThreadState_Next(ts)))
		ts = next;
	return ts ? (pthread_t)ts->thread_id : pthread_self();
}

static void no_news(int sig)
{
	(void)sig;
}

/*
 * A main thread that waits for a lock, as in join(), looks at pending calls when a signal interrupts it.  SIGURG is
 * ignored by default, so one that comes too late does no harm; a program that handles it itself is not disturbed.
 */
static void wake(pthread_t thread)
{
	struct sigaction now, ours_now = { .sa_handler = no_news };

	if (!woken) {
		if (sigaction(SIGURG, NULL, &now) < 0 || (now.sa_flags & SA_SIGINFO) || now.sa_handler != SIG_DFL)
			return;
		if (sigaction(SIGURG, &ours_now, NULL) < 0)
			return;
		woken = true;
	}
	pthread_kill(thread, SIGURG);
}

static void wake_over(void)
{
	struct sigaction now;

	if (woken && sigaction(SIGURG, NULL, &now) == 0 && !(now.sa_flags & SA_SIGINFO) && now.sa_handler == no_news)
		signal(SIGURG, SIG_DFL);
	woken = false;
}

/* A pending call: the main thread runs it between two of its instructions. */
static int run_task(void *unused)
{
	PyObject *type, *value, *tb;
	struct err err;

	(void)unused;
	wake_over();
	PyErr_Fetch(&type, &value, &tb);
	if (task == TASK_START && hook_sink && put_in(&err) == 0 && atomic_exchange(&wanted, 0))
		hook_interrupt();
	else if (task == TASK_STOP)
		take_out();
	task = TASK_NONE;
	PyErr_Restore(type, value, tb);
	return 0;
}

/* Wait a moment for it: what follows is mostly a stop, in which the main thread does not run. */
static void wait_for_task(void)
{
	struct timespec step = { .tv_nsec = 1000000 };
	int i;

	for (i = 0; i < 100 && task != TASK_NONE; i++) {
		Py_BEGIN_ALLOW_THREADS
		nanosleep(&step, NULL);
		Py_END_ALLOW_THREADS
	}
}

static int leave_to_main(int what, struct err *err)
{
	bool queued = task != TASK_NONE;

	task = what;
	if (!queued && Py_AddPendingCall(run_task, NULL) < 0) {
		task = TASK_NONE;
		return err_set(err, "cannot watch for Ctrl-C: the main thread takes no more calls");
	}
	wake(python_main_thread());
	wait_for_task();
	return 0;
}

int hook_signals_start(struct err *err)
{
	if (find_functions(err) < 0)
		return -1;
	if (pthread_equal(python_main_thread(), pthread_self()))
		return put_in(err);
	return leave_to_main(TASK_START, err);
}

/* Until the main thread has taken them out the handlers pass everything on to the program's. */
void hook_signals_stop(void)
{
	struct err err;

	if (task == TASK_START)
		task = TASK_NONE;
	if (in && pthread_equal(python_main_thread(), pthread_self()))
		take_out();
	else if (in)
		leave_to_main(TASK_STOP, &err);
}

void hook_interrupt(void)
{
	if (!in) {
		atomic_store(&wanted, 1);    /* run_task() looks at it */
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
