/* SPDX-License-Identifier: BSD-3-Clause */
/* Command: blame. */
#ifndef DYNAMO_CMD_BLAME_H
#define DYNAMO_CMD_BLAME_H
#include "torch/cdbg_host.h"

extern const struct cmd_def cmd_blame[];

#endif
