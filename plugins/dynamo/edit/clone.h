/* SPDX-License-Identifier: BSD-3-Clause */
/* Clones: entries that the user makes from other entries, with the same guards and possibly other code.  Keeps the
   parts of a clone; ledger.c knows whether it is in Dynamo's cache. */
#ifndef DYNAMO_EDIT_CLONE_H
#define DYNAMO_EDIT_CLONE_H
#include "torch/cdbg_host.h"

struct entry;
struct cache_slot;

/* A new entry made from this one: its guards, and this code, which takes the same arguments and free variables.  It is
   not in the cache yet.  NULL with err. */
struct entry *clone_new(struct entry *parent, PyCodeObject *code, struct err *err);
/* Replace the code of a clone that is not in the cache; its number and its guards stay. */
int clone_may_recode(struct entry *e, struct err *err);
int clone_recode(struct entry *e, PyCodeObject *code, struct err *err);
/* The entry object that is put into the cache for a clone, without edits of guards; NULL: the entry is
   not a clone. */
const struct cache_slot *clone_slot(const struct entry *e);
void clone_forget(struct entry *e, const char *why);
void clones_forget(void);

#endif
