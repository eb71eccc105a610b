/* SPDX-License-Identifier: BSD-3-Clause */
/* What `explain` says first, and all that it says of more than a person reads: causes of graph breaks and of compiles,
   equal ones once.  Knows no Python. */
#ifndef DYNAMO_SHOW_EXPLAIN_SHORT_H
#define DYNAMO_SHOW_EXPLAIN_SHORT_H
#include "torch/cdbg_host.h"

struct breakage;
struct entry;
struct func;

enum { EXPLAIN_LINES = 200 };

/* What is explained. */
struct explained {
	struct func *const *f; /* with their resume functions */
	size_t n;
	const struct entry *only; /* of its function no other; NULL: all entries */
};

/* At most EXPLAIN_LINES lines about it, with commands that show the rest. */
void explain_short(struct buf *out, const struct explained *x);
/* Why its graphs break and why it is compiled again, with remedies; a line if neither happened. */
void explain_short_causes(struct buf *out, const struct explained *x);

#endif
