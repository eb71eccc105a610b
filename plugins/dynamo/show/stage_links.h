/* SPDX-License-Identifier: BSD-3-Clause */
/* Links between captured nodes, the nodes of later stages, and inductor's buffers and kernels. */
#ifndef DYNAMO_SHOW_STAGE_LINKS_H
#define DYNAMO_SHOW_STAGE_LINKS_H
#include "torch/cdbg_host.h"

struct entry;
struct graph;
struct link_set;

/* What was made of a captured node. */
void stage_links_node(struct link_set *l, const struct entry *e, const struct graph *g, const char *name);
/* Of a "node", "buffer" or "kernel" GRAPH:STAGE:NAME, where GRAPH:STAGE is `where`.  0: unknown.  -1: it is in code
   that came from a cache, which does not name the nodes that it was made of. */
int stage_links_from(struct link_set *l, const char *what, const char *where, const char *name);

#endif
