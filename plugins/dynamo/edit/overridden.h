/* SPDX-License-Identifier: BSD-3-Clause */
/* Entries with overrides: keeps the entry that Dynamo made, and puts into the cache the one that follows from the
   overrides in force.  Knows no command. */
#ifndef DYNAMO_EDIT_OVERRIDDEN_H
#define DYNAMO_EDIT_OVERRIDDEN_H
#include "torch/cdbg_host.h"

struct entry;

/* Make the cache follow the overrides in force on this entry. */
int overridden_follow(struct entry *e, PyObject *order, bool front, struct err *err);
bool overridden_is(struct entry *e); /* what Dynamo made of it is kept: overrides are in force */
/* The entry's guards as Dynamo made them, when others stand in for them: a new reference, else NULL. */
PyObject *overridden_original(struct entry *e);
/* The guards of an entry that is not in Dynamo's cache, as they would be in it: a new reference, else NULL. */
PyObject *overridden_manager(struct entry *e);
void overridden_forget(struct entry *e);		 /* it is gone: what is in force on it is dead */
void overridden_recode(struct entry *e, PyObject *code); /* a clone got other code */
/* An entry that is again as Dynamo made it is held no more. */
void overridden_settle(struct entry *e);
void overridden_forget_all(void);
void overridden_follow_order(void); /* Dynamo keeps the order of entries while one is to be tried first */

#endif
