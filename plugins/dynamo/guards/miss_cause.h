/* SPDX-License-Identifier: BSD-3-Clause */
/* Why an entry was compiled although its function had others: from what was kept at the recompile, or from Dynamo's own
   reason, which names a guard of an earlier entry.  Knows no view. */
#ifndef DYNAMO_GUARDS_MISS_CAUSE_H
#define DYNAMO_GUARDS_MISS_CAUSE_H
#include "torch/cdbg_host.h"

struct entry;
struct guard;

/* The first of the guards that failed for the entry that Dynamo names first. */
struct miss_cause {
	const struct guard *guard; /* NULL: not found */
	char *text;		   /* owned: Dynamo's, or that of the guard */
	const char *remedy;	   /* NULL: none is known; valid while `kept` is */
};

/* Of an entry whose made.why is not NULL.  The text is owned by the caller. */
void miss_cause_of(struct entry *e, struct miss_cause *out);

#endif
