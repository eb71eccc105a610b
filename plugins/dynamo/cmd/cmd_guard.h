/* SPDX-License-Identifier: BSD-3-Clause */
/* Command: guard, which explains guards and changes them: one row of a table for each subcommand. */
#ifndef DYNAMO_CMD_CMD_GUARD_H
#define DYNAMO_CMD_CMD_GUARD_H
#include "torch/cdbg_host.h"

extern const struct cmd_def cmd_guard[];

#endif
