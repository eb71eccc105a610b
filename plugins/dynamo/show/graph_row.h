/* SPDX-License-Identifier: BSD-3-Clause */
/* One node as a row of the graph view.  Knows no frame. */
#ifndef DYNAMO_SHOW_GRAPH_ROW_H
#define DYNAMO_SHOW_GRAPH_ROW_H
#include "torch/cdbg_host.h"

struct node;
struct nodes;
struct staged;

/* Add node i of g, which has nodes, with these marks.  running: omits arguments, users and the traced value. */
void graph_row_add(struct rows *out, const struct view_req *req, const struct staged *g, int i, unsigned mark,
		   bool running);
/* Add to the last row the program's line of this node with its function, the line that called that function, and the
   torch function called there. */
void graph_row_lines(struct rows *out, const struct view_req *req, const struct nodes *g, const struct node *n,
		     bool running);

#endif
