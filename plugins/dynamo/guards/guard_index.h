/* SPDX-License-Identifier: BSD-3-Clause */
/* Guards by their source: those about one value, and those about values reached through some values.  An entry may have
   tens of thousands, and commands take all of them at once, so no function here searches all for each. */
#ifndef DYNAMO_GUARDS_GUARD_INDEX_H
#define DYNAMO_GUARDS_GUARD_INDEX_H
#include "torch/cdbg_host.h"

struct entry;
struct guard;

/* The guards of an entry, which were read, about one value, in their order: an array of *n. */
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
