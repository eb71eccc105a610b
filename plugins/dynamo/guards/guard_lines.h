/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the line that made a guard: records Dynamo's stacks of the traced code while it compiles, and looks up in
   them the line that Dynamo shows after a guard.  Knows no tree and no view. */
#ifndef DYNAMO_GUARDS_GUARD_LINES_H
#define DYNAMO_GUARDS_GUARD_LINES_H
#include "torch/cdbg_host.h"
#include "torch/wrapper.h"

struct guard;
struct source_line;
struct stacks;

extern const struct watcher watch_guards;
extern const struct watcher watch_add_guard;
extern const struct watcher watch_shape_line;
/* source: that of the guard as Dynamo's str; NULL: it has none. */
void guard_find_line(struct guard *g, PyObject *source, const struct stacks *all);
const struct source_line *guard_outer(const struct guard *g); /* the line to show beside that one, or NULL */
void stacks_noted(struct stacks *s);			      /* no more come */
void stacks_forget(struct stacks *s);			      /* releases the Python objects; the lines stay */
void stacks_free(struct stacks *s);

#endif
