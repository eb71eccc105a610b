/* SPDX-License-Identifier: BSD-3-Clause */
/* The buffers of the code that inductor has just written, and the nodes that they are computed from. */
#ifndef DYNAMO_OBSERVE_LOWERED_ORIGINS_H
#define DYNAMO_OBSERVE_LOWERED_ORIGINS_H
#include "torch/cdbg_host.h"

struct stage;

/* Adds those of a graph lowering, which is freed after the compile.  In the sub-graphs of higher-order operators a node
   has the name that graphs_node() takes, "true_graph_0.cos". */
void lowered_origins_add(struct stage *s, PyObject *lowering);

#endif
