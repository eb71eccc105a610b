/* SPDX-License-Identifier: BSD-3-Clause */
/* What edits want of Python: functions of edit.py and of the files about state, exceptions as errors, copies of guard
   trees.  Changes nothing. */
#ifndef DYNAMO_EDIT_EDIT_PYTHON_H
#define DYNAMO_EDIT_EDIT_PYTHON_H
#include "torch/host.h"

/* A function of edit.py, called: a new reference, or NULL with the exception set. */
PyObject *edit_call(const char *name, PyObject *a, PyObject *b, PyObject *c);
/* A function of state.py or compare.py: likewise.  Takes args, a tuple or NULL. */
PyObject *state_call(const char *name, PyObject *args);
/* Call a function of Python files that lie beside this library; *names is their namespace, made at the first call and
   kept.  Takes args, a tuple or NULL with an exception.  A new reference, or NULL with an exception. */
PyObject *python_call(const char *const *files, PyObject **names, const char *name, PyObject *args);
/* The pending exception, cleared, behind `what`: -1. */
int edit_raised(struct err *err, const char *what);
/* What add_lambda_guard and its like take in this torch: a new tuple. */
PyObject *edit_lambda_args(PyObject *fn, const char *text);
/* A tree equal to this manager's: a new root, or NULL with the exception set. */
PyObject *edit_clone(PyObject *manager);
bool edit_alive(PyObject *watched);          /* edit.py's: none of these weak references is dead */

#endif
