/* SPDX-License-Identifier: BSD-3-Clause */
/* entry run, diff: run an entry's generated code on values of the selected frame or given ones, without its guards.
   It runs on the program's own objects, whose state is saved before each run and restored after it; Dynamo's cache
   stays as it is. */
#ifndef DYNAMO_CMD_ENTRY_RUN_H
#define DYNAMO_CMD_ENTRY_RUN_H
#include "torch/cdbg_host.h"

struct entry;

/* The globals that the entry was compiled with: a new reference, or NULL with err. */
PyObject *entry_globals(struct entry *e, struct err *err);
int entry_run(struct entry *e, const char *args, struct reply *out, struct err *err);
int entry_diff(struct entry *e, const char *args, struct reply *out, struct err *err);

#endif
