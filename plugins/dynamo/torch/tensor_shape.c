/* SPDX-License-Identifier: BSD-3-Clause */
/* Asks torch's C getters for shape and type of a tensor: see dynamo_torch.h. */
#include "torch/dynamo_torch.h"
#include "torch/py_text.h"
#include <stdlib.h>
#include <string.h>

static bool is_strided(PyObject *v)
{
	PyObject *layout = PyObject_GetAttrString(v, "layout");
	char *text = layout ? py_text_str(layout) : NULL;
	bool yes = text && !strcmp(text, "torch.strided");

	free(text);
	Py_XDECREF(layout);
	return yes;
}

static bool read_shape(PyObject *v, struct tensor_numbers *out)
{
	PyObject *shape = PyObject_GetAttrString(v, "shape"), *dtype = PyObject_GetAttrString(v, "dtype");
	Py_ssize_t n = shape && PyTuple_Check(shape) ? PyTuple_GET_SIZE(shape) : -1, i;
	char *name = dtype ? py_text_str(dtype) : NULL;
	bool known = n >= 0 && n <= TENSOR_NUMBERS_DIMS && name && py_text_begins_with(name, "torch.");

	for (i = 0; known && i < n; i++)
		known = PyLong_Check(PyTuple_GET_ITEM(shape, i));
	for (i = 0; known && i < n; i++)
		out->shape[i] = PyLong_AsLongLong(PyTuple_GET_ITEM(shape, i));
	if (known) {
		out->ndim = (int)n;
		out->dtype = py_text_keep(name + strlen("torch."));
	}
	free(name);
	Py_XDECREF(dtype);
	Py_XDECREF(shape);
	return known;
}

/* Getters ask the program's modes first, unless these are off. */
bool tensor_shape_of(PyObject *v, struct tensor_numbers *out)
{
	PyObject *guard = tensor_numbers_tensor(v) ? no_function_enter() : NULL;
	bool known = guard && is_strided(v) && read_shape(v, out); /* a nested one raises */

	no_function_leave(guard);
	return known;
}
