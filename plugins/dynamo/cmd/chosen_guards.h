/* SPDX-License-Identifier: BSD-3-Clause */
/* The guards that a command names: by number, source, pattern, entry. */
#ifndef DYNAMO_CMD_CHOSEN_GUARDS_H
#define DYNAMO_CMD_CHOSEN_GUARDS_H
#include "torch/cdbg_host.h"

struct entry;
struct guard;

struct chosen {
	const struct guard **g; /* those of an entry are adjacent */
	int n;
	size_t cap;
	bool *has; /* by number */
	size_t size;
	bool numbered; /* some by their numbers, not by a pattern */
};

bool chosen_has(const struct chosen *c, int number);
void chosen_release(struct chosen *c);
char *chosen_word(const char **args);
/* Those that one word names; in: among the guards of this entry. */
int chosen_guards_word(struct chosen *c, const char *word, struct entry *in, struct err *err);
/* The guards that "GUARD...|PATTERN" names; entry: only those of this entry, or NULL; below: and all that depend on
   their values. */
int chosen_by(const char *words, const char *entry, bool below, struct chosen *c, struct err *err);

#endif
