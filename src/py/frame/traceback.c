/* SPDX-License-Identifier: BSD-3-Clause */
/* The frames of a traceback: they have exited, but can still be read. Knows no stop. */
#include <Python.h>
#include <frameobject.h>
#include <limits.h>
#include "py/frame/frame.h"

static long traceback_number(PyObject *tb, const char *name)
{
	PyObject *v = PyObject_GetAttrString(tb, name);
	long n = v ? PyLong_AsLong(v) : -1;

	if (PyErr_Occurred())
		PyErr_Clear();
	Py_XDECREF(v);
	return n;
}

static int traceback_length(struct py_obj *tb)
{
	PyObject *t = (PyObject *)tb;
	int n = 0;

	for (; t && PyTraceBack_Check(t) && n < INT_MAX; t = (PyObject *)((PyTracebackObject *)t)->tb_next)
		n++;
	return n;
}

int frame_traceback(struct py_obj *tb, struct trace_entry *out, int max)
{
	PyTracebackObject *t = (PyTracebackObject *)tb;
	int n = traceback_length(tb), skip = n > max ? n - max : 0, i;
	struct trace_entry *e;

	for (i = 0; i < n; i++, t = t->tb_next) {
		if (i < skip)
			continue;
		e = &out[i - skip];
		e->frame = (struct py_frame *)Py_NewRef((PyObject *)t->tb_frame);
		code_decode(frame_code(e->frame));
		e->index = code_index(frame_code(e->frame), t->tb_lasti);
		e->line = (int)traceback_number((PyObject *)t, "tb_lineno");
	}
	PyErr_Clear();
	return n;
}

uintptr_t frame_traceback_origin(struct py_obj *tb)
{
	PyTracebackObject *t = (PyTracebackObject *)tb;

	if (!t || !PyTraceBack_Check((PyObject *)t))
		return 0;
	while (t->tb_next)
		t = t->tb_next;
	return (uintptr_t)frame_code((struct py_frame *)t->tb_frame)->co + (uintptr_t)t->tb_lasti;
}
