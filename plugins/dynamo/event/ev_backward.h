/* SPDX-License-Identifier: BSD-3-Clause */
/* Kind of stop: a compiled backward graph begins. */
#ifndef DYNAMO_EVENT_EV_BACKWARD_H
#define DYNAMO_EVENT_EV_BACKWARD_H
#include "torch/cdbg_host.h"

extern const struct event_kind ev_backward;

#endif
