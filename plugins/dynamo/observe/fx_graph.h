/* SPDX-License-Identifier: BSD-3-Clause */
/* Copies FX graphs to plain data when Dynamo passes them to the backend.  Values are summarized, never computed
   with.  Knows no view; of entries it knows only how to find a graph by name. */
#ifndef DYNAMO_OBSERVE_FX_GRAPH_H
#define DYNAMO_OBSERVE_FX_GRAPH_H
#include "torch/cdbg_host.h"

struct nodes;
struct source_line;

/* Copy a torch.fx.Graph; NULL: not a graph.  Evaluates none of the program's code, adds no guard. */
struct nodes *graphs_read(PyObject *graph);
/* The operation of a torch.fx.Node as struct node has it: a text of the model. */
const char *fx_graph_target(PyObject *node);
/* The innermost line that is not torch's in meta["stack_trace"]; false: it has none. */
bool fx_graph_line(PyObject *trace, struct source_line *out);
/* "encoder.layer.0 (Linear)": the innermost module of an nn_module_stack, or of a node with this meta; NULL: none. */
const char *fx_graph_module_text(PyObject *stack);
const char *fx_graph_module(PyObject *meta);

#endif
