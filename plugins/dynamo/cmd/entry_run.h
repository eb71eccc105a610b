/* SPDX-License-Identifier: BSD-3-Clause */
/* entry run, diff: an entry's generated code by hand, on values of the selected frame or given ones, guards ignored.
   It runs on the program's own objects, whose state is saved before and put back after each run; Dynamo's cache stays
   as it is. */
#ifndef DYNAMO_CMD_ENTRY_RUN_H
#define DYNAMO_CMD_ENTRY_RUN_H
#include "torch/cdbg_host.h"

struct entry;

/* The globals that the entry was compiled with: a new reference, or NULL with err. */
PyObject *entry_globals(struct entry *e, struct err *err);
int entry_run(struct entry *e, const char *args, struct reply *out, struct err *err);
int entry_diff(struct entry *e, const char *args, struct reply *out, struct err *err);

#endif
