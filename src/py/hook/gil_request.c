/* SPDX-License-Identifier: BSD-3-Clause */
/* Decides which thread has the GIL: other threads wait while one steps (set scheduler-locking), and an interrupt
   reaches the main thread whatever the switch interval is.  A helper thread requests the GIL for those that wait; it
   is started when it is first needed, and never takes the GIL itself. */
#include <Python.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <time.h>
#include "base/own_thread.h"
#include "py/hook/hook_impl.h"
#include "py/hook/gil_request.h"

#define TURN_NS 5000000 /* between two requests, as CPython's own switch interval */

static struct {
	struct py_thread *(*waits)(void);
	void (*poke)(void);
} interrupt;

static struct {
	pthread_mutex_t lock; /* of starting the thread: the main one and a front end may both wake it */
	sem_t wake;
	bool ready;	  /* under the lock */
	atomic_bool runs; /* set under the lock; a signal handler reads it */
	atomic_bool locked;
	_Atomic(void *) stepping; /* the thread state that keeps the GIL; compared only */
} turns = { .lock = PTHREAD_MUTEX_INITIALIZER };

void gil_request_serve(struct py_thread *(*waits)(void), void (*poke)(void))
{
	interrupt.waits = waits;
	interrupt.poke = poke;
}

static struct py_thread *interrupted(void)
{
	return interrupt.waits ? interrupt.waits() : NULL;
}

/* Another thread has the GIL while the stepping thread, or the main thread with an interrupt, needs it: CPython would
   request it after the switch interval, which is an hour. */
static void *request_turns(void *unused)
{
	struct timespec turn = { .tv_nsec = TURN_NS };
	struct py_thread *main_ts;
	unsigned long n = 0;

	(void)unused;
	for (;;) {
		while (sem_wait(&turns.wake) < 0 && errno == EINTR)
			;
		while ((main_ts = interrupted()) || turns.locked) {
			py_gil_request(main_ts ? main_ts : turns.stepping);
			nanosleep(&turn, NULL);
			if (main_ts && ++n % 4 == 0)
				interrupt.poke();
		}
	}
	return NULL;
}

/* The helper thread and the holder of the lock exist only in the parent. */
static void forget_helper(void)
{
	pthread_mutex_init(&turns.lock, NULL);
	turns.runs = false;
	turns.locked = false;
}

void gil_request_wake(void)
{
	pthread_mutex_lock(&turns.lock);
	if (!turns.ready && sem_init(&turns.wake, 0, 0) == 0) {
		pthread_atfork(NULL, NULL, forget_helper);
		turns.ready = true;
	}
	if (turns.ready && !turns.runs)
		turns.runs = own_thread_start(NULL, request_turns, NULL) == 0;
	pthread_mutex_unlock(&turns.lock);
	if (turns.runs)
		sem_post(&turns.wake);
}

void gil_request_signal(void)
{
	if (turns.runs)
		sem_post(&turns.wake);
}

/* Stops in quick succession would starve the other threads: taking the GIL again cancels their request. */
void hook_yield(void)
{
	PyThreadState *p = PyInterpreterState_ThreadHead(PyInterpreterState_Get());
	struct timespec turn = { .tv_nsec = 50000 };

	if (!p || !PyThreadState_Next(p) || turns.locked)
		return;
	Py_BEGIN_ALLOW_THREADS
	nanosleep(&turn, NULL);
	Py_END_ALLOW_THREADS
}

void hook_lock_scheduler(struct hook_thread *t)
{
	static PyObject *before; /* the program's own switch interval; owned */
	PyObject *get, *set, *r = NULL, *old;

	turns.stepping = t ? t->ts : NULL;
	if (!t == !before)
		return;
	get = PySys_GetObject("getswitchinterval");
	set = PySys_GetObject("setswitchinterval");
	if (!get || !set)
		return;
	turns.locked = t != NULL;
	if (t) {
		before = PyObject_CallNoArgs(get);
		r = PyObject_CallFunction(set, "d", 3600.0);
		gil_request_wake();
	} else {
		old = before;
		before = NULL;
		r = PyObject_CallOneArg(set, old);
		Py_DECREF(old);
	}
	if (!r)
		PyErr_Clear();
	Py_XDECREF(r);
}
