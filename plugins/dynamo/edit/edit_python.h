/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls functions of edit.py and of the files that save state; converts exceptions to errors; copies guard trees.
   Changes nothing. */
#ifndef DYNAMO_EDIT_EDIT_PYTHON_H
#define DYNAMO_EDIT_EDIT_PYTHON_H
#include "torch/cdbg_host.h"

/* Call a function of edit.py: a new reference, or NULL with the exception set. */
PyObject *edit_call(const char *name, PyObject *a, PyObject *b, PyObject *c);
/* The same for a function of state.py or compare.py.  Takes args, a tuple or NULL. */
PyObject *state_call(const char *name, PyObject *args);
/* Call a function of Python files in the folder of this library; *names is their namespace, made at the first call and
   kept.  Takes args, a tuple or NULL with an exception.  A new reference, or NULL with an exception. */
PyObject *python_call(const char *const *files, PyObject **names, const char *name, PyObject *args);
/* Record the pending exception, cleared, after the text `what`: -1. */
int edit_raised(struct err *err, const char *what);
/* The arguments that add_lambda_guard and the like take in this version of torch: a new tuple. */
PyObject *edit_lambda_args(PyObject *fn, const char *text);
/* A tree equal to this manager's: a new root, or NULL with the exception set. */
PyObject *edit_clone(PyObject *manager);
bool edit_alive(PyObject *watched); /* edit.py's: are all of these weak references alive? */

#endif
