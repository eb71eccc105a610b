/* SPDX-License-Identifier: BSD-3-Clause */
/* View: where the time of compiles went, by phase, or by line, module and operator. */
#ifndef DYNAMO_SHOW_VIEW_TIMES_H
#define DYNAMO_SHOW_VIEW_TIMES_H
#include "torch/cdbg_host.h"

extern const struct view_ops view_times;

#endif
