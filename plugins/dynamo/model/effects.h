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
	long length; /* of a container afterwards; -1: not a container, or not known */
};

struct entry;

void effects_free(struct effect *e);
/* "L['self'].calls" is what a person calls self.calls: owned by the caller. */
char *effect_target(const char *source);
/* The length that the entry's generated code leaves to the list, dict or set with this source; -1: it changes no items
   of it, or the length is not known. */
long effects_length(const struct entry *e, const char *source);

#endif
