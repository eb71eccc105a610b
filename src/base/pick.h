/* SPDX-License-Identifier: BSD-3-Clause */
/* Choosing from a list of names: exact, by another name, by an unambiguous prefix; else an error that suggests the
   nearest one.  Knows nothing about the things that have these names. */
#ifndef CDBG_PICK_H
#define CDBG_PICK_H
#include <stdbool.h>

struct err;

struct pick {
	const char *what;   /* what the names are, for errors: "command" */
	const char *before; /* put before a name in errors ("guard "), or NULL */
	const char *list;   /* how to list them: "'help' lists the commands"; NULL: the error does */
	/* The i-th name, NULL past the last, "" for one that cannot be chosen. */
	const char *(*at)(const void *arg, int i);
	/* Its other names, separated by spaces, or NULL; the function may be NULL. */
	const char *(*alias)(const void *arg, int i);
	const void *arg;
};

/* Is this one of the words of a list, which spaces separate?  list may be NULL. */
bool pick_has_word(const char *list, const char *word);
/* The index of the name that is `word`, or else that begins with it; -1 with err. */
int pick_name(const struct pick *p, const char *word, struct err *err);
/* Only the name itself or another name of it; -1: there is none. */
int pick_exact(const struct pick *p, const char *word);
/* The name that `word` is a misspelling of; NULL: none is near enough. */
const char *pick_nearest(const struct pick *p, const char *word);

#endif
