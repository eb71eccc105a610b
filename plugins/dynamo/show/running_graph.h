/* SPDX-License-Identifier: BSD-3-Clause */
/* The graph that runs, as rows of the graph view: what was computed so far, and the node that comes next. */
#ifndef DYNAMO_SHOW_RUNNING_GRAPH_H
#define DYNAMO_SHOW_RUNNING_GRAPH_H
#include "torch/cdbg_host.h"

/* The selected frame's graph; false: it runs none, nothing was added. */
bool running_graph_fill(const struct view_req *req, struct rows *out);

#endif
