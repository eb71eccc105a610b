/* SPDX-License-Identifier: BSD-3-Clause */
/* Asks a tensor's storage for its size, and the kernel for memory that torch did not allocate: see dynamo_torch.h. */
#include "torch/dynamo_torch.h"

/* The number that a method without arguments returns; -1: it returns none. */
static long long number_from(PyObject *v, const char *method)
{
	PyObject *r = PyObject_CallMethod(v, method, NULL);
	long long n = r && PyLong_Check(r) ? PyLong_AsLongLong(r) : -1;

	PyErr_Clear();
	Py_XDECREF(r);
	return n;
}

/* Does the storage have `size` bytes from where the tensor begins?  *own: torch allocated it. */
static bool storage_has(PyObject *v, long long element, long long size, bool *own)
{
	PyObject *storage = PyObject_CallMethod(v, "untyped_storage", NULL), *resizable = NULL;
	long long bytes = -1, offset = -1;

	if (storage) {
		bytes = number_from(storage, "nbytes");
		offset = number_from(v, "storage_offset");
		resizable = PyObject_CallMethod(storage, "resizable", NULL);
	}
	*own = resizable == Py_True;
	PyErr_Clear();
	Py_XDECREF(resizable);
	Py_XDECREF(storage);
	return offset >= 0 && offset * element + size <= bytes;
}

bool tensor_memory_there(PyObject *v, const struct dl_tensor *t)
{
	long long element = t->dtype.bits * t->dtype.lanes / 8;
	const char *from, *to;
	PyObject *guard;
	bool there, own = false;

	if (!tensor_scan_memory(t, &from, &to))
		return true;
	guard = t->data ? no_function_enter() : NULL; /* the methods would ask the program's modes */
	there = guard && storage_has(v, element, to - from, &own);
	no_function_leave(guard);
	return there && (own || host->values.readable((uintptr_t)from, (uintptr_t)to));
}

static PyObject *readable_in_place(PyObject *self, PyObject *args)
{
	unsigned long long at, n;

	(void)self;
	if (!PyArg_ParseTuple(args, "KK", &at, &n))
		return NULL;
	return PyBool_FromLong(host->values.readable((uintptr_t)at, (uintptr_t)at + (uintptr_t)n));
}

PyObject *tensor_memory_function(void)
{
	static PyMethodDef def = { "readable_in_place", readable_in_place, METH_VARARGS, NULL };

	return PyCFunction_New(&def, NULL);
}
