/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by the commands for breakpoints: lists of numbers, and `if COND`. */
#ifndef CDBG_BP_NUMBERS_H
#define CDBG_BP_NUMBERS_H
#include "base/buf.h"

struct bp;
struct err;
struct expr;
struct session;

/* One breakpoint by its number; `$bpnum`, `$` and "": the one set last. */
struct bp *bp_named(struct session *s, const char *text, struct err *err);
/*
 * Each breakpoint of a list ("1 3-5"): all are looked up before the first is changed, so that a wrong number changes
 * nothing.  From a range those that exist are used.
 */
int bp_each_named(struct session *s, const char *args, void (*each)(struct session *s, struct bp *b, struct buf *out),
		  struct buf *out, struct err *err);
/* Splits "WHAT if COND": what (added to) and the condition; NULL: no condition. */
int bp_split_if(const char *args, struct buf *what, struct expr **cond, struct err *err);
/* The numbers of all breakpoints, for completion. */
struct val;
void bp_complete_number(struct session *s, const char *args, const char *word, struct val *list);
/* A breakpoint's number, as the first word only. */
void bp_complete_one(struct session *s, const char *args, const char *word, struct val *list);
/* A breakpoint's number as the first word, then names for its condition. */
void bp_complete_condition(struct session *s, const char *args, const char *word, struct val *list);

#endif
