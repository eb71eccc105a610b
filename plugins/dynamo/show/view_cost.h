/* SPDX-License-Identifier: BSD-3-Clause */
/* View: what checking guards costs, an entry whole and each leaf by itself, measured in place. */
#ifndef DYNAMO_SHOW_VIEW_COST_H
#define DYNAMO_SHOW_VIEW_COST_H
#include "torch/cdbg_host.h"

struct entry;
struct scene;

extern const struct view_ops view_cost;
/* What checking this entry costs with these values: "ns" of the whole check, and "guards", a list of "guard" and "ns"
   (null: it cannot be checked by itself).  The caller's; NULL: the entry's guards are gone. */
struct val *cost_measured(struct entry *e, const struct scene *scene);

#endif
