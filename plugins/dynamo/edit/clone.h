/* SPDX-License-Identifier: BSD-3-Clause */
/* Clones: entries of the user's own, with the guards of the entry they are made from and code that may be another.
   What a clone is made of is kept here; whether it is in Dynamo's cache is the ledger's. */
#ifndef DYNAMO_EDIT_CLONE_H
#define DYNAMO_EDIT_CLONE_H
#include "torch/host.h"

struct entry;
struct slot;

/* A new entry beside this one: its guards, this code, which takes the same arguments and free variables.  It is in no
   cache yet.  NULL with err. */
struct entry *clone_new(struct entry *parent, PyCodeObject *code, struct err *err);
/* Other code for a clone that is not in the cache: its number and its guards stay. */
int clone_may_recode(struct entry *e, struct err *err);
int clone_recode(struct entry *e, PyCodeObject *code, struct err *err);
/* What stands in the cache for it, guards unedited; NULL: it is no clone. */
const struct slot *clone_slot(const struct entry *e);
void clone_forget(struct entry *e, const char *why);
void clones_forget(void);

#endif
