/* SPDX-License-Identifier: BSD-3-Clause */
/* Kind of stop: a graph break, when Dynamo meets it while it compiles, or (-r) each time execution reaches one. */
#ifndef DYNAMO_EVENT_EV_GRAPH_BREAK_H
#define DYNAMO_EVENT_EV_GRAPH_BREAK_H
#include "torch/cdbg_host.h"
#include "torch/wrapper.h"

struct compiling;

extern const struct watcher watch_log_break;
extern const struct watcher watch_said_break;
extern const struct watcher watch_subgraph;
extern const struct watcher watch_unsupported;
extern const struct watcher watch_erase;
void ev_graph_break_wake(void);
/* An exception ended a compile: it may be a break that torch does not log. whole: the function had to be one graph. */
void ev_graph_break_escaped(struct compiling *c, PyObject *exc, bool whole);
extern const struct event_kind ev_graph_break;

#endif
