/* SPDX-License-Identifier: BSD-3-Clause */
/* A graph drawn as text, as `git log --graph` draws history: from the inputs down, from each value to the nodes that
   use it. A lane leads to a node; no two lanes lead to the same one.  Knows no view. */
#ifndef DYNAMO_SHOW_DRAW_H
#define DYNAMO_SHOW_DRAW_H
#include "torch/cdbg_host.h"

struct node;
struct nodes;

void draw_graph(const struct nodes *g, struct buf *out);
/* A short description of a node: "add + 1", "torch.abs(a)", "L['a']". */
void draw_call(const struct nodes *g, const struct node *n, struct buf *out);
/* Its arguments, with sources for placeholders: "x, self.layer[0].weight". */
void draw_args(const struct nodes *g, const struct node *n, struct buf *out);
void draw_code(const struct nodes *g, const char *name, struct buf *out);

#endif
