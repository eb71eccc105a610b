/* SPDX-License-Identifier: BSD-3-Clause */
/* Kind of stop: an entry does not match a call, even if another one does. Dynamo's hook reports the result of a
   lookup, but not its function; that is known from the code that starts next, whose frame still has the arguments. */
#ifndef DYNAMO_EVENT_EV_GUARD_FAIL_H
#define DYNAMO_EVENT_EV_GUARD_FAIL_H
#include "torch/cdbg_host.h"

struct compiling;

extern const struct event_kind ev_guard_fail;
/* Dynamo gets a frame because no entry matches it; c has no function yet. */
void ev_guard_fail_enter(struct compiling *c, PyObject *frame);

#endif
