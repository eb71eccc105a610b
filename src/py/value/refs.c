/* SPDX-License-Identifier: BSD-3-Clause */
/* References to objects of the program: taken, released at once, or released when no table of cdbg is being changed. */
#include <Python.h>
#include "base/buf.h"
#include "py/py.h"

/* The last references to these; each is released in py_unref_waiting(). */
static struct {
	PyObject **item;
	size_t n, cap;
} waiting;

void *py_ref(void *obj)
{
	Py_XINCREF((PyObject *)obj);
	return obj;
}

void py_unref(void *obj)
{
	Py_XDECREF((PyObject *)obj);
}

void py_unref_later(void *obj)
{
	if (!obj)
		return;
	if (Py_REFCNT((PyObject *)obj) > 1) { /* frees nothing, so runs nothing */
		Py_DECREF((PyObject *)obj);
		return;
	}
	waiting.item = mem_grow(waiting.item, &waiting.cap, waiting.n + 1, sizeof(*waiting.item));
	waiting.item[waiting.n++] = obj;
}

/* A finalizer may let another thread run, or come here again: each object is taken out before it is released. */
void py_unref_waiting(void)
{
	PyObject *type, *value, *tb;

	if (!waiting.n)
		return;
	PyErr_Fetch(&type, &value, &tb);
	while (waiting.n)
		Py_DECREF(waiting.item[--waiting.n]);
	PyErr_Restore(type, value, tb);
}
