/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the interpreter that a thread runs, and counts the others: see interp.h.  Must not know frames or hooks. */
#include <Python.h>
#include <pthread.h>
#include <string.h>
#include "base/buf.h"
#include "py/interp/interp.h"

/* Other interpreters, by their ids, which CPython never uses again.  Its own list cannot be walked safely while one
   with a GIL of its own ends. */
static struct {
	pthread_mutex_t lock; /* never held while waiting for a GIL */
	int64_t *id;
	size_t n, cap;
} others = { .lock = PTHREAD_MUTEX_INITIALIZER };

bool interp_ours(void)
{
	PyThreadState *ts = _PyThreadState_UncheckedGet();

	return ts && ts->interp == PyInterpreterState_Main();
}

static void note_interpreter(int64_t id, bool exists)
{
	size_t i;

	pthread_mutex_lock(&others.lock);
	for (i = 0; i < others.n && others.id[i] != id; i++)
		;
	if (exists && i == others.n) {
		others.id = mem_grow(others.id, &others.cap, others.n + 1, sizeof(*others.id));
		others.id[others.n++] = id;
	} else if (!exists && i < others.n)
		others.id[i] = others.id[--others.n];
	pthread_mutex_unlock(&others.lock);
}

void interp_audit(const char *event)
{
	static __thread int64_t last; /* recorded by this thread; 0: the id of the main interpreter */
	PyThreadState *ts = _PyThreadState_UncheckedGet();
	int64_t id;

	if (!ts || ts->interp == PyInterpreterState_Main())
		return;
	id = PyInterpreterState_GetID(ts->interp);
	if (!strcmp(event, "cpython.PyInterpreterState_Clear")) {
		note_interpreter(id, false);
		last = 0;
	} else if (id != last) {
		note_interpreter(id, true);
		last = id;
	}
}

int interp_others(void)
{
	int n;

	pthread_mutex_lock(&others.lock);
	n = (int)others.n;
	pthread_mutex_unlock(&others.lock);
	return n;
}
