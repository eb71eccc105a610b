/* SPDX-License-Identifier: BSD-3-Clause */
/* Entries with overrides: keeps the entry that Dynamo made, and puts into Dynamo's cache the entry that the active
   overrides require.  Knows no command. */
#ifndef DYNAMO_EDIT_OVERRIDDEN_H
#define DYNAMO_EDIT_OVERRIDDEN_H
#include "torch/cdbg_host.h"

struct entry;

/* Changes Dynamo's cache to what the active overrides on this entry require. */
int overridden_follow(struct entry *e, PyObject *order, bool front, struct err *err);
bool overridden_is(struct entry *e); /* is the original kept because overrides are active? */
/* The entry's original guards if others replace them in the cache: a new reference, else NULL. */
PyObject *overridden_original(struct entry *e);
/* The guards that an entry outside of Dynamo's cache would have in it: a new reference, else NULL. */
PyObject *overridden_manager(struct entry *e);
void overridden_forget(struct entry *e);		 /* the entry is gone: its overrides are dead */
void overridden_recode(struct entry *e, PyObject *code); /* the user gave a clone other code */
/* Releases the original if the entry has no active overrides any more. */
void overridden_settle(struct entry *e);
void overridden_forget_all(void);
void overridden_follow_order(void); /* makes Dynamo keep the order of entries while one is preferred */

#endif
