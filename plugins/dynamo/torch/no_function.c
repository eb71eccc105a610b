/* SPDX-License-Identifier: BSD-3-Clause */
/* torch._C.DisableTorchFunction: see dynamo_torch.h. */
#include "torch/attrs.h"
#include "torch/dynamo_torch.h"

PyObject *no_function_enter(void)
{
	PyObject *disable = attrs_get(ATTR_NO_FUNCTION), *guard = disable ? PyObject_CallNoArgs(disable) : NULL;
	PyObject *entered = guard ? PyObject_CallMethod(guard, "__enter__", NULL) : NULL;

	PyErr_Clear();
	if (!entered)
		Py_CLEAR(guard);
	Py_XDECREF(entered);
	Py_XDECREF(disable);
	return guard;
}

void no_function_leave(PyObject *guard)
{
	PyObject *left;

	PyErr_Clear();
	left = guard ? PyObject_CallMethod(guard, "__exit__", "OOO", Py_None, Py_None, Py_None) : NULL;
	PyErr_Clear();
	Py_XDECREF(left);
	Py_XDECREF(guard);
}
