/* SPDX-License-Identifier: BSD-3-Clause */
/* Command: code.  Writes generated code as text, lets the user change it, and assembles it into a clone of its
   entry.  Never changes the code that Dynamo made. */
#ifndef DYNAMO_CMD_CMD_CODE_H
#define DYNAMO_CMD_CMD_CODE_H
#include "torch/cdbg_host.h"

extern const struct cmd_def cmd_code[];

#endif
