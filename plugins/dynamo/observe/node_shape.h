/* SPDX-License-Identifier: BSD-3-Clause */
/* Sizes and strides of a node's example value, symbolic and as numbers.  Reads without guards of Dynamo. */
#ifndef DYNAMO_OBSERVE_NODE_SHAPE_H
#define DYNAMO_OBSERVE_NODE_SHAPE_H
#include "torch/cdbg_host.h"

struct node;

/* Sets stride and concrete of n nodes; examples is a list of as many values: those that are traced tensors or symbolic
   numbers are read. */
void node_shapes_read(struct node *node, int n, PyObject *examples);

#endif
