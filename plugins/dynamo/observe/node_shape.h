/* SPDX-License-Identifier: BSD-3-Clause */
/* Sizes and strides of a node's example value, symbolic and as numbers.  Reads without guards of Dynamo. */
#ifndef DYNAMO_OBSERVE_NODE_SHAPE_H
#define DYNAMO_OBSERVE_NODE_SHAPE_H
#include "torch/cdbg_host.h"

struct node;

/* Sets n->stride and n->concrete, if the example is a traced tensor or a symbolic number; NULL: there is none. */
void node_shape_read(struct node *n, PyObject *example);

#endif
