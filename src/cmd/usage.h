/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Arguments taken apart by their description, which is the text that help shows: "[-r] GUARD...|PATTERN [in ENTRY]".
 * In it, separated by spaces:
 *
 *     in  =  all      a word that is typed as it is: no capital letter in it
 *     [-r]            an option: typed before the other arguments, or as the last word
 *     ENTRY           an argument; its kind says what completes it and whether it is one word (struct cmd_kind).
 *                     Others take as many words as are left for them
 *     GUARD...        one or more words
 *     true|false      one of several, without spaces; with spaces around | one of several whole forms
 *     [with X=EXPR]   may be left out
 */
#ifndef CDBG_USAGE_H
#define CDBG_USAGE_H
#include <stddef.h>

struct cmd_args;
struct cmd_kind;
struct err;

struct usage {
	const char *before, *name;           /* "guard", "drop": for errors */
	const char *args;                    /* the description; NULL: no arguments */
	const struct cmd_kind *kinds, *core; /* kinds of arguments, the first wins; ends with name NULL; or NULL */
};

/* Take text apart.  0, and usage_release() is due; -1: err says what is missing, too much or wrong, and the usage. */
int usage_parse(const struct usage *u, const char *text, struct cmd_args *out, struct err *err);
void usage_release(struct cmd_args *a);
/*
 * What may follow text, which is empty or ends in a space: each word that is typed as it is (kind NULL) and each kind
 * of argument.
 */
void usage_next(const struct usage *u, const char *text,
		void (*each)(void *arg, const char *word, size_t n, const struct cmd_kind *kind), void *arg);

#endif
