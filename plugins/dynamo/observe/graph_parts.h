/* SPDX-License-Identifier: BSD-3-Clause */
/* Graphs that are compiled in parts: Dynamo's DDPOptimizer splits one under DistributedDataParallel and passes each
   part to the backend (torch/_dynamo/backends/distributed.py, 2.6 to 2.15).  Each becomes a graph of the entry, named
   after the whole one. */
#ifndef DYNAMO_OBSERVE_GRAPH_PARTS_H
#define DYNAMO_OBSERVE_GRAPH_PARTS_H
#include "torch/wrapper.h"

extern const struct watcher watch_part;

#endif
