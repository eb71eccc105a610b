/* SPDX-License-Identifier: BSD-3-Clause */
/* FX graphs copied to plain data while Dynamo hands them to the backend.  Values are summed up, never computed with.
   Knows no view and no entry but to find a graph by name. */
#ifndef DYNAMO_OBSERVE_FX_GRAPH_H
#define DYNAMO_OBSERVE_FX_GRAPH_H
#include "torch/host.h"

struct nodes;

/* Copy a torch.fx.Graph; NULL when it is none.  Evaluates nothing of the program's, adds no guard. */
struct nodes *graphs_read(PyObject *graph);

#endif
