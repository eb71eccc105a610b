/* SPDX-License-Identifier: BSD-3-Clause */
/* Weak references read in the way that every CPython has: PyWeakref_GetObject() is gone from 3.15, and
   PyWeakref_GetRef() is new in 3.13. */
#ifndef DYNAMO_TORCH_WEAK_H
#define DYNAMO_TORCH_WEAK_H
#include "torch/cdbg_host.h"

/* What a weakref.ref refers to, a new reference; NULL without an exception: it is gone. */
static inline PyObject *weak_target(PyObject *ref)
{
	PyObject *o = PyObject_CallNoArgs(ref);

	if (!o)
		PyErr_Clear();
	else if (o == Py_None)
		Py_CLEAR(o);
	return o;
}

static inline bool weak_is(PyObject *ref, const PyObject *o)
{
	PyObject *target = weak_target(ref);
	const bool same = target == o;

	Py_XDECREF(target);
	return same;
}

#endif
