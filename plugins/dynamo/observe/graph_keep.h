/* SPDX-License-Identifier: BSD-3-Clause */
/* Keeps captured graphs so that they can be run again: copies them before the backend changes them.  Knows
   no command. */
#ifndef DYNAMO_OBSERVE_GRAPH_KEEP_H
#define DYNAMO_OBSERVE_GRAPH_KEEP_H
#include "torch/wrapper.h"

/* What is kept of a GraphModule: its graph's nodes, packed, and the objects that they name, those of sub-graphs too; a
   new reference for graph_keep_open(), or NULL without an exception.  Parameters and modules are referred to, never
   copied.  It costs about 2 us and 0.5 KB a node (torch 2.13). */
PyObject *graph_keep(PyObject *module);
/*
 * What is kept of a module that Dynamo's OutputGraph passes to its backend.  For a backend that runs the module itself
 * and changes nothing this is a weak reference: the copy is made when the graph is needed, and the module lives as long
 * as the entry that calls it.
 */
PyObject *graph_keep_for(PyObject *output_graph, PyObject *module);
bool graph_keep_waits(PyObject *output_graph); /* Is its backend such a one? */
/* *kept becomes the pair (torch.fx.Graph, {target: object, or such a pair for a sub-graph}) if it was not opened
   before; NULL: the module is gone. */
void graph_keep_open(PyObject **kept);
/* torch's modes now, which decide what the nodes of a graph compute, as modes_now() in modes.py has them: a new
   reference, or NULL without an exception.  To be called where Dynamo has those in force with which the function was
   called. */
PyObject *graph_keep_modes(void);
/* The backend has returned, to call_user_compiler(output_graph, gm, ...). */
void graph_keep_called(struct call *call);

#endif
