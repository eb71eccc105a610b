/* SPDX-License-Identifier: BSD-3-Clause */
/* Guards that failed for one cause, such as train() then eval(), which changes a flag of each module: one for a person.
   Knows the rows that why_detail() makes, and no Python. */
#ifndef DYNAMO_GUARDS_GUARD_CAUSE_H
#define DYNAMO_GUARDS_GUARD_CAUSE_H
#include "torch/cdbg_host.h"

enum { CAUSE_GUARDS = 2 };

struct guard_cause {
	const struct val *guard[CAUSE_GUARDS]; /* the first of them, borrowed */
	size_t n;			       /* all of them */
};

/* The causes of these failing guards, in their order; failing may be NULL.  The array is owned by the caller. */
struct guard_cause *guard_causes(const struct val *failing, size_t *n);
/* May guards of one kind on these sources have one cause, if they found and expected the same? */
bool guard_sources_alike(const char *kind, const char *a, const char *b);
/* "n is 3, expected 2", "6 guards: training, now eval (h[0].drop, h[1].drop and 4 more)"; values are cut at columns. */
void guard_cause_text(const struct guard_cause *c, size_t columns, struct buf *out);

#endif
