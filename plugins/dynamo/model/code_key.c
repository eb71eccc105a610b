/* SPDX-License-Identifier: BSD-3-Clause */
/* Code objects as keys of tables: by address, never hashed, with a weak reference that reports when they are freed. */
#include "model/code_key.h"

unsigned code_slot(const void *p)
{
	uintptr_t n = (uintptr_t)p >> 4;

	return (unsigned)((n ^ n >> 10) % CODE_SLOTS);
}

/* A weak reference to a code object that calls `gone` with the record when the code dies, before its address can be
   used again.  NULL: the code cannot be watched. */
PyObject *code_weak(PyCodeObject *co, PyMethodDef *gone, void *record)
{
	PyObject *self = PyCapsule_New(record, NULL, NULL);
	PyObject *call = self ? PyCFunction_New(gone, self) : NULL;
	PyObject *weak = call ? PyWeakref_NewRef((PyObject *)co, call) : NULL;

	Py_XDECREF(call);
	Py_XDECREF(self);
	PyErr_Clear();
	return weak;
}
