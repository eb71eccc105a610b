/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of this plugin ask of a value, without running any of the program's code. */
#ifndef TENSOR_TENSOR_H
#define TENSOR_TENSOR_H
#include <Python.h>
#include <stdbool.h>
#include "plugin.h"

extern const struct cdbg_host *tensor_host;

bool tensor_is(PyObject *v);
bool tensor_is_module(PyObject *v);
/* The class of the program that answers for its tensors: nothing but the type may be asked. */
bool tensor_is_closed(PyObject *v);
bool tensor_is_fake(PyObject *v);
/* Around calls of torch's getters: they would ask subclasses and modes of the program first. NULL: it failed. */
PyObject *tensor_quiet_enter(void);
void tensor_quiet_leave(PyObject *guard);
/* The following within that bracket.  The short name of its dtype, valid until the next call for an unknown dtype. */
const char *tensor_dtype(PyObject *v);
/* What torch's own class says, whatever a class of the program has in its place: new references, NULL with an
   exception. */
PyObject *tensor_get(PyObject *v, const char *attribute);
PyObject *tensor_call(PyObject *v, const char *method);
PyObject *tensor_method(const char *name); /* called with the tensor first */
PyObject *tensor_shape(PyObject *v);	   /* a new reference, or NULL */
void tensor_device(PyObject *v, struct buf *out);
/* Has it less memory than its elements need, or is that memory gone?  Adds how. */
bool tensor_lacks(PyObject *v, struct buf *out);

#endif
