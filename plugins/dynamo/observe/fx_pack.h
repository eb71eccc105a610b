/* SPDX-License-Identifier: BSD-3-Clause */
/* A copy of an FX graph's nodes in few objects, and a torch.fx.Graph made of it.  Knows torch.fx only. */
#ifndef DYNAMO_OBSERVE_FX_PACK_H
#define DYNAMO_OBSERVE_FX_PACK_H
#include "torch/cdbg_host.h"

/* Called for a node that names an object of its module.  -1 with an exception: the graph cannot be copied. */
typedef int fx_named(void *arg, PyObject *target);

/* A list that only fx_unpack() reads.  Names, targets, types and constants are shared with the graph, a node's dict
   `meta` is copied, and no node stays alive.  It costs about 2 us and 0.5 KB a node.  NULL with an exception. */
PyObject *fx_pack(PyObject *graph, fx_named *named, void *arg);
/* A new torch.fx.Graph with the same nodes; about 20 us a node.  NULL with an exception. */
PyObject *fx_unpack(PyObject *packed);

#endif
