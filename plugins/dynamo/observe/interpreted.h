/* SPDX-License-Identifier: BSD-3-Clause */
/* Sub-graphs that torch runs by torch.fx.Interpreter, node by node, and never as their code: those of checkpoint() and
   of autograd.Function with backend eager.  While cdbg would stop in that code, it is called instead. */
#ifndef DYNAMO_OBSERVE_INTERPRETED_H
#define DYNAMO_OBSERVE_INTERPRETED_H
#include "torch/wrapper.h"

extern const struct watcher watch_interpret;
/* A graph with sub-graphs was captured: watch the interpreter from now on. */
void interpreted_watch(void);

#endif
