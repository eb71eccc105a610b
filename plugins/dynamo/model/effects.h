/* SPDX-License-Identifier: BSD-3-Clause */
/* The side effects that generated code replays after its graph. */
#ifndef DYNAMO_MODEL_EFFECTS_H
#define DYNAMO_MODEL_EFFECTS_H
#include "torch/cdbg_host.h"

struct effect {
	struct effect *next;
	const char *kind; /* "list", "attribute", "global", ...: the model's */
	char *target;	  /* "self.calls" */
	const char *file; /* the model's, NULL: not known */
	int line;
};

struct entry;

void effects_free(struct effect *e);
/* "L['self'].calls" is what a person calls self.calls: owned by the caller. */
char *effect_target(const char *source);
/* Does the entry's function, or one of its pieces, change items of the object with this source? */
bool effects_change(const struct entry *e, const char *source);

#endif
