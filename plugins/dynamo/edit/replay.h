/* SPDX-License-Identifier: BSD-3-Clause */
/* An entry's guards built again from their record, with some of the calls changed.  Knows no ledger and no command. */
#ifndef DYNAMO_EDIT_REPLAY_H
#define DYNAMO_EDIT_REPLAY_H
#include "torch/cdbg_host.h"

/* A new root with what one call adds, the method and its arguments; NULL: it cannot stand alone. */
PyObject *record_one(PyObject *method, PyObject *args);
/* A new root; edits: {index: [(method, arguments), ...]}, what is called instead, or NULL. */
PyObject *record_replay(PyObject *record, PyObject *edits, struct err *err);
/* The same from a copy of the tree in which only the nodes with edited guards, and those below, are made again.  NULL,
   without an exception: it is to be made as a whole. */
PyObject *record_replay_nodes(PyObject *record, PyObject *edits, PyObject *manager);

#endif
