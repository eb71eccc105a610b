/* SPDX-License-Identifier: BSD-3-Clause */
/* Commands: guard drop, force, add, edit, restore.  What is asked for goes into the ledger, which does it. */
#ifndef DYNAMO_CMD_CMD_GUARD_EDIT_H
#define DYNAMO_CMD_CMD_GUARD_EDIT_H
#include "torch/host.h"

int guard_drop(const char *args, struct reply *out, struct err *err);
int guard_restore(const char *args, struct reply *out, struct err *err);
int guard_force(const char *args, struct reply *out, struct err *err);
int guard_add(const char *args, struct reply *out, struct err *err);
int guard_edit(const char *args, struct reply *out, struct err *err);

#endif
