/* SPDX-License-Identifier: BSD-3-Clause */
/* Graphs that torch runs by torch.fx.Interpreter, node by node, and never as their code: sub-graphs of checkpoint()
   and of autograd.Function with backend eager, and all of aot_eager in torch 2.6.  While cdbg would stop in that code,
   it is called instead. */
#ifndef DYNAMO_OBSERVE_INTERPRETED_H
#define DYNAMO_OBSERVE_INTERPRETED_H
#include "torch/wrapper.h"

extern const struct watcher watch_interpret;
/* A graph with sub-graphs was captured, or one that the interpreter runs: watch the interpreter from now on. */
void interpreted_watch(void);

#endif
