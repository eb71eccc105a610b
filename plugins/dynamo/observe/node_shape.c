/* SPDX-License-Identifier: BSD-3-Clause */
/* Sizes and strides of a node's example value: see dynamo_observe.h.  Knows no graph. */
#include "model/graph.h"
#include "observe/dynamo_observe.h"
#include "torch/attrs.h"
#include "torch/dynamo_torch.h"
#include "torch/py_text.h"
#include <stdlib.h>
#include <string.h>

static bool is_symbolic(PyObject *v)
{
	return !strncmp(_PyType_Name(Py_TYPE(v)), "Sym", 3);
}

/* Its expression, without spaces. */
static void add_expression(PyObject *v, struct buf *out)
{
	PyObject *text = PyObject_Str(v);
	const char *p = py_text_utf8(text);

	for (; p && *p; p++)
		if (*p != ' ')
			buf_addc(out, *p);
	PyErr_Clear();
	Py_XDECREF(text);
}

/* The number that a symbolic one had when it was traced: its hint, which adds no guard; "?": there is none. */
static void add_traced_number(PyObject *v, struct buf *out)
{
	PyObject *node = attr(v, "node"), *hint = node ? attr(node, "hint") : NULL;

	if (hint && (PyLong_Check(hint) || PyFloat_Check(hint)))
		add_expression(hint, out);
	else
		buf_addc(out, '?');
	PyErr_Clear();
	Py_XDECREF(hint);
	Py_XDECREF(node);
}

/* "[s0,1]"; true: a number of them is symbolic. */
static bool add_size_list(PyObject *list, bool hints, struct buf *out)
{
	bool symbolic = false;
	Py_ssize_t i;
	PyObject *v;

	buf_addc(out, '[');
	for (i = 0; i < PyTuple_GET_SIZE(list); i++) {
		v = PyTuple_GET_ITEM(list, i);
		if (i)
			buf_addc(out, ',');
		symbolic |= is_symbolic(v);
		if (hints && is_symbolic(v))
			add_traced_number(v, out);
		else
			add_expression(v, out);
	}
	buf_addc(out, ']');
	return symbolic;
}

/* What a method of the tensor answers, a tuple; a new reference or NULL. */
static PyObject *asked(PyObject *tensor, const char *method)
{
	PyObject *v = PyObject_CallMethod(tensor, method, NULL);

	PyErr_Clear();
	if (v && !PyTuple_Check(v))
		Py_CLEAR(v);
	return v;
}

static void node_shape_read(struct node *n, PyObject *example)
{
	struct buf strides = { 0 }, concrete = { 0 };
	PyObject *size, *stride;
	bool symbolic;

	if (is_symbolic(example)) {
		add_traced_number(example, &concrete);
		n->concrete = buf_detach(&concrete);
	}
	if (strcmp(_PyType_Name(Py_TYPE(example)), "FakeTensor")) /* others may run the program's code */
		return;
	size = asked(example, "size");
	stride = asked(example, "stride");
	if (size && stride) {
		symbolic = add_size_list(stride, false, &strides);
		symbolic |= add_size_list(size, true, &concrete);
		buf_addc(&concrete, ' ');
		add_size_list(stride, true, &concrete);
		n->stride = buf_detach(&strides);
		if (symbolic)
			n->concrete = buf_detach(&concrete);
	}
	buf_release(&concrete);
	Py_XDECREF(stride);
	Py_XDECREF(size);
}

/* The program's modes are off meanwhile: entering and leaving that state takes longer than asking a tensor. */
void node_shapes_read(struct node *node, int n, PyObject *examples)
{
	PyObject *guard = no_function_enter();
	int i;

	for (i = 0; guard && i < n && i < PyList_GET_SIZE(examples); i++)
		if (PyList_GET_ITEM(examples, i) != Py_None)
			node_shape_read(&node[i], PyList_GET_ITEM(examples, i));
	no_function_leave(guard);
}
