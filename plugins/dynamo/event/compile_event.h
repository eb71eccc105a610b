/* SPDX-License-Identifier: BSD-3-Clause */
/* Stops that show a function being compiled as their innermost frame.  Knows no particular event. */
#ifndef DYNAMO_EVENT_COMPILE_EVENT_H
#define DYNAMO_EVENT_COMPILE_EVENT_H
#include "torch/cdbg_host.h"

struct compiling;

/* Offer a stop at the function being compiled; takes ownership of detail, but not of the lists. line: the current
   line, 0: its first. */
void compiling_event(const struct event_kind *kind, struct compiling *c, int line, const char *entry,
		     struct val *detail, const struct val *locals, const struct val *stack);
/* For these kinds: true if the words name the function that is being compiled. */
bool compiling_matches(const struct event *ev, const char *words);

#endif
