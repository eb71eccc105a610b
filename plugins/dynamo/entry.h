/* SPDX-License-Identifier: BSD-3-Clause */
/* The command `entry`: its parts. */
#ifndef CDBG_DYNAMO_ENTRY_H
#define CDBG_DYNAMO_ENTRY_H
#include "edit.h"

/* "NAME=EXPR NAME=EXPR ...", evaluated in the selected frame, into a dict. */
int entry_given(const char *args, PyObject *values, struct err *err);
/* What the guards (runs: also the code) of an entry read, by name: a new dict.  args: "with NAME=EXPR ...", or nothing;
   what it does not give is as it was when the selected frame was called.  NULL with err: a value is missing. */
PyObject *entry_values(struct entry *e, const char *args, bool runs, struct err *err);
/* args: "with NAME=EXPR ..." or nothing. */
int entry_check(struct entry *e, const char *args, struct reply *out, struct err *err);
int entry_run(struct entry *e, const char *args, struct reply *out, struct err *err);
int entry_diff(struct entry *e, const char *args, struct reply *out, struct err *err);
#endif
