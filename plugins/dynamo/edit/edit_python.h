/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls functions of edit.py; converts exceptions to errors; copies guard trees.  Changes nothing. */
#ifndef DYNAMO_EDIT_EDIT_PYTHON_H
#define DYNAMO_EDIT_EDIT_PYTHON_H
#include "torch/cdbg_host.h"

/* Call a function of edit.py: a new reference, or NULL with the exception set. */
PyObject *edit_call(const char *name, PyObject *a, PyObject *b, PyObject *c);
/* Record the pending exception, cleared, after the text `what`: -1. */
int edit_raised(struct err *err, const char *what);
/* The arguments that add_lambda_guard and the like take in this version of torch: a new tuple. */
PyObject *edit_lambda_args(PyObject *fn, const char *text);
/* A tree equal to this manager's: a new root, or NULL with the exception set. */
PyObject *edit_clone(PyObject *manager);
bool edit_alive(PyObject *watched); /* edit.py's: are all of these weak references alive? */

#endif
