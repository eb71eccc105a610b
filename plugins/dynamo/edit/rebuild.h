/* SPDX-License-Identifier: BSD-3-Clause */
/* Builds the guards of an entry as its overrides require: the tree again from its record, without the dropped
   guards and with the added ones.  Counts the calls that only an override let in.  Knows no command and no cache. */
#ifndef DYNAMO_EDIT_REBUILD_H
#define DYNAMO_EDIT_REBUILD_H
#include "torch/cdbg_host.h"

struct entry;
struct guard;
struct override;

/* A new root; NULL with err. manager: the entry's original one. */
PyObject *rebuild_root(struct entry *e, PyObject *manager, struct err *err);
/* A new root without these guards, whatever overrides there are; NULL: it cannot be built, or there is
   no record. */
PyObject *rebuild_without(struct entry *e, const struct guard *const *g, int n, struct err *err);
/* How many calls the entry served that would have missed without this override; -1: not counted. */
long rebuild_served(const struct override *o);
bool rebuild_guard_passes(int guard, PyObject *value); /* the same, by the guard's number */

#endif
