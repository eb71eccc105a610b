/* SPDX-License-Identifier: BSD-3-Clause */
/* Nodes of a directed graph placed in layers, from the inputs down.  Knows numbers only. */
#ifndef DYNAMO_REPORT_GRAPH_LAYOUT_H
#define DYNAMO_REPORT_GRAPH_LAYOUT_H
#include <stddef.h>

struct graph_layout_edge {
	int from, to;
};

struct graph_layout_node {
	int width; /* given */
	int x, y;  /* of its left upper corner */
	int layer;
};

struct graph_layout {
	struct graph_layout_node *node;
	int n;
	struct graph_layout_edge *edge; /* from < to, as in a graph in order of execution */
	int nedges;
	int height, gap, row; /* given: of a node, between two of them, from layer to layer */
	int total_width, total_height;
};

void graph_layout_place(struct graph_layout *l);

#endif
