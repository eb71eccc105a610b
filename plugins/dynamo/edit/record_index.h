/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds rows of a record: the call that made a guard, and the nodes that can have guards of a kind. */
#ifndef DYNAMO_EDIT_RECORD_INDEX_H
#define DYNAMO_EDIT_RECORD_INDEX_H
#include "torch/cdbg_host.h"

struct guard;

/* An index of the rows by source, for callers that look for many guards: a new reference, or NULL. */
PyObject *record_index(PyObject *record);
/* The numbers of the rows that make guards of this value ("": guards on several values; NULL: on whole lists of
   values).  Borrowed, or NULL. */
PyObject *record_index_rows(PyObject *index, const char *source);
/* The number of the row that made this guard, -1: none. */
Py_ssize_t record_index_find(PyObject *record, PyObject *index, const struct guard *g);
Py_ssize_t record_index_node(PyObject *row);
/* Dynamo's managers of whole dictionaries take guards of a few kinds only. */
bool record_index_takes_lambdas(PyObject *record, Py_ssize_t node);

#endif
