/* SPDX-License-Identifier: BSD-3-Clause */
/* Command: overrides, which is also said as `set overrides`: the changes in force as a script of commands that
   make them in another run, where guards are known by function, kind and source.  Changes nothing. */
#ifndef DYNAMO_CMD_CMD_OVERRIDES_H
#define DYNAMO_CMD_CMD_OVERRIDES_H
#include "torch/host.h"

extern const struct cmd_def cmd_overrides[];

#endif
