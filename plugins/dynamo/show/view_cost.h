/* SPDX-License-Identifier: BSD-3-Clause */
/* View: the time to check guards, for a whole entry and for each leaf, measured in this process. */
#ifndef DYNAMO_SHOW_VIEW_COST_H
#define DYNAMO_SHOW_VIEW_COST_H
#include "torch/cdbg_host.h"

struct entry;
struct scene;

extern const struct view_ops view_cost;
/* The time to check this entry with these values: "ns" of the whole check, and "guards", a list of "guard" and "ns"
   (null: it cannot be checked alone). Owned by the caller; NULL: the entry's guards no longer exist. */
struct val *view_cost_measured(struct entry *e, const struct scene *scene);

#endif
