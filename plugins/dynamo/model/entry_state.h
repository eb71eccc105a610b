/* SPDX-License-Identifier: BSD-3-Clause */
/* The state of an entry: what Dynamo's cache says, and what the user's edits made of it, which their layer tells. */
#ifndef DYNAMO_MODEL_ENTRY_STATE_H
#define DYNAMO_MODEL_ENTRY_STATE_H
#include "torch/cdbg_host.h"

struct entry;

/* What the user's edits make of an entry; edit/ registers it once. */
struct entry_edits {
	const char *(*state)(struct entry *e); /* "disabled", "edited", ...; NULL: as Dynamo made it */
	/* Its guards as Dynamo made them, where others stand in for them: a new reference, else NULL. */
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
bool model_cached(struct entry *e);	  /* in Dynamo's cache, whatever was done to it there */

#endif
