/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds related items: from an instruction, region, line of the user, graph node, guard or entry to the others. A
   graph is one call: its nodes are related to the code by its inputs, the call, its outputs, and their lines. */
#ifndef DYNAMO_SHOW_RELATED_H
#define DYNAMO_SHOW_RELATED_H
#include "torch/cdbg_host.h"

struct entry;
struct graph;

typedef void related_add(void *arg, const char *what, const char *id, int line);

/* Passes on each item that is related to "region", "0/0:break".  0: there is no such item. */
int related_of(const char *what, const char *id, related_add *add, void *arg);
/* The same of a node of an entry's captured graph, which need not be found among all entries by its name. */
int related_of_node(struct entry *e, const struct graph *g, const char *node, related_add *add, void *arg);

#endif
