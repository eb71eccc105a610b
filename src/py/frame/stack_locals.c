/* SPDX-License-Identifier: BSD-3-Clause */
/* Variables whose values a frame keeps in a list on its value stack.  Knows no plugin; runs none of the program's
   code. */
#include <Python.h>
#include <string.h>
#include "py/frame/frame.h"

static Py_ssize_t count_kept(const char *names)
{
	Py_ssize_t n = 1;

	for (; *names; names++)
		n += *names == ',';
	return n;
}

/* The last of the lists of values in a slot, if the slot holds a list of that many lists: borrowed; NULL: it does
   not. */
static PyObject *values_in(const struct stack_slot *slot, Py_ssize_t lists, Py_ssize_t n)
{
	PyObject *outer = slot->kind == SLOT_OBJECT ? (PyObject *)slot->value : NULL, *inner = NULL;
	Py_ssize_t i;

	if (!outer || !PyList_CheckExact(outer) || PyList_GET_SIZE(outer) != lists)
		return NULL;
	for (i = 0; i < lists; i++) {
		inner = PyList_GET_ITEM(outer, i);
		if (!inner || !PyList_CheckExact(inner))
			return NULL;
	}
	return inner && PyList_GET_SIZE(inner) >= n ? inner : NULL;
}

struct py_obj *frame_stack_locals(struct py_frame *f, bool at_event, const char *names)
{
	/* owned */
	PyObject *dict = NULL, *name;
	/* borrowed */
	PyObject *values = NULL, *value;
	int depth = frame_depth(f, at_event), i;
	Py_ssize_t n = count_kept(names), at = 0, lists = 1;
	struct stack_slot slot;
	size_t len;

	for (; *names == ';'; names++)
		lists++;
	/* the list is below the operands of the current instruction */
	for (i = 0; i < depth && !values; i++) {
		frame_slot(f, i, &slot);
		values = values_in(&slot, lists, n);
	}
	dict = values ? PyDict_New() : NULL;
	for (; dict && at < n; names += len + (names[len] == ','), at++) {
		len = strcspn(names, ",");
		value = PyList_GET_ITEM(values, at);
		name = len ? PyUnicode_FromStringAndSize(names, (Py_ssize_t)len) : NULL;
		if (name && value)
			PyDict_SetItem(dict, name, value);
		Py_XDECREF(name);
	}
	PyErr_Clear();
	return (struct py_obj *)dict;
}
