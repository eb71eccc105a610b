/* SPDX-License-Identifier: BSD-3-Clause */
/* Precompiled entries that the program loaded: they go with a function's other entries, and are put back with them.
   Torch does not tell their code: it is noted when they are loaded.  Knows no override. */
#ifndef DYNAMO_EDIT_PRECOMPILED_H
#define DYNAMO_EDIT_PRECOMPILED_H
#include "torch/cdbg_host.h"
#include "torch/wrapper.h"

extern const struct watcher watch_precompiled;
/* Those of this code, in their order: a new list, NULL: none.  -1: they could not be put back. */
int precompiled_of(PyCodeObject *co, PyObject **out, struct err *err);
void precompiled_out(PyObject *list); /* out of the cache, and back in */
void precompiled_in(PyObject *list);
void precompiled_stop(void);

#endif
