/* SPDX-License-Identifier: BSD-3-Clause */
/* graph show and graph diff: the nodes of a graph's stage, and how two differ. */
#ifndef DYNAMO_CMD_GRAPH_DIFF_H
#define DYNAMO_CMD_GRAPH_DIFF_H
#include "torch/cdbg_host.h"

/* args: "NAME [STAGE]". */
int graph_show_command(const char *args, struct reply *out, struct err *err);
/* args: "A B", each a graph, an entry or a stage, or both as NAME:STAGE. */
int graph_diff_command(const char *args, struct reply *out, struct err *err);

#endif
