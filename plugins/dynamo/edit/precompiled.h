/* SPDX-License-Identifier: BSD-3-Clause */
/* Precompiled entries that the program loaded: they go with a function's other entries, and are put back with them.
   Torch does not tell their code: it is noted when they are loaded.  Knows no override. */
#ifndef DYNAMO_EDIT_PRECOMPILED_H
#define DYNAMO_EDIT_PRECOMPILED_H
#include "torch/host.h"
#include "torch/watch.h"

extern const struct watcher watch_precompiled;
/* Those of this code, in their order: a new list, NULL: none.  -1: they could not be put back. */
int loaded_of(PyCodeObject *co, PyObject **out, struct err *err);
void loaded_out(PyObject *list);             /* out of the cache, and back in */
void loaded_in(PyObject *list);
void loaded_stop(void);

#endif
