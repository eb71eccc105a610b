/* SPDX-License-Identifier: BSD-3-Clause */
/* The frames of a traceback: over, but still readable.  Knows no stop. */
#include <Python.h>
#include <frameobject.h>
#include "py/frame.h"

static long number(PyObject *tb, const char *name)
{
	PyObject *v = PyObject_GetAttrString(tb, name);
	long n = v ? PyLong_AsLong(v) : -1;

	if (PyErr_Occurred())
		PyErr_Clear();
	Py_XDECREF(v);
	return n;
}

int frame_traceback(struct py_obj *tb, struct trace_entry *out, int max)
{
	PyObject *t = (PyObject *)tb, *next, *frame;
	int n = 0;

	Py_XINCREF(t);
	while (t && t != Py_None && PyTraceBack_Check(t)) {
		frame = PyObject_GetAttrString(t, "tb_frame");
		if (frame && n < max) {
			out[n].frame = (struct py_frame *)Py_NewRef(frame);
			code_decode(frame_code(out[n].frame));
			out[n].index = code_index(frame_code(out[n].frame), (int)number(t, "tb_lasti"));
			out[n].line = (int)number(t, "tb_lineno");
		}
		n += frame != NULL;
		Py_XDECREF(frame);
		next = PyObject_GetAttrString(t, "tb_next");
		Py_DECREF(t);
		t = next;
	}
	Py_XDECREF(t);
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
