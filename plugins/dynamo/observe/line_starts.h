/* SPDX-License-Identifier: BSD-3-Clause */
/* Records the lines that Dynamo evaluates while it compiles, in the function and in all that it inlines: a line
   that puts nothing into a graph leaves no other trace.  Changes nothing; knows no breakpoint and no region. */
#ifndef DYNAMO_OBSERVE_LINE_STARTS_H
#define DYNAMO_OBSERVE_LINE_STARTS_H
#include "torch/cdbg_host.h"
#include "torch/wrapper.h"

struct compiling;

extern const struct watcher watch_starts_line;
/* A translator begins.  If it is the outermost one, discards the lines of an earlier attempt to compile. */
void evaluated_again(struct compiling *c, PyObject *tx);

#endif
