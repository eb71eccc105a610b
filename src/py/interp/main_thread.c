/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls functions in CPython's main thread: see main_thread.h. Must not know what the functions do. */
#include <Python.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <time.h>
#include "py/interp/main_thread.h"

static int queued; /* calls that have not run; under the GIL */
static bool woken; /* no_news() handles SIGURG */

/* The main thread started the interpreter: its thread state is the oldest; in the child of a fork, the only one. */
static pthread_t find_main_thread(void)
{
	PyThreadState *ts = PyInterpreterState_ThreadHead(PyInterpreterState_Main()), *next;

	while (ts && (next = PyThreadState_Next(ts)))
		ts = next;
	return ts ? (pthread_t)ts->thread_id : pthread_self();
}

bool main_thread_here(void)
{
	return pthread_equal(find_main_thread(), pthread_self());
}

static void no_news(int sig)
{
	(void)sig;
}

/*
 * A main thread that waits for a lock, as in join(), looks at pending calls when a signal interrupts it.  SIGURG is
 * ignored by default, so one that comes too late does no harm; a program that handles it itself is not disturbed.
 */
static void interrupt_wait(pthread_t thread)
{
	struct sigaction now, ours = { .sa_handler = no_news };

	if (!woken) {
		if (sigaction(SIGURG, NULL, &now) < 0 || (now.sa_flags & SA_SIGINFO) || now.sa_handler != SIG_DFL)
			return;
		if (sigaction(SIGURG, &ours, NULL) < 0)
			return;
		woken = true;
	}
	pthread_kill(thread, SIGURG);
}

static void restore_sigurg(void)
{
	struct sigaction now;

	if (woken && sigaction(SIGURG, NULL, &now) == 0 && !(now.sa_flags & SA_SIGINFO) && now.sa_handler == no_news)
		signal(SIGURG, SIG_DFL);
	woken = false;
}

static int run_queued(void *arg)
{
	PyObject *type, *value, *tb;

	restore_sigurg();
	PyErr_Fetch(&type, &value, &tb);
	((void (*)(void))(intptr_t)arg)();
	PyErr_Restore(type, value, tb);
	queued--;
	return 0;
}

int main_thread_do(void (*run)(void), bool wait)
{
	struct timespec step = { .tv_nsec = 1000000 };
	int i;

	if (Py_AddPendingCall(run_queued, (void *)(intptr_t)run) < 0)
		return -1;
	queued++;
	interrupt_wait(find_main_thread());
	for (i = 0; wait && i < 100 && queued; i++) {
		Py_BEGIN_ALLOW_THREADS
		nanosleep(&step, NULL);
		Py_END_ALLOW_THREADS
	}
	return 0;
}

static pthread_t remembered;

void main_thread_remember(void)
{
	remembered = find_main_thread();
}

static int run_posted(void *arg)
{
	PyObject *type, *value, *tb;

	restore_sigurg();
	PyErr_Fetch(&type, &value, &tb);
	((void (*)(void))(intptr_t)arg)();
	PyErr_Restore(type, value, tb);
	return 0;
}

int main_thread_post(void (*run)(void))
{
	if (Py_AddPendingCall(run_posted, (void *)(intptr_t)run) < 0)
		return -1;
	interrupt_wait(remembered);
	return 0;
}

/* ---- out of a system call in which Python waits ---------------------------------------------------------------- */

typedef PyObject *(*fastcall)(PyObject *, PyObject *const *, Py_ssize_t);

static struct {
	PyMethodDef *def; /* of signal.default_int_handler, while `instead` is its function */
	PyCFunction own;
	void (*run)(void);
} fetched;

/* In the main thread: Python calls it for the signal, and it is not the program's. */
static PyObject *instead(PyObject *self, PyObject *const *args, Py_ssize_t n)
{
	void (*run)(void) = fetched.run;

	(void)self;
	(void)args;
	(void)n;
	fetched.def->ml_meth = fetched.own;
	fetched.run = NULL;
	restore_sigurg();
	if (run)
		run();
	Py_RETURN_NONE;
}

/* The default handler, if Ctrl-C has it; owned. */
static PyObject *default_handler(void)
{
	PyObject *module = PyImport_ImportModuleLevel("_signal", NULL, NULL, NULL, 0);
	PyObject *f = module ? PyObject_GetAttrString(module, "default_int_handler") : NULL;
	PyObject *now = module ? PyObject_CallMethod(module, "getsignal", "i", SIGINT) : NULL;

	if (!f || f != now || !PyCFunction_Check(f) || ((PyCFunctionObject *)f)->m_ml->ml_flags != METH_FASTCALL)
		Py_CLEAR(f);
	PyErr_Clear();
	Py_XDECREF(now);
	Py_XDECREF(module);
	return f;
}

/* Has it run, or begun to? */
static bool wait_taken(int ms)
{
	struct timespec step = { .tv_nsec = 1000000 };
	int i;

	for (i = 0; i < ms && fetched.run; i++) {
		Py_BEGIN_ALLOW_THREADS
		nanosleep(&step, NULL);
		Py_END_ALLOW_THREADS
	}
	return !fetched.run;
}

static void run_fetched(void)
{
	void (*run)(void) = fetched.run;

	fetched.run = NULL;
	if (run)
		run();
}

int main_thread_fetch(void (*run)(void))
{
	enum { LOCK_MS = 30 };
	PyObject *f;

	if (fetched.def && fetched.def->ml_meth != fetched.own)
		return -1; /* the signal of an earlier call is still on its way */
	main_thread_remember();
	fetched.run = run;
	if (main_thread_post(run_fetched) < 0)
		return -1;
	if (wait_taken(LOCK_MS))
		return 0;
	f = default_handler();
	if (!f)
		return 0;
	fetched.def = ((PyCFunctionObject *)f)->m_ml;
	fetched.own = fetched.def->ml_meth;
	fetched.def->ml_meth = (PyCFunction)(void (*)(void))(fastcall)instead;
	pthread_kill(remembered, SIGINT);
	Py_DECREF(f);
	return 0;
}
