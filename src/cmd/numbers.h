/* SPDX-License-Identifier: BSD-3-Clause */
/* What the commands about breakpoints share: lists of numbers, and `if COND` behind something. */
#ifndef CDBG_NUMBERS_H
#define CDBG_NUMBERS_H
#include "base/buf.h"

struct bp;
struct err;
struct expr;
struct session;

/* One breakpoint by its number; `$bpnum`, `$` and "": the one last made. */
struct bp *bp_named(struct session *s, const char *text, struct err *err);
/*
 * Each breakpoint of a list ("1 3-5"): all are looked up before the first is touched, so that a wrong number
 * changes nothing.  Of a range those that exist are taken.
 */
int bp_each_named(struct session *s, const char *args, void (*each)(struct session *s, struct bp *b, struct buf *out),
		  struct buf *out, struct err *err);
/* Splits "WHAT if COND": what (added to) and the condition, NULL when there is none. */
int bp_split_if(const char *args, struct buf *what, struct expr **cond, struct err *err);
/* Numbers of all, for completion. */
struct val;
void bp_complete_number(struct session *s, const char *args, const char *word, struct val *list);

#endif
