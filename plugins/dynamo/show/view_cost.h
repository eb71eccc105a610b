/* SPDX-License-Identifier: BSD-3-Clause */
/* View: what checking guards costs, an entry whole and each leaf by itself, measured in place. */
#ifndef DYNAMO_SHOW_VIEW_COST_H
#define DYNAMO_SHOW_VIEW_COST_H
#include "torch/host.h"

extern const struct view_ops view_cost;

#endif
