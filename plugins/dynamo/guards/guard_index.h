/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds guards by source: those on one value, and those on values reached through given values.  An entry may
   have tens of thousands of guards, and commands take all of them at once, so no function here searches all guards
   for each one. */
#ifndef DYNAMO_GUARDS_GUARD_INDEX_H
#define DYNAMO_GUARDS_GUARD_INDEX_H
#include "torch/cdbg_host.h"

struct entry;
struct guard;

/* The guards of an entry on one value, in their order: an array of *n.  The entry's guards must have been read. */
const struct guard *const *guards_about(struct entry *e, const char *source, int *n);

/* A set of sources, which are borrowed; it has no "".  Zero it, add them, then ask. */
struct sources {
	const char **text; /* owned array */
	size_t n, cap;
	bool sorted;
};

void sources_add(struct sources *s, const char *source);
/* The source in the set that this one is or is reached through.  NULL: none. */
const char *sources_in(struct sources *s, const char *source);
void sources_release(struct sources *s);

#endif
