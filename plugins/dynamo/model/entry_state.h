/* SPDX-License-Identifier: BSD-3-Clause */
/* The state of an entry: that in Dynamo's cache, and what the user's edits changed, as edit/ reports it. */
#ifndef DYNAMO_MODEL_ENTRY_STATE_H
#define DYNAMO_MODEL_ENTRY_STATE_H
#include "torch/cdbg_host.h"

struct entry;

/* Functions that report how the user's edits changed an entry. edit/ registers them once. */
struct entry_edits {
	const char *(*state)(struct entry *e); /* "disabled", "edited", ...; NULL: as Dynamo made it */
	/* The entry's original guards, if others replace them in the cache: a new reference, else NULL. */
	PyObject *(*original)(struct entry *e);
	/* The guards of an entry that is not in Dynamo's cache, as they would be in it: the same. */
	PyObject *(*manager)(struct entry *e);
	int (*more_guards)(struct entry *e); /* how many more it has than Dynamo made */
};

void entry_edits_register(const struct entry_edits *by);
const char *entry_edited(struct entry *e);
PyObject *entry_original(struct entry *e);
int entry_more_guards(struct entry *e);
/* "live", "invalidated", "reset": asks Dynamo. */
const char *model_state(struct entry *e);
PyObject *model_manager(struct entry *e); /* its guard manager now: a new reference, NULL: gone */
/* At 'catch compile' an entry is not yet in Dynamo's cache: -1 with the error; else 0. */
int entry_not_fresh(const struct entry *e, struct err *err);
bool model_cached(struct entry *e); /* is it in Dynamo's cache, edited or not? */

#endif
