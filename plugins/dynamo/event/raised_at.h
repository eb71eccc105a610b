/* SPDX-License-Identifier: BSD-3-Clause */
/* The program's line for an exception that Dynamo or a backend raised while it compiled. */
#ifndef DYNAMO_EVENT_RAISED_AT_H
#define DYNAMO_EVENT_RAISED_AT_H
#include "torch/cdbg_host.h"

/* As plug_ops.raised_at. */
bool raised_at(PyObject *exc, const char **file, const char **function, int *line);

#endif
