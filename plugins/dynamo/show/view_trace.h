/* SPDX-License-Identifier: BSD-3-Clause */
/* View: Dynamo's symbolic run of a function, instruction by instruction. */
#ifndef DYNAMO_SHOW_VIEW_TRACE_H
#define DYNAMO_SHOW_VIEW_TRACE_H
#include "torch/cdbg_host.h"

extern const struct view_ops view_trace;

#endif
