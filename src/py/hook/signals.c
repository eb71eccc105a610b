/* SPDX-License-Identifier: BSD-3-Clause */
/* Ctrl-C: cdbg's handler is below the program's own, which signal.getsignal() still shows.  A signal that the program
   sends itself is the program's.  Knows no prompt. */
#include <Python.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>
#include "base/err.h"
#include "base/signame.h"
#include "py/hook/handlers.h"
#include "py/hook/hook_impl.h"
#include "py/hook/signal_method.h"
#include "py/hook/gil_request.h"
#include "py/interp/main_thread.h"
#include "py/value/value.h"

static atomic_bool in; /* set last; hook_interrupt() may read it in another thread */
static PyObject *user; /* the program's handler as signal.signal() takes it; owned */
static PyObject *ours; /* a builtin function; owned */
static struct sigaction python_action;
/* Written by the signal handler in any thread and by hook_interrupt() in a front end's: lock-free atomics. */
static atomic_int from_program; /* a SIGINT that the program sent: its handler has not run for it */
static atomic_int outside;	/* a SIGINT from outside of the process came, and nobody has taken it */
static atomic_uint sent, taken; /* how many hook_interrupt() sent; how many of these somebody has taken */
static atomic_int visiting;	/* hook_visit() was called, and nobody has taken it */
static atomic_int senders;	/* threads that send the main thread a signal of cdbg's now */
static atomic_int passed;	/* Python has got one of both kinds, and ours has not run for it */
static const char asked, poked; /* their addresses come with signals that cdbg sends */
static pthread_t main_thread;
static atomic_int wanted, visit_wanted; /* hook_interrupt() and hook_visit() before our handlers were in */

static bool wants_in;		  /* only the main thread may put our handlers in, and take them out */
static struct py_thread *main_ts; /* compared only */

enum { FROM_OUTSIDE = 1, REQUESTED = 2 };
enum { PASS_AGAIN = 64 }; /* pokes */

/* A signal that hook_interrupt() sent waits from that call on, not from its arrival: one that arrives after it was
   taken changes nothing. */
static bool sigint_waits(void)
{
	return outside || sent != taken;
}

/* Does the main thread have to run our handler? */
static bool anything_waits(void)
{
	return sigint_waits() || visiting;
}

/* The caller, which has the GIL, does what the waiting interrupts ask for. Returns where they come from; 0: none. */
static int take_interrupts(void)
{
	unsigned n = sent;
	int from = atomic_exchange(&taken, n) != n ? REQUESTED : 0;

	return from | (atomic_exchange(&outside, 0) ? FROM_OUTSIDE : 0);
}

/* Runs as a signal handler: records the sender, then does what Python's own handler does. A poke that comes before ours
   has run for the signal is not passed to Python: ours would run a second time, for nothing. One of many is passed:
   Python may have had no memory to call ours. */
static void signal_received(int sig, siginfo_t *info, void *context)
{
	const void *what = info->si_code == SI_QUEUE && info->si_pid == getpid() ? info->si_value.sival_ptr : NULL;
	bool own = what == &asked || what == &poked; /* one that is pending already swallows the other */
	int e = errno;

	if (own && (!anything_waits() || (what == &poked && passed && passed++ % PASS_AGAIN)))
		return;
	if (!own && (info->si_code == SI_USER || info->si_code == SI_TKILL || info->si_code == SI_QUEUE) &&
	    info->si_pid == getpid()) {
		from_program = 1;
	} else {
		if (!own)
			outside = 1;
		passed = 1;
		gil_request_signal();
	}
	errno = e;
	if (python_action.sa_flags & SA_SIGINFO)
		python_action.sa_sigaction(sig, info, context);
	else
		python_action.sa_handler(sig);
}

/* Python has just installed its C handler: ours goes above it. */
static void take_wakeup(void)
{
	struct sigaction now;

	if (sigaction(SIGINT, NULL, &now) < 0)
		return;
	if ((now.sa_flags & SA_SIGINFO) && now.sa_sigaction == signal_received)
		return;
	if (!(now.sa_flags & SA_SIGINFO) && (now.sa_handler == SIG_DFL || now.sa_handler == SIG_IGN))
		return;
	python_action = now;
	now.sa_sigaction = signal_received;
	now.sa_flags |= SA_SIGINFO;
	sigaction(SIGINT, &now, NULL);
}

static PyObject *set_handler(PyObject *handler)
{
	PyObject *sig = PyLong_FromLong(SIGINT), *r;

	r = sig ? signal_method_set(sig, handler) : NULL;
	Py_XDECREF(sig);
	return r;
}

/* The program's own SIGINT: does what its handler would have done.  arrived: by a signal.  interrupt_main() sends
   none, and does nothing where Python has no handler. */
static PyObject *to_program(PyObject *const *args, Py_ssize_t n, bool arrived)
{
	long special;
	PyObject *r;

	if (!user || user == Py_None)
		Py_RETURN_NONE;
	if (PyCallable_Check(user))
		return PyObject_Vectorcall(user, args, (size_t)n, NULL);
	special = PyLong_AsLong(user);
	if (arrived && special == (long)(intptr_t)SIG_DFL && !PyErr_Occurred()) {
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
	bool had_passed = atomic_exchange(&passed, 0); /* first: a signal that comes later is passed */
	int from = take_interrupts();
	bool sent_it = atomic_exchange(&from_program, 0);
	bool visit = hook_sink && !t->in_stop && atomic_exchange(&visiting, 0);
	bool decided = (from & REQUESTED) || !handler_watched(SIGINT); /* by handle, else */
	bool arrived = from || had_passed || sent_it;
	bool mine = from && hook_sink;
	bool its = sent_it ||
		   (from ? !mine && (from & FROM_OUTSIDE) : !had_passed); /* a session's own may outlive it */

	/* Python runs the handler once for two signals that come together, and both count.  It may run for a signal of
	   cdbg that was taken before; an interrupt without a signal, by interrupt_main(), is the program's. */
	(void)self;
	if (mine && t->in_stop) { /* it ends what is evaluated, at the prompt or for a condition */
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
	if (visit)
		hook_sink->visit(t);
	mine = mine && hook_sink; /* the visit may have ended the session */
	if (mine && decided)
		hook_sink->interrupt(t, (struct py_frame *)frame);
	else if (mine && hook_sink->signal(t, (struct py_frame *)frame, SIGINT))
		its = true;
	if (its)
		return to_program(args, n, arrived);
	Py_RETURN_NONE;
}

static PyMethodDef ours_def = { "cdbg_interrupt", (PyCFunction)(void (*)(void))on_sigint, METH_FASTCALL,
				"Ctrl-C stops the program" };

/* signal.signal(): the handler is kept as the program's, cdbg's stays in. */
static PyObject *signal_ours(PyObject *module, PyObject *const *args, Py_ssize_t n)
{
	PyObject *r, *before;

	(void)module;
	r = signal_method_set_as(args, n); /* checks the arguments and the thread */
	if (!r || n != 2 || !PyLong_Check(args[0]))
		return r;
	if (PyLong_AsLong(args[0]) != SIGINT)
		return handler_kept(args[0], args[1], r);
	Py_DECREF(r);
	before = user;
	Py_INCREF(args[1]);
	user = args[1];
	r = signal_method_set(args[0], ours);
	take_wakeup();
	Py_XDECREF(r);
	if (!r)
		PyErr_Clear();
	return before ? before : Py_NewRef(Py_None);
}

static PyObject *getsignal_ours(PyObject *module, PyObject *arg)
{
	long sig = PyLong_Check(arg) ? PyLong_AsLong(arg) : 0;

	(void)module;
	if (sig == SIGINT)
		return Py_NewRef(user ? user : Py_None);
	if (sig > 0 && sig < NSIG && handler_of_program((int)sig))
		return Py_NewRef(handler_of_program((int)sig));
	PyErr_Clear();
	return signal_method_get(arg);
}

static const struct signal_methods methods_ours = { .set = signal_ours, .get = getsignal_ours };

/* Python has forgotten all signals that it got. */
static void forget_signals(void)
{
	passed = from_program = 0;
	take_interrupts();
	visiting = 0;
}

static int make_handler(struct err *err)
{
	if (!ours)
		ours = PyCFunction_New(&ours_def, NULL);
	return ours ? 0 : err_from_python(err, "cannot watch for Ctrl-C");
}

/* In the main thread. */
static int install_handler(struct err *err)
{
	PyObject *r;

	if (in)
		return 0;
	r = set_handler(ours); /* returns what the program had */
	if (!r)
		return err_from_python(err, "cannot watch for Ctrl-C");
	if (r == ours) /* it could not be put back: the program's is known still */
		Py_DECREF(r);
	else
		Py_XSETREF(user, r);
	main_thread = pthread_self();
	main_ts = (struct py_thread *)PyThreadState_Get();
	forget_signals();
	take_wakeup();
	handlers_exchange(true);
	signal_method_replace(&methods_ours);
	in = true;
	handlers_apply_watch();
	if (atomic_exchange(&visit_wanted, 0))
		hook_visit();
	return 0;
}

/* signal.signal() first runs the handlers of signals that came, and fails where one raises: each does so once. */
static PyObject *set_handler_surely(PyObject *handler)
{
	enum { TRIES = 4 };
	PyObject *r = NULL;
	int i;

	for (i = 0; i < TRIES && !r; i++) {
		PyErr_Clear();
		r = set_handler(handler);
	}
	return r;
}

/* In the main thread: from here on, no signal of cdbg's comes.  Those that were sent are received at the end of the
   system call, by ours. */
static void end_signals(void)
{
	in = false;
	do
		sched_yield();
	while (senders);
	sched_yield();
}

/* In the main thread. */
static void remove_handler(void)
{
	PyObject *type, *value, *tb, *r;

	if (!in)
		return;
	end_signals();
	PyErr_Fetch(&type, &value, &tb);
	signal_method_replace(NULL);
	r = user && user != Py_None ? set_handler_surely(user) : NULL;
	if (!r)
		PyErr_Clear();
	Py_XDECREF(r);
	handlers_exchange(false);
	PyErr_Restore(type, value, tb);
}

/* ---- start and stop, from any thread --------------------------------------------------------------------------- */

static void start_in_main(void)
{
	struct err err;

	if (wants_in && hook_sink && install_handler(&err) == 0 && atomic_exchange(&wanted, 0))
		hook_interrupt();
}

static void stop_in_main(void)
{
	if (!wants_in)
		remove_handler();
}

static void watch_in_main(void)
{
	if (in && hook_sink)
		handlers_apply_watch();
}

static void send_signal(const void *what)
{
	senders++;
	if (in)
		pthread_sigqueue(main_thread, SIGINT, (union sigval){ .sival_ptr = (void *)(uintptr_t)what });
	senders--;
}

/* A signal that comes just before the main thread waits for a lock does not end the wait. */
static void interrupt_poke(void)
{
	send_signal(&poked);
}

/* The state of the main thread while an interrupt waits for it, else NULL.  Any thread, no GIL needed. */
static struct py_thread *interrupted_thread(void)
{
	return in && anything_waits() ? main_ts : NULL;
}

/* After a start in another thread usually comes a stop, in which the main thread does not run, so this waits. */
int hook_signals_start(struct err *err)
{
	if (signal_method_start(err) < 0 || make_handler(err) < 0 || handlers_start(err) < 0)
		return -1;
	gil_request_serve(interrupted_thread, interrupt_poke);
	wants_in = true;
	if (main_thread_here())
		return install_handler(err);
	return main_thread_do(start_in_main, true) == 0 ?
		       0 :
		       err_set(err, "cannot watch for Ctrl-C: the main thread takes no more calls");
}

/* Until the main thread has removed them, the handlers pass all signals to the program's handlers. */
void hook_signals_stop(void)
{
	int sig;

	for (sig = 1; sig < NSIG; sig++)
		handler_watch(sig, false);
	wants_in = false;
	if (in && main_thread_here())
		remove_handler();
	else if (in)
		main_thread_do(stop_in_main, true);
}

void hook_signals_watch(const bool *want)
{
	int sig;

	for (sig = 1; sig < SIGNALS && sig < NSIG; sig++)
		handler_watch(sig, want[sig]);
	if (main_thread_here())
		watch_in_main();
	else if (in)
		main_thread_do(watch_in_main, false);
}

void hook_forked(void)
{
	hook_threads_forked(false);
	hold_forked();
	forget_signals();
	senders = 0;
	main_thread = pthread_self();
	main_ts = (struct py_thread *)PyThreadState_Get();
}

void hook_woken(void)
{
	hook_threads_forked(true);
	hold_forked();
}

static void signal_main_thread(void)
{
	send_signal(&asked);
	gil_request_wake();
}

static void send_interrupt(bool typed)
{
	if (!in) {
		atomic_store(&wanted, 1); /* start_in_main() looks at it */
		return;
	}
	if (typed)
		outside = 1;
	else
		sent++;
	signal_main_thread();
}

void hook_interrupt(void)
{
	send_interrupt(false);
}

void hook_interrupt_typed(void)
{
	send_interrupt(true);
}

void hook_visit(void)
{
	if (!in)
		atomic_store(&visit_wanted, 1);
	else if (!atomic_exchange(&visiting, 1))
		signal_main_thread();
}

void hook_visit_drop(void)
{
	visiting = visit_wanted = 0;
}

bool hook_interrupt_waits(void)
{
	return in ? sigint_waits() : wanted;
}

bool hook_interrupt_taken(void)
{
	return in ? take_interrupts() != 0 : atomic_exchange(&wanted, 0) != 0;
}

/* The signal may have come: then the handler, when the main thread runs it, finds nothing that waits, and `passed` says
   that the signal was not the program's. Or it comes later, and is ignored. */
bool hook_interrupt_ends(void)
{
	return in && sigint_waits() && hook_thread_self()->in_stop && take_interrupts() != 0;
}

bool hook_interrupt_again(struct hook_thread *t)
{
	bool was = t->broken;

	t->broken = false;
	if (was)
		hook_interrupt();
	return was;
}
