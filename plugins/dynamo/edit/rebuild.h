/* SPDX-License-Identifier: BSD-3-Clause */
/* The guards of an entry as its overrides want them: a tree built again from the record without what is dropped, and
   with what is added.  Counts the calls that only an override let in.  Knows no command and no cache. */
#ifndef DYNAMO_EDIT_REBUILD_H
#define DYNAMO_EDIT_REBUILD_H
#include "torch/host.h"

struct entry;
struct guard;
struct override;

#define EDIT_CONDITION "<condition of the debugger>"  /* the file name of what `guard add` evaluates */
/* A new root, NULL with err; manager: the entry's own. */
PyObject *leaf_root(struct entry *e, PyObject *manager, struct err *err);
/* A new root without these guards, whatever is overridden; NULL: it cannot be built, or there is no record. */
PyObject *leaf_without(struct entry *e, const struct guard *const *g, int n, struct err *err);
/* A Python condition over the function's arguments, to be put into a tree; NULL with err. */
PyObject *leaf_condition(struct entry *e, PyObject *manager, const char *text, struct err *err);
/* Calls that were served under it and would have missed; -1: not counted. */
long leaf_served(const struct override *o);
/* Does it let these locals pass, a condition of the user's?  -1: it raised. */
int leaf_passes(const struct override *o, PyObject *locals);
/* Does this value pass an edited guard as it is now? */
bool leaf_edited(const struct override *o, PyObject *value);
bool rebuilt_passes(int guard, PyObject *value);      /* likewise, by the guard's number */
void leaf_trying(bool on);                   /* a tree is asked by hand: that serves no call */

#endif
