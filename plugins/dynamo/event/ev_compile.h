/* SPDX-License-Identifier: BSD-3-Clause */
/* Kind of stop: Dynamo has compiled a frame; its generated code is about to run for the first time. */
#ifndef DYNAMO_EVENT_EV_COMPILE_H
#define DYNAMO_EVENT_EV_COMPILE_H
#include "torch/cdbg_host.h"

struct compiling;

void ev_compile_emit(struct compiling *c);
extern const struct event_kind ev_compile;

#endif
