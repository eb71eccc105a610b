/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions that a rule keeps Dynamo from: torch's own files and other libraries', and what the program disabled.
   They have no place in the model, which would take them for functions to be compiled. */
#ifndef DYNAMO_OBSERVE_EXCLUDED_H
#define DYNAMO_OBSERVE_EXCLUDED_H
#include "torch/cdbg_host.h"
#include "torch/wrapper.h"

extern const struct watcher watch_disable;
void excluded_note(PyCodeObject *co, const char *reason);
/* false: past the last */
bool excluded_row(size_t i, const char **name, const char **file, int *line, const char **reason);

#endif
