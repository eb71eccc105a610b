/* SPDX-License-Identifier: BSD-3-Clause */
/* What a dropped or changed guard may cost: the risk in one word, the line that made the guard, the graph nodes
   that read its value.  Changes nothing. */
#ifndef DYNAMO_EDIT_IMPACT_H
#define DYNAMO_EDIT_IMPACT_H
#include "torch/cdbg_host.h"

struct guard;

const char *impact_risk(const struct guard *g); /* "safe", "shape", ... */
/* Adds the line that made the guard, the graph nodes that read its value, and which calls the entry would serve
   without it. now: the text of the guard that replaces it, or NULL. */
void impact_tell(const struct guard *const *g, int n, const char *now, struct buf *out);

#endif
