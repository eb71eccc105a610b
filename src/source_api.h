/* SPDX-License-Identifier: BSD-3-Clause */
/* cdbg.decompile() and cdbg.recompile(), for module.c alone. */
#ifndef CDBG_SOURCE_API_H
#define CDBG_SOURCE_API_H
#include <Python.h>

extern const char source_decompile_doc[], source_recompile_doc[];
PyObject *source_decompile(PyObject *self, PyObject *arg);
PyObject *source_recompile(PyObject *self, PyObject *arg);

#endif
