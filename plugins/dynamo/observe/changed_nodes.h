/* SPDX-License-Identifier: BSD-3-Clause */
/* What the nodes of a graph stand for that a backend made of the captured one by passes of its own.  Knows the model
   only. */
#ifndef DYNAMO_OBSERVE_CHANGED_NODES_H
#define DYNAMO_OBSERVE_CHANGED_NODES_H

struct nodes;

/* Sets the captured nodes that a node was made of, and its line, where torch notes none.  A node stands for the
   captured one of its name; a new one for what a captured node took, or the output, in the place where it is taken. */
void changed_nodes_trace(struct nodes *now, const struct nodes *captured);

#endif
