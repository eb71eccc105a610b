/* SPDX-License-Identifier: BSD-3-Clause */
/* Notes what Dynamo reads while it compiles: values with a source, functions that it inlines, results that it takes
   once, hooks of modules for which it asks a guard.  Changes nothing, and realizes no variable of Dynamo's. */
#ifndef DYNAMO_OBSERVE_READING_H
#define DYNAMO_OBSERVE_READING_H
#include "torch/cdbg_host.h"

struct compiling;

extern const struct watcher watch_build;
extern const struct watcher watch_constant_result;
extern const struct watcher watch_guards_asked; /* with watch_guards_timed */
/* A translator begins: the outermost one of an attempt, which may not be the first, or that of an inlined function. */
void reading_begins(struct compiling *c, PyObject *tx);

#endif
