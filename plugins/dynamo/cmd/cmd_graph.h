/* SPDX-License-Identifier: BSD-3-Clause */
/* Command: graph, which shows a captured graph in other forms than rows. */
#ifndef DYNAMO_CMD_CMD_GRAPH_H
#define DYNAMO_CMD_CMD_GRAPH_H
#include "torch/cdbg_host.h"

extern const struct cmd_def cmd_graph[];

#endif
