/* SPDX-License-Identifier: BSD-3-Clause */
/* Kind of stop: a function has reached the recompile limit; calls that match no entry run in eager mode from then
   on. */
#ifndef DYNAMO_EVENT_EV_LIMIT_H
#define DYNAMO_EVENT_EV_LIMIT_H
#include "torch/cdbg_host.h"

struct compiling;
struct watcher;

extern const struct event_kind ev_limit;
extern const struct watcher watch_limit;
/* The result for a frame, NULL where the program asked for an exception at the limit: if it shows that the recompile
   limit is reached, reports this and returns true. */
bool ev_limit_emit(struct compiling *c, PyObject *code, PyObject *result);

#endif
