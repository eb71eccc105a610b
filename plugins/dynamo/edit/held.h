/* SPDX-License-Identifier: BSD-3-Clause */
/* Entries with overrides: keeps the entry that Dynamo made, and puts into the cache the one that follows from the
   overrides in force.  Knows no command. */
#ifndef DYNAMO_EDIT_HELD_H
#define DYNAMO_EDIT_HELD_H
#include "torch/host.h"

struct entry;

/* Make the cache follow the overrides in force on this entry. */
int held_follow(struct entry *e, PyObject *order, bool front, struct err *err);
bool held_is(struct entry *e); /* what Dynamo made of it is kept: overrides are in force */
/* The entry's guards as Dynamo made them, when others stand in for them: a new reference, else NULL. */
PyObject *held_original(struct entry *e);
/* The guards of an entry that is not in Dynamo's cache, as they would be in it: a new reference, else NULL. */
PyObject *held_manager(struct entry *e);
void held_forget(struct entry *e);		   /* it is gone: what is in force on it is dead */
void held_recode(struct entry *e, PyObject *code); /* a clone got other code */
/* An entry that is again as Dynamo made it is held no more. */
void held_settle(struct entry *e);
void held_forget_all(void);
void held_follow_order(void); /* Dynamo keeps the order of entries while one is to be tried first */

#endif
