/* SPDX-License-Identifier: BSD-3-Clause */
/* Kind of stop: an entry does not fit a call, also where another one then does.  Dynamo's hook tells what a lookup came
   to but not of what; the code that starts next tells that, with the arguments still in its frame. */
#ifndef DYNAMO_EVENT_EV_GUARD_FAIL_H
#define DYNAMO_EVENT_EV_GUARD_FAIL_H
#include "torch/cdbg_host.h"

struct compiling;

extern const struct event_kind ev_guard_fail;
/* A frame that Dynamo is given because no entry fits it; c has no function yet. */
void ev_guard_fail_enter(struct compiling *c, PyObject *frame);

#endif
