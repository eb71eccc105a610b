/* SPDX-License-Identifier: BSD-3-Clause */
/* Where threads that are held wait, without the GIL, and what ends that before its time.  The same for all CPython
   versions.  Knows no hook: held_threads.c arms the frames that come here. */
#include <Python.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "base/buf.h"
#include "base/task.h"
#include "py/hook/hook_impl.h"

/* Nanoseconds between two looks of a waiting thread; how many until an interrupt that nobody took ends the wait, and
   until a command that only waits itself does. */
enum { LOOK_NS = 50000000, LOOKS_INTERRUPTED = 4, LOOKS_BLOCKED = 200 };

bool hook_holding;
static uint64_t *held; /* CPython's ids of the threads; under the GIL */
static int nheld;
static size_t held_cap;

static struct {
	pthread_mutex_t lock; /* never held while waiting for the GIL */
	pthread_cond_t over;
	bool on, lifted; /* under the lock */
	pid_t tid;	 /* the thread that runs the command */
	clockid_t clock; /* its time of computing */
	long long spent; /* ... at the last look */
	int interrupted, blocked;
	struct timespec looked;
	bool (*interrupts)(void);
} hold = { .lock = PTHREAD_MUTEX_INITIALIZER, .over = PTHREAD_COND_INITIALIZER };

static long long in_ns(struct timespec t)
{
	return (long long)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Does the command wait, for so long that it may be for what a held thread has?  Or does an interrupt wait for a thread
   that is held?  Under the lock; one look in LOOK_NS, however many threads wait. */
static bool must_lift(void)
{
	struct timespec now, used;

	clock_gettime(CLOCK_MONOTONIC, &now);
	if (in_ns(now) - in_ns(hold.looked) < LOOK_NS)
		return false;
	hold.looked = now;
	hold.interrupted = hold.interrupts() ? hold.interrupted + 1 : 0;
	if (clock_gettime(hold.clock, &used) == 0) {
		hold.blocked = in_ns(used) - hold.spent < 1000000 ? hold.blocked + 1 : 0;
		hold.spent = hold.blocked ? hold.spent : in_ns(used);
	}
	return hold.interrupted >= LOOKS_INTERRUPTED || (hold.blocked >= LOOKS_BLOCKED && task_in_futex(hold.tid));
}

static bool is_held(const struct hook_thread *t)
{
	int i;

	for (i = 0; i < nheld && held[i] != t->id; i++)
		;
	return i < nheld;
}

void hold_wait(const struct hook_thread *t)
{
	struct timespec until;

	if (!is_held(t))
		return;
	Py_BEGIN_ALLOW_THREADS
	pthread_mutex_lock(&hold.lock);
	while (hold.on && !hold.lifted) {
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_nsec += LOOK_NS;
		until.tv_sec += until.tv_nsec / 1000000000;
		until.tv_nsec %= 1000000000;
		pthread_cond_timedwait(&hold.over, &hold.lock, &until);
		if (hold.on && !hold.lifted && must_lift()) {
			hold.lifted = true;
			pthread_cond_broadcast(&hold.over);
		}
	}
	pthread_mutex_unlock(&hold.lock);
	Py_END_ALLOW_THREADS
}

void hold_begin(bool (*interrupts)(void))
{
	pthread_mutex_lock(&hold.lock);
	hold.on = true;
	hold.lifted = false;
	hold.interrupted = hold.blocked = 0;
	hold.spent = 0;
	hold.tid = (pid_t)task_self();
	hold.interrupts = interrupts;
	pthread_getcpuclockid(pthread_self(), &hold.clock);
	clock_gettime(CLOCK_MONOTONIC, &hold.looked);
	pthread_mutex_unlock(&hold.lock);
	hook_holding = true;
}

void hold_add(const struct hook_thread *t)
{
	held = mem_grow(held, &held_cap, (size_t)nheld + 1, sizeof(*held));
	held[nheld++] = t->id;
}

bool hold_end(void)
{
	bool lifted;

	hook_holding = false;
	nheld = 0;
	pthread_mutex_lock(&hold.lock);
	lifted = hold.lifted;
	hold.on = false;
	pthread_cond_broadcast(&hold.over);
	pthread_mutex_unlock(&hold.lock);
	return !lifted;
}

void hold_forked(void)
{
	pthread_mutex_init(&hold.lock, NULL);
	pthread_cond_init(&hold.over, NULL);
	hold.on = false;
	hook_holding = false;
	nheld = 0;
}
