/* SPDX-License-Identifier: BSD-3-Clause */
/* Which functions and entries of two reports belong together.  Knows the data tree only. */
#ifndef DYNAMO_REPORT_DIFF_PAIRS_H
#define DYNAMO_REPORT_DIFF_PAIRS_H
#include <stdint.h>
#include "torch/cdbg_host.h"

/* A function in both reports; from NULL: it is new; to NULL: it is gone. */
struct pair {
	const struct val *from, *to;
	char *renamed; /* how this is known: "its source is the same"; NULL: it has the same name.  Owned */
};

struct pairs {
	struct pair *pair; /* owned: those that are gone, then those of the later report in its order */
	size_t n;
};

/* Functions belong together if name and file name are the same; of several of one name those with the same source, then
   the first with the first.  Of those left in the same file, one was renamed to another if
   - both have a source: all lines are the same, or at least four and three quarters of those of the longer one; or
   - neither has: they have as many entries, whose captured graphs are the same and have at least three operations;
   and each is nearer to the other than to any third one. */
void pairs_find(const struct val *before, const struct val *after, struct pairs *out);
void pairs_release(struct pairs *p);
/* The source of a guard in the earlier report and in the later one: a function that was renamed is the same global. */
bool pairs_same_source(const struct pairs *p, const char *from, const char *to);

/* What tells the entries of a function apart: the code that they are of, and how many of that code came before. */
struct entry_place {
	uint64_t line; /* a resume function: the text of the line where it resumes; 0: the function itself */
	int nth;       /* of the resume functions at that line */
	int rank;
};

/* One for each entry; owned by the caller. */
struct entry_place *entry_places(const struct val *function);
/* The entry of a function at the place; NULL: none. */
const struct val *entry_at_place(const struct val *function, const struct entry_place *of,
				 const struct entry_place *place);

#endif
