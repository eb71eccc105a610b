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
