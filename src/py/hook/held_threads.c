/* SPDX-License-Identifier: BSD-3-Clause */
/* Holds the other threads while a command of a stop runs: arms the frame in which each is.  The same for all CPython
   versions.  Knows no command. */
#include <Python.h>
#include "base/err.h"
#include "py/hook/hook_impl.h"

/* Its innermost frame is enough: a thread that has released the GIL comes back there, or in a new frame.  False: it has
   none, as a thread of a library that calls Python now and then. */
static bool hold_frame(struct hook_thread *t)
{
	PyFrameObject *f = PyThreadState_GetFrame((PyThreadState *)t->ts);
	struct err ignored;
	bool armed = f && hook_frame((struct py_frame *)f, HOOK_HOLD, &ignored) == 0;

	PyErr_Clear();
	Py_XDECREF(f);
	return armed;
}

int hook_hold(struct err *err)
{
	struct hook_thread *self = hook_thread_self(), *t;
	int n = 0, collects;

	if (hook_able(err) < 0)
		return -1;
	collects = PyGC_Disable(); /* frame objects are made, and finalizers could release the GIL */
	hold_begin(hook_interrupt_waits);
	for (t = hook_thread_first(); t; t = t->next)
		if (t != self && !t->in_stop && hold_frame(t)) {
			hold_add(t);
			n++;
		}
	if (collects)
		PyGC_Enable();
	return n;
}

bool hook_release(void)
{
	bool whole = hold_end();

	hook_unhold();
	return whole;
}
