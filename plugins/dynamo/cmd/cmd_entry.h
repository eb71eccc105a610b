/* SPDX-License-Identifier: BSD-3-Clause */
/* Commands: entry, eager, undo.  They add overrides to the ledger, which applies them. */
#ifndef DYNAMO_CMD_CMD_ENTRY_H
#define DYNAMO_CMD_CMD_ENTRY_H
#include "torch/cdbg_host.h"

extern const struct cmd_def cmd_entry[];

#endif
