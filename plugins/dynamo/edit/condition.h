/* SPDX-License-Identifier: BSD-3-Clause */
/* A Python condition over the arguments of a function, which the user adds to the guards of an entry. */
#ifndef DYNAMO_EDIT_CONDITION_H
#define DYNAMO_EDIT_CONDITION_H
#include "torch/cdbg_host.h"

struct entry;
struct override;

#define EDIT_CONDITION "<condition of the debugger>" /* the file name of the code that `guard add` evaluates */

/* A Python condition over the function's arguments, to be added to a guard tree; NULL with err. */
PyObject *condition_new(struct entry *e, PyObject *manager, const char *text, struct err *err);
/* Does this condition of the user pass for these locals?  -1: it raised. */
int condition_passes(const struct override *o, PyObject *locals);
void condition_trying(bool on); /* cdbg evaluates a guard tree itself: the counters of served calls do not change */
bool condition_tried(void);

#endif
