/* SPDX-License-Identifier: BSD-3-Clause */
/* View: why entries do not fit the call in the selected frame: every failing guard, and what to change. */
#ifndef DYNAMO_SHOW_VIEW_WHY_H
#define DYNAMO_SHOW_VIEW_WHY_H
#include "torch/cdbg_host.h"

extern const struct view_ops view_why;

#endif
