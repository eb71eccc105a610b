/* SPDX-License-Identifier: BSD-3-Clause */
/* Copies FX graphs to plain data when Dynamo passes them to the backend.  Values are summarized, never computed
   with.  Knows no view; of entries it knows only how to find a graph by name. */
#ifndef DYNAMO_OBSERVE_FX_GRAPH_H
#define DYNAMO_OBSERVE_FX_GRAPH_H
#include "torch/cdbg_host.h"

struct nodes;

/* Copy a torch.fx.Graph; NULL: not a graph.  Evaluates none of the program's code, adds no guard. */
struct nodes *graphs_read(PyObject *graph);

#endif
