/* SPDX-License-Identifier: BSD-3-Clause */
/* Kind of stop: Dynamo decided to run a frame in eager mode. */
#ifndef DYNAMO_EVENT_EV_SKIP_H
#define DYNAMO_EVENT_EV_SKIP_H
#include "torch/cdbg_host.h"

struct compiling;

void ev_skip_emit(struct compiling *c, const char *reason);
extern const struct event_kind ev_skip;

#endif
