/* SPDX-License-Identifier: BSD-3-Clause */
/* Kind of stop: Dynamo is about to compile a function again, because none of its entries fits the call. */
#ifndef DYNAMO_EVENT_EV_RECOMPILE_H
#define DYNAMO_EVENT_EV_RECOMPILE_H
#include "torch/cdbg_host.h"
#include "torch/wrapper.h"

struct compiling;

extern const struct watcher watch_reasons, watch_stance_reasons;
extern const struct event_kind ev_recompile;
/* The compile ends with an exception, since torch may not compile again: keeps why the entries missed. */
void ev_recompile_refused(struct compiling *c);

#endif
