/* SPDX-License-Identifier: BSD-3-Clause */
/* Kind of stop: a call whose entry fits although a value has changed that Dynamo read and no guard covers. */
#ifndef DYNAMO_EVENT_EV_STALE_H
#define DYNAMO_EVENT_EV_STALE_H
#include "torch/cdbg_host.h"

extern const struct event_kind ev_stale;

#endif
