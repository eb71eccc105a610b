/* SPDX-License-Identifier: BSD-3-Clause */
/* Variables whose values a frame keeps in a list, on its value stack or in a local variable.  Knows no plugin; runs
   none of the program's code. */
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

/* The list in a local variable whose name is the first len bytes, if it has n values or more and still any: borrowed;
   NULL: it has not. */
static PyObject *values_of_local(struct py_frame *f, const char *name, size_t len, Py_ssize_t n)
{
	struct code *c = frame_code(f);
	PyObject *list = NULL;
	Py_ssize_t i;
	int k;

	for (k = 0; k < code_nlocals(c) && !list; k++)
		if (strlen(code_local_name(c, k)) == len && !strncmp(code_local_name(c, k), name, len))
			list = (PyObject *)frame_local(f, k);
	if (!list || !PyList_CheckExact(list) || PyList_GET_SIZE(list) < n)
		return NULL;
	for (i = 0; i < n && PyList_GET_ITEM(list, i) == Py_None; i++)
		;
	return i < n ? list : NULL;
}

/* The list in a slot, if it has n values; borrowed. */
static PyObject *values_alone(const struct stack_slot *slot, Py_ssize_t n)
{
	PyObject *list = slot->kind == SLOT_OBJECT ? (PyObject *)slot->value : NULL;

	return list && PyList_CheckExact(list) && PyList_GET_SIZE(list) == n ? list : NULL;
}

/* Below the operands of the current instruction, after a ';' for each list before it; or, after a '.', alone, the
   last one, after two the first. */
static PyObject *values_on_stack(struct py_frame *f, bool at_event, const char *names, Py_ssize_t n)
{
	int depth = frame_depth(f, at_event), i;
	PyObject *values = NULL, *alone = NULL, *list;
	struct stack_slot slot;

	for (i = 0; i < depth && !values; i++) {
		frame_slot(f, i, &slot);
		values = values_in(&slot, 1 + (Py_ssize_t)strspn(names, ";"), n);
		list = *names == '.' ? values_alone(&slot, n) : NULL;
		if (list && (!alone || names[1] != '.'))
			alone = list;
	}
	return values ? values : alone;
}

/* The list of the n values with these names, borrowed, or NULL; *names is then the first name. */
static PyObject *values_named(struct py_frame *f, bool at_event, const char **names, Py_ssize_t *n)
{
	const char *of = strchr(*names, '='), *all = *names;

	*n = count_kept(all);
	*names = of ? of + 1 : all + strspn(all, ";.");
	return of ? values_of_local(f, all, (size_t)(of - all), *n) : values_on_stack(f, at_event, all, *n);
}

struct py_obj *frame_stack_locals(struct py_frame *f, bool at_event, const char *names)
{
	/* owned */
	PyObject *dict = NULL, *name;
	/* borrowed */
	PyObject *values, *value;
	Py_ssize_t n, at = 0;
	size_t len;

	values = values_named(f, at_event, &names, &n);
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

bool frame_set_stack_local(struct py_frame *f, bool at_event, const char *names, const char *name, struct py_obj *value)
{
	struct code *c = frame_code(f);
	PyObject *values;
	Py_ssize_t n, at;
	size_t len;
	int i;

	for (i = 0; i < code_nlocals(c); i++)
		if (!strcmp(code_local_name(c, i), name) && frame_local(f, i))
			return false;
	values = values_named(f, at_event, &names, &n);
	for (at = 0; values && at < n; names += len + (names[len] == ','), at++) {
		len = strcspn(names, ",");
		if (strlen(name) != len || strncmp(names, name, len))
			continue;
		Py_INCREF((PyObject *)value);
		PyList_SetItem(values, at, (PyObject *)value);
		return true;
	}
	return false;
}
