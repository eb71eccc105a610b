/* SPDX-License-Identifier: BSD-3-Clause */
/* Command: overrides, also written `set overrides`: writes the changes in force as a script of commands that repeat
   them in another run, where guards are identified by function, kind and source.  Changes nothing. */
#ifndef DYNAMO_CMD_CMD_OVERRIDES_H
#define DYNAMO_CMD_CMD_OVERRIDES_H
#include "torch/cdbg_host.h"

extern const struct cmd_def cmd_overrides[];

#endif
