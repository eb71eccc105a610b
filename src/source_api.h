/* SPDX-License-Identifier: BSD-3-Clause */
/* cdbg.decompile() and cdbg.recompile(), for module.c alone. */
#ifndef CDBG_SOURCE_API_H
#define CDBG_SOURCE_API_H
#include <Python.h>

struct session;

extern const char source_decompile_doc[], source_recompile_doc[];
/* Who gives the session whose plugins know the code; it may be detached.  Set once, before any call. */
void source_api_session(struct session *(*any)(void));
PyObject *source_api_decompile(PyObject *self, PyObject *args, PyObject *names);
PyObject *source_api_recompile(PyObject *self, PyObject *arg);

#endif
