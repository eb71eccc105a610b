/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions that Dynamo does not compile because of a rule: those in files of torch and of other libraries, and
   those that the program disabled.  They are not in the model, which holds functions that may be compiled. */
#ifndef DYNAMO_OBSERVE_EXCLUDED_H
#define DYNAMO_OBSERVE_EXCLUDED_H
#include "torch/cdbg_host.h"
#include "torch/wrapper.h"

extern const struct watcher watch_disable;
void excluded_note(PyCodeObject *co, const char *reason);
/* false: past the last */
bool excluded_row(size_t i, const char **name, const char **file, int *line, const char **reason);

#endif
