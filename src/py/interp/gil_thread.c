/* SPDX-License-Identifier: BSD-3-Clause */
/* A thread of cdbg's own that takes the GIL: see gil_thread.h. */
#include <Python.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "base/buf.h"
#include "base/err.h"
#include "base/own_thread.h"
#include "base/task.h"
#include "py/interp/gil_thread.h"

struct call {
	struct call *next;
	void (*run)(void *arg);
	void *arg;
};

static struct {
	pthread_mutex_t lock;
	pthread_cond_t more;
	struct call *first;
	bool made;
	bool waits;	       /* the thread waits for the GIL ... */
	struct timespec since; /* ... since then */
} calls = { .lock = PTHREAD_MUTEX_INITIALIZER, .more = PTHREAD_COND_INITIALIZER };

static struct call *next_call(void)
{
	struct call *c;

	pthread_mutex_lock(&calls.lock);
	while (!calls.first)
		pthread_cond_wait(&calls.more, &calls.lock);
	c = calls.first;
	calls.first = c->next;
	calls.waits = true;
	clock_gettime(CLOCK_MONOTONIC, &calls.since);
	pthread_mutex_unlock(&calls.lock);
	return c;
}

static void have_gil(void)
{
	pthread_mutex_lock(&calls.lock);
	calls.waits = false;
	pthread_mutex_unlock(&calls.lock);
}

long gil_thread_waits(void)
{
	struct timespec now;
	long ms = 0;

	clock_gettime(CLOCK_MONOTONIC, &now);
	pthread_mutex_lock(&calls.lock);
	if (calls.waits)
		ms = (now.tv_sec - calls.since.tv_sec) * 1000 + (now.tv_nsec - calls.since.tv_nsec) / 1000000;
	pthread_mutex_unlock(&calls.lock);
	return ms;
}

/* Without the lock while it waits for the GIL.  An interpreter that ends keeps the thread waiting, or ends it. */
static void *serve(void *unused)
{
	PyGILState_STATE state;
	struct call *c;

	while ((c = next_call())) {
		state = PyGILState_Ensure();
		have_gil();
		c->run(c->arg);
		PyErr_Clear();
		PyGILState_Release(state);
		free(c);
	}
	return unused;
}

/* The thread that began the interpreter: its state is the oldest.  0: not known. */
static unsigned long main_tid(void)
{
	PyThreadState *ts = PyInterpreterState_ThreadHead(PyInterpreterState_Main()), *next;

	while (ts && (next = PyThreadState_Next(ts)))
		ts = next;
	return ts ? ts->native_thread_id : 0;
}

long gil_thread_main_moves(void)
{
	return task_moves((long)main_tid());
}

/* It keeps the GIL: a main thread that wants it looks every 5 ms whether it is free, and one that stands at a stop
   comes no further.  One that is to stop or to serve a visit is woken every 20 ms (inbox.c). */
bool gil_thread_main_blocked(void)
{
	enum { LOOKS = 5, WOKEN = 1 };
	const struct timespec between = { .tv_nsec = 10000000 };
	long tid = (long)main_tid(), moves = task_moves(tid);
	bool blocked = tid != task_self() && task_in_futex(tid);
	int i;

	for (i = 1; blocked && i <= LOOKS; i++) {
		nanosleep(&between, NULL);
		blocked = task_moves(tid) - moves <= i + WOKEN;
	}
	return blocked && task_in_futex(tid);
}

bool gil_thread_main_waits(void)
{
	enum { LOOKS = 5 };
	const struct timespec pause = { .tv_nsec = 20000000 };
	unsigned long tid = main_tid();
	bool waits = true;
	int i;

	for (i = 0; i < LOOKS; i++) {
		waits = waits && task_state((long)tid) != 'R';
		Py_BEGIN_ALLOW_THREADS
		nanosleep(&pause, NULL);
		Py_END_ALLOW_THREADS
	}
	return waits;
}

/* With the lock. */
static int make(struct err *err)
{
	int e = own_thread_start(NULL, serve, NULL);

	if (e)
		return err_set(err, "cannot start a thread: %s", strerror(e));
	calls.made = true;
	return 0;
}

int gil_thread_post(void (*run)(void *arg), void *arg, struct err *err)
{
	struct call *c, **p;
	int ret;

	pthread_mutex_lock(&calls.lock);
	ret = calls.made ? 0 : make(err);
	if (ret == 0) {
		c = mem_alloc(sizeof(*c));
		c->run = run;
		c->arg = arg;
		for (p = &calls.first; *p; p = &(*p)->next)
			;
		*p = c;
		pthread_cond_signal(&calls.more);
	}
	pthread_mutex_unlock(&calls.lock);
	return ret;
}

void gil_thread_forked(void)
{
	pthread_mutex_init(&calls.lock, NULL);
	pthread_cond_init(&calls.more, NULL);
	calls.first = NULL;
	calls.made = calls.waits = false;
}
