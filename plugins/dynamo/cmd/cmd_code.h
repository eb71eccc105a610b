/* SPDX-License-Identifier: BSD-3-Clause */
/* Command: code.  Generated code as text, changed, and assembled into a clone of its entry.  Never touches the code
   that Dynamo made. */
#ifndef DYNAMO_CMD_CMD_CODE_H
#define DYNAMO_CMD_CMD_CODE_H
#include "torch/cdbg_host.h"

extern const struct cmd_def cmd_code[];

#endif
