/* SPDX-License-Identifier: BSD-3-Clause */
/* A Python condition that the user puts into the guards of an entry, over the arguments of its function. */
#ifndef DYNAMO_EDIT_CONDITION_H
#define DYNAMO_EDIT_CONDITION_H
#include "torch/host.h"

struct entry;
struct override;

#define EDIT_CONDITION "<condition of the debugger>"  /* the file name of what `guard add` evaluates */

/* A Python condition over the function's arguments, to be put into a tree; NULL with err. */
PyObject *condition_new(struct entry *e, PyObject *manager, const char *text, struct err *err);
/* Does it let these locals pass, a condition of the user's?  -1: it raised. */
int condition_passes(const struct override *o, PyObject *locals);
void condition_trying(bool on);                   /* a tree is asked by hand: that serves no call */
bool condition_tried(void);

#endif
