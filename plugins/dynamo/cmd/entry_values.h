/* SPDX-License-Identifier: BSD-3-Clause */
/* The values that `entry check`, `run` and `diff` work on: NAME=EXPR as typed, else the arguments of the selected
   frame, found as all views of guards find them.  Knows no guard tree and runs no entry. */
#ifndef DYNAMO_CMD_ENTRY_VALUES_H
#define DYNAMO_CMD_ENTRY_VALUES_H
#include "torch/cdbg_host.h"

struct entry;

/* Is the value of this argument or free variable read? */
typedef bool value_is_read(const char *name, const void *arg);
/* By a guard of the entry `arg`, or a condition that the user added to it. */
bool entry_values_by_guards(const char *name, const void *arg);
/* As if the entry's code read them all. */
bool entry_values_by_code(const char *name, const void *arg);

/* The values that are read, by name: a new dict.  args: "with NAME=EXPR ...", or nothing; what it does not give is as
   it was when the selected frame was called.  NULL with err: a value is missing. */
PyObject *entry_values(struct entry *e, const char *args, value_is_read *read, const void *arg, struct err *err);
/* Names of arguments and free variables of the entry's function, in the order of its signature: a new list. */
PyObject *entry_names(struct entry *e);

#endif
