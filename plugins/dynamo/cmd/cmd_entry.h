/* SPDX-License-Identifier: BSD-3-Clause */
/* Commands: entry, eager, undo.  What is asked for goes into the ledger, which puts it into force. */
#ifndef DYNAMO_CMD_CMD_ENTRY_H
#define DYNAMO_CMD_CMD_ENTRY_H
#include "torch/cdbg_host.h"

extern const struct cmd_def cmd_entry[];

#endif
