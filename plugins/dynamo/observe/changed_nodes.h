/* SPDX-License-Identifier: BSD-3-Clause */
/* What the nodes of a graph stand for that a backend made of the captured one by passes of its own.  Knows the model
   only. */
#ifndef DYNAMO_OBSERVE_CHANGED_NODES_H
#define DYNAMO_OBSERVE_CHANGED_NODES_H

struct nodes;

/* Sets the captured nodes that a node was made of, and its line, where torch notes none.  A node stands for the
   captured one of its name; a new one for the captured one that is gone and in whose place a node takes it that both
   graphs have. */
void changed_nodes_trace(struct nodes *now, const struct nodes *captured);

#endif
