/* SPDX-License-Identifier: BSD-3-Clause */
/* Side effects that generated code replays after its graph, read from Dynamo when it writes that code.  Runs none of
   the program's code. */
#ifndef DYNAMO_OBSERVE_SIDE_EFFECTS_H
#define DYNAMO_OBSERVE_SIDE_EFFECTS_H
#include "torch/cdbg_host.h"
#include "torch/wrapper.h"

extern const struct watcher watch_effects;

#endif
