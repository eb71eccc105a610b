/* SPDX-License-Identifier: BSD-3-Clause */
/* The values that `entry check`, `run` and `diff` work on: NAME=EXPR as typed, else the arguments of the selected
   frame, found as all views of guards find them.  Knows no guard tree and runs no entry. */
#ifndef DYNAMO_CMD_ENTRY_VALUES_H
#define DYNAMO_CMD_ENTRY_VALUES_H
#include "torch/cdbg_host.h"

struct entry;

/* What the guards (runs: also the code) of an entry read, by name: a new dict.  args: "with NAME=EXPR ...", or nothing;
   what it does not give is as it was when the selected frame was called.  NULL with err: a value is missing. */
PyObject *entry_values(struct entry *e, const char *args, bool runs, struct err *err);
/* Names of arguments and free variables of the entry's function, in the order of its signature: a new list. */
PyObject *entry_names(struct entry *e);

#endif
