/* SPDX-License-Identifier: BSD-3-Clause */
/* Precompiled entries that the program loaded: they are removed and restored together with a function's other
   entries.  Torch does not return their code, so it is recorded when they are loaded.  Knows no override. */
#ifndef DYNAMO_EDIT_PRECOMPILED_H
#define DYNAMO_EDIT_PRECOMPILED_H
#include "torch/cdbg_host.h"
#include "torch/wrapper.h"

extern const struct watcher watch_precompiled;
/* The precompiled entries of this code, in order: a new list; NULL: there are none. -1: they could not be
   restored. */
int precompiled_of(PyCodeObject *co, PyObject **out, struct err *err);
void precompiled_out(PyObject *list); /* remove them from the cache, and restore them */
void precompiled_in(PyObject *list);
void precompiled_stop(void);

#endif
