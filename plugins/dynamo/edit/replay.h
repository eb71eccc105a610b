/* SPDX-License-Identifier: BSD-3-Clause */
/* Builds an entry's guards again from their record, with some of the calls changed.  Knows no ledger and
   no command. */
#ifndef DYNAMO_EDIT_REPLAY_H
#define DYNAMO_EDIT_REPLAY_H
#include "torch/cdbg_host.h"

/* A new root with the guard that one call adds (method and arguments); NULL: the guard cannot be alone
   in a tree. */
PyObject *replay_one(PyObject *method, PyObject *args);
/* A new root. edits: {index: [(method, arguments), ...]}, the calls to make instead of that row's, or NULL. */
PyObject *replay_all(PyObject *record, PyObject *edits, struct err *err);
/* The same, from a copy of the tree in which only the nodes with edited guards, and the nodes below them, are built
   again.  NULL without an exception: the whole tree must be built. */
PyObject *replay_nodes(PyObject *record, PyObject *edits, PyObject *manager);

#endif
