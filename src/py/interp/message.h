/* SPDX-License-Identifier: BSD-3-Clause */
/* The message of a logpoint: a text with {EXPR}, {EXPR!r}, {EXPR:SPEC} and {EXPR=}, as in an f-string; {{ and }} are
   braces.  Its expressions are compiled once.  Knows no breakpoint. */
#ifndef CDBG_MESSAGE_H
#define CDBG_MESSAGE_H
#include "py/interp/eval.h"

struct buf;
struct message;

/* It has a reference count, as struct expr has. */
struct message *message_new(const char *text, struct err *err); /* NULL: err says what is wrong, and where */
struct message *message_ref(struct message *m);			/* NULL stays NULL; returns m */
void message_unref(struct message *m);
const char *message_text(const struct message *m); /* as message_new() got it */
/*
 * Adds the text with the values of its expressions, at most max bytes of each.  One that raises is written as
 * "<NameError: name 'x' is not defined>", after explain, which may be NULL, had a look at it.  To be called inside a
 * stop; runs the program's code.
 */
void message_add(const struct message *m, const struct scope *sc, size_t max, struct buf *out,
		 void (*explain)(void *arg, struct err *err), void *arg);
/* The text as a command line has it: in double quotes, with a backslash before what would end it.  Within {} nothing is
   changed. */
void message_quote(const char *text, struct buf *out);
/* The opposite; a text without quotes stays as it is.  Owned by the caller. */
char *message_unquote(const char *typed);

#endif
