/* SPDX-License-Identifier: BSD-3-Clause */
/* What it may cost that a guard is gone or another: the risk in a word, the line that made it, the graph nodes that
   read its value.  Changes nothing. */
#ifndef DYNAMO_EDIT_IMPACT_H
#define DYNAMO_EDIT_IMPACT_H
#include "torch/cdbg_host.h"

struct guard;

const char *impact_risk(const struct guard *g); /* "safe", "shape", ... */
/* The line that made it, the graph nodes that read it, whose calls the entry would take.  now: the text of the guard
   that an edit puts in its place, NULL: nothing. */
void impact_tell(const struct guard *const *g, int n, const char *now, struct buf *out);

#endif
