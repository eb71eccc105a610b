/* SPDX-License-Identifier: BSD-3-Clause */
/* The threads that the hooks know, and the lock that allows one stop at a time.  The same for all CPython
   versions; knows neither frames nor stops. */
#include <Python.h>
#include <pthread.h>
#include "base/buf.h"
#include "base/sigstack.h"
#include "py/hook/hook_impl.h"
#include "py/record/recorder.h"
#include "py/value/value.h"

const struct hook_sink *hook_sink;
bool hook_into_default;

static struct hook_thread *threads;
static const struct hook_state_ops *state_ops;
__thread struct hook_thread *hook_thread_last HOOK_THREAD_LOCAL;
static int last_number;
static pthread_mutex_t stop_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t stop_free = PTHREAD_COND_INITIALIZER;
static unsigned long last_ticket, served; /* under stop_lock, which is never held while waiting for the GIL */

struct hook_thread *hook_thread_of(struct py_thread *pts)
{
	PyThreadState *ts = (PyThreadState *)pts;
	uint64_t id = PyThreadState_GetID(ts);
	struct hook_thread *t, **end;

	for (t = threads; t; t = t->next)
		if (t->id == id && t->ts == pts)
			return t;
	t = mem_alloc(sizeof(*t));
	t->ts = pts;
	t->id = id;
	t->number = ++last_number;
	t->into = hook_into_default;
	if (state_ops)
		t->state = state_ops->new (t);
	for (end = &threads; *end; end = &(*end)->next)
		;
	*end = t;
	return t;
}

void hook_states(const struct hook_state_ops *ops)
{
	struct hook_thread *t;

	state_ops = ops;
	for (t = threads; t; t = t->next)
		if (!t->state)
			t->state = ops->new (t);
}

/* All threads of the interpreter get a record, so that numbers are given in the order of creation. */
static void thread_adopt(void)
{
	PyThreadState *p = PyInterpreterState_ThreadHead(PyInterpreterState_Get());
	PyThreadState *list[256];
	int n = 0;

	for (; p && n < 256; p = PyThreadState_Next(p))
		list[n++] = p;
	while (n) /* CPython's list has the newest first */
		hook_thread_of((struct py_thread *)list[--n]);
}

struct hook_thread *hook_thread_self(void)
{
	PyThreadState *ts = PyThreadState_Get();
	struct hook_thread *t = hook_thread_last;

	if (!t || t->ts != (struct py_thread *)ts || t->id != PyThreadState_GetID(ts)) {
		sigstack_thread();
		thread_adopt(); /* older ones that have not been seen yet come first */
		t = hook_thread_last = hook_thread_of((struct py_thread *)ts);
	}
	return t;
}

bool hook_thread_alive(const struct hook_thread *t)
{
	PyThreadState *p = PyInterpreterState_ThreadHead(PyInterpreterState_Get());

	for (; p && t->ts; p = PyThreadState_Next(p))
		if ((struct py_thread *)p == t->ts && PyThreadState_GetID(p) == t->id)
			return true;
	return false;
}

/* The record of an ended thread, whose plan has ended too; NULL: there is none. The engine owns a record in a stop. */
static struct hook_thread *ended_thread(void)
{
	struct hook_thread **p, *t;

	for (t = threads; t && (t->in_stop || hook_thread_alive(t)); t = t->next)
		;
	if (t && t->plan && hook_sink) {
		t->in_stop++; /* what is called may come here again */
		hook_sink->ended(t);
		t->in_stop--;
	}
	for (p = &threads; t && *p != t; p = &(*p)->next)
		;
	if (t)
		*p = t->next;
	return t;
}

/* It is in the list no more. */
static void thread_drop(struct hook_thread *t)
{
	if (hook_thread_last == t)
		hook_thread_last = NULL;
	if (t->state)
		state_ops->free(t);
	record_ended(&t->record);
	t->ts = NULL;
	if (!t->users)
		free(t);
}

struct hook_thread *hook_thread_first(void)
{
	struct hook_thread *t;

	thread_adopt();
	while ((t = ended_thread()))
		thread_drop(t);
	return threads;
}

struct hook_thread *hook_thread_main(void)
{
	struct hook_thread *t;

	for (t = hook_thread_first(); t && t->number != 1; t = t->next)
		;
	return t;
}

void hook_thread_leave(void)
{
	struct hook_thread *t = hook_thread_last, **p;

	for (p = &threads; *p && *p != t; p = &(*p)->next)
		;
	hook_thread_last = NULL;
	if (!*p || t->in_stop)
		return;
	*p = t->next;
	last_number -= t->number == last_number;
	thread_drop(t);
}

struct hook_thread *hook_thread_hold(struct hook_thread *t)
{
	if (t)
		t->users++;
	return t;
}

void hook_thread_drop(struct hook_thread *t)
{
	if (t && !--t->users && !t->ts)
		free(t);
}

void hook_into_all(bool on)
{
	struct hook_thread *t;

	hook_into_default = on; /* of threads that are not known yet, too */
	for (t = threads; t; t = t->next)
		t->into = on || (t->plan && t->into); /* a plan's own wish stays */
}

bool hook_into_wanted(void)
{
	return hook_into_default;
}

/* Threads that wait to stop, each on its own stack; under the GIL. */
struct waiter {
	struct waiter *next;
	unsigned long ident;
};

static struct waiter *waiters;

/* Threads stop in the order in which they arrived: else a thread that stops repeatedly starves the others. */
void hook_lock(void)
{
	struct waiter me = { waiters, PyThread_get_thread_ident() }, **p;
	unsigned long mine_is;

	pthread_mutex_lock(&stop_lock);
	mine_is = last_ticket++;
	if (mine_is != served) {
		pthread_mutex_unlock(&stop_lock);
		waiters = &me;
		Py_BEGIN_ALLOW_THREADS
		pthread_mutex_lock(&stop_lock);
		while (mine_is != served)
			pthread_cond_wait(&stop_free, &stop_lock);
		pthread_mutex_unlock(&stop_lock);
		Py_END_ALLOW_THREADS
		for (p = &waiters; *p != &me; p = &(*p)->next)
			;
		*p = me.next;
		return;
	}
	pthread_mutex_unlock(&stop_lock);
}

bool hook_waits(unsigned long ident)
{
	const struct waiter *w;

	for (w = waiters; w && w->ident != ident; w = w->next)
		;
	return w;
}

void hook_unlock(void)
{
	pthread_mutex_lock(&stop_lock);
	served++;
	pthread_cond_broadcast(&stop_free);
	pthread_mutex_unlock(&stop_lock);
}

void hook_threads_forked(bool stopped)
{
	pthread_mutex_init(&stop_lock, NULL);
	pthread_cond_init(&stop_free, NULL);
	served = 0;
	last_ticket = stopped; /* this thread's turn */
	waiters = NULL;
}

void *hook_evaluator_off(void)
{
	PyInterpreterState *interp = PyInterpreterState_Get();
	_PyFrameEvalFunction now = _PyInterpreterState_GetEvalFrameFunc(interp);

	_PyInterpreterState_SetEvalFrameFunc(interp, _PyEval_EvalFrameDefault);
	return (void *)(uintptr_t)now;
}

void hook_evaluator_on(void *saved)
{
	PyInterpreterState *interp = PyInterpreterState_Get();

	/* our own hook may have been installed meanwhile: it stays unless another tool had installed one */
	if ((_PyFrameEvalFunction)(uintptr_t)saved != _PyEval_EvalFrameDefault)
		_PyInterpreterState_SetEvalFrameFunc(interp, (_PyFrameEvalFunction)(uintptr_t)saved);
}
