/* SPDX-License-Identifier: BSD-3-Clause */
/* entry run, diff: run an entry's generated code on values of the selected frame or given ones, if its guards pass.
   It runs on the program's own objects, whose state is saved before each run and restored after it; Dynamo's cache
   stays as it is. */
#ifndef DYNAMO_CMD_ENTRY_RUN_H
#define DYNAMO_CMD_ENTRY_RUN_H
#include "torch/cdbg_host.h"

struct entry;

/* The globals that the entry was compiled with: a new reference, or NULL with err. */
PyObject *entry_globals(struct entry *e, struct err *err);
/* args: "with NAME=EXPR ..." or nothing.  anyhow: although the entry's guards fail. */
int entry_run(struct entry *e, const char *args, bool anyhow, struct reply *out, struct err *err);
int entry_diff(struct entry *e, const char *args, bool anyhow, struct reply *out, struct err *err);
/* -1 with err, which names the guards that fail and says that `command` with -f does it all the same. */
int entry_fits(struct entry *e, PyObject *values, const char *command, struct err *err);

#endif
