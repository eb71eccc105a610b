/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Parses arguments by their description, which is the text that help shows: "[-r] GUARD...|PATTERN [in ENTRY]".
 * It consists of, separated by spaces:
 *
 *     in  =  all      a literal word: no capital letter in it
 *     [-r]            an option: typed before the other arguments, or as the last word
 *     ENTRY           an argument; its kind says what completes it and whether it is one word (struct cmd_kind).
 *                     Others take as many words as are left for them.  One word is followed by words in
 *                     parentheses if its kind says that it is valid with these: f (resumed at line 12)
 *     GUARD...        one or more words
 *     true|false      one of several, without spaces; with spaces around | one of several whole forms
 *     [with X=EXPR]   optional
 */
#ifndef CDBG_USAGE_H
#define CDBG_USAGE_H
#include <stddef.h>

struct cmd_args;
struct cmd_kind;
struct err;

struct usage {
	const char *before, *name;	     /* "guard", "drop": for errors */
	const char *args;		     /* the description; NULL: no arguments */
	const struct cmd_kind *kinds, *core; /* kinds of arguments, the first wins; ends with name NULL; or NULL */
};

/* Parse text.  0, and usage_release() is due; -1: err reports what is missing, superfluous or wrong, and the usage. */
int usage_parse(const struct usage *u, const char *text, struct cmd_args *out, struct err *err);
void usage_release(struct cmd_args *a);
/* What can follow text, which is empty or ends in a space: each literal word (kind NULL) and each kind of argument.  n
   is 0 where an argument that began at word may have more words, in parentheses. */
void usage_next(const struct usage *u, const char *text,
		void (*each)(void *arg, const char *word, size_t n, const struct cmd_kind *kind), void *arg);

#endif
