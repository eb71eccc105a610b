/* SPDX-License-Identifier: BSD-3-Clause */
/* Subcommands: guard drop, force, add, edit, restore.  Each adds overrides to the ledger. */
#ifndef DYNAMO_CMD_CMD_GUARD_EDIT_H
#define DYNAMO_CMD_CMD_GUARD_EDIT_H
#include "torch/cdbg_host.h"

int guard_drop(struct session *s, const struct cmd_args *args, struct reply *out, struct err *err);
int guard_restore(struct session *s, const struct cmd_args *args, struct reply *out, struct err *err);
int guard_force(struct session *s, const struct cmd_args *args, struct reply *out, struct err *err);
int guard_add(struct session *s, const struct cmd_args *args, struct reply *out, struct err *err);
int guard_edit(struct session *s, const struct cmd_args *args, struct reply *out, struct err *err);

#endif
