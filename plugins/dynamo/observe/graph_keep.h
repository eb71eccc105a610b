/* SPDX-License-Identifier: BSD-3-Clause */
/* Keeps captured graphs so that they can be run again: copies them before the backend changes them.  Knows
   no command. */
#ifndef DYNAMO_OBSERVE_GRAPH_KEEP_H
#define DYNAMO_OBSERVE_GRAPH_KEEP_H
#include "torch/cdbg_host.h"

/* A copy of a GraphModule's graph, with the objects that its nodes name: a new reference to a pair (torch.fx.Graph,
   {name: object, or such a pair for a sub-graph}), or NULL without an exception.  Parameters and modules are referred
   to, never copied.  The copy costs about 25 us and 1.5 KB a node (torch 2.13). */
PyObject *graph_keep(PyObject *module);

#endif
