/* SPDX-License-Identifier: BSD-3-Clause */
/* Kind of stop: a node or kernel of a compiled graph made a NaN or an Inf. */
#ifndef DYNAMO_EVENT_EV_NAN_H
#define DYNAMO_EVENT_EV_NAN_H
#include "torch/cdbg_host.h"

extern const struct event_kind ev_nan;

#endif
