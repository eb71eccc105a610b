/* SPDX-License-Identifier: BSD-3-Clause */
/* Dispatch keys: see tensor_keys.h. */
#include "dlpack/tensor_keys.h"

/* All owned, for the life of the process. */
static struct {
	PyObject *of;	       /* torch._C._dispatch_keys */
	PyObject *set, *names; /* DispatchKeySet, DispatchKey */
	PyObject *raw;	       /* "raw_repr", interned */
	unsigned long long negative;
} keys;

static PyObject *attribute(PyObject *v, const char *name)
{
	PyObject *a = v ? PyObject_GetAttrString(v, name) : NULL;

	PyErr_Clear();
	return a;
}

/* set: taken over. */
static unsigned long long bits_of(PyObject *set)
{
	PyObject *bits = set ? PyObject_CallMethodNoArgs(set, keys.raw) : NULL;
	unsigned long long n = bits && PyLong_Check(bits) ? PyLong_AsUnsignedLongLong(bits) : 0;

	PyErr_Clear();
	Py_XDECREF(bits);
	Py_XDECREF(set);
	return n;
}

bool tensor_keys_begin(void)
{
	PyObject *c = keys.of ? NULL : PyDict_GetItemString(PyImport_GetModuleDict(), "torch._C"); /* borrowed */

	if (c) {
		keys.raw = PyUnicode_InternFromString("raw_repr");
		keys.set = attribute(c, "DispatchKeySet");
		keys.names = attribute(c, "DispatchKey");
		keys.of = keys.raw && keys.set && keys.names ? attribute(c, "_dispatch_keys") : NULL;
		keys.negative = tensor_keys_bits("Negative");
	}
	return keys.of;
}

unsigned long long tensor_keys_bits(const char *name)
{
	PyObject *key = keys.of ? attribute(keys.names, name) : NULL;
	unsigned long long n = key ? bits_of(PyObject_CallOneArg(keys.set, key)) : 0;

	Py_XDECREF(key);
	return n;
}

unsigned long long tensor_keys_of(PyObject *tensor)
{
	return keys.of ? bits_of(PyObject_CallOneArg(keys.of, tensor)) : 0;
}

bool tensor_keys_negative(PyObject *tensor)
{
	return keys.negative && tensor_keys_of(tensor) & keys.negative;
}
