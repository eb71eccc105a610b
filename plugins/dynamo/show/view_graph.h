/* SPDX-License-Identifier: BSD-3-Clause */
/* View: the nodes of one graph, with the current ones marked. */
#ifndef DYNAMO_SHOW_VIEW_GRAPH_H
#define DYNAMO_SHOW_VIEW_GRAPH_H
#include "torch/cdbg_host.h"

extern const struct view_ops view_graph;

#endif
