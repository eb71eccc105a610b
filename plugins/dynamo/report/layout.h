/* SPDX-License-Identifier: BSD-3-Clause */
/* Nodes of a directed graph placed in layers, from the inputs down.  Knows numbers only. */
#ifndef DYNAMO_REPORT_LAYOUT_H
#define DYNAMO_REPORT_LAYOUT_H
#include <stddef.h>

struct layout_edge {
	int from, to;
};

struct layout_node {
	int width; /* given */
	int x, y;  /* of its left upper corner */
	int layer;
};

struct layout {
	struct layout_node *node;
	int n;
	struct layout_edge *edge; /* from < to, as in a graph in order of execution */
	int nedges;
	int height, gap, row; /* given: of a node, between two of them, from layer to layer */
	int total_width, total_height;
};

void layout_place(struct layout *l);

#endif
