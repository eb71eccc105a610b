/* SPDX-License-Identifier: BSD-3-Clause */
/* CPython 3.11: the bracket of a stop, in which the program's tracing state is as if cdbg were not there. */
#define PY_SSIZE_T_CLEAN
#define Py_BUILD_CORE
#include <Python.h>
#include <internal/pycore_frame.h>
#undef Py_BUILD_CORE
#include "py/hook/live_trace.h"

#if PY_VERSION_HEX >> 16 != 0x030B
#error "stop_trace.c is for CPython 3.11 only"
#endif

enum { SAVED_TRACING, SAVED_WHAT, SAVED_USE, SAVED_OURS };
#define HEAD_ROOM 300

void hook_stop_enter(struct hook_thread *t, struct hook_saved *s)
{
	struct hook_state *st = t->state;
	PyThreadState *ts = st->ts;

	PyErr_Fetch((PyObject **)&s->exc[0], (PyObject **)&s->exc[1], (PyObject **)&s->exc[2]);
	s->number[SAVED_TRACING] = ts->tracing;
	s->number[SAVED_WHAT] = ts->tracing_what;
	s->number[SAVED_USE] = ts->cframe->use_tracing;
	s->number[SAVED_OURS] = ts->c_tracefunc == live_tracefn;
	ts->recursion_remaining += HEAD_ROOM;
	live_give(st);
	ts->tracing = 0; /* Dynamo and nested tracers must work for evaluated code */
	ts->cframe->use_tracing = 0;
	t->in_stop++;
}

void hook_stop_leave(struct hook_thread *t, struct hook_saved *s)
{
	struct hook_state *st = t->state;
	PyThreadState *ts = st->ts;

	t->in_stop--;
	st->user = ts->c_tracefunc; /* sys.settrace() at the prompt is kept */
	if (s->number[SAVED_OURS])
		ts->c_tracefunc = live_tracefn;
	ts->tracing = (int)s->number[SAVED_TRACING];
	ts->tracing_what = (int)s->number[SAVED_WHAT];
	ts->cframe->use_tracing = (uint8_t)s->number[SAVED_USE];
	ts->recursion_remaining -= HEAD_ROOM;
	live_apply(st); /* armed or disarmed at the prompt, or by others meanwhile */
	PyErr_Restore(s->exc[0], s->exc[1], s->exc[2]);
	if (!t->in_stop)
		hook_signals_let();
}
