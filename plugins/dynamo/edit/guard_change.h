/* SPDX-License-Identifier: BSD-3-Clause */
/* Another value for a guard, by its kind: the call that built it with other arguments.  What has none is refused, with
   the reason.  Knows no ledger. */
#ifndef DYNAMO_EDIT_GUARD_CHANGE_H
#define DYNAMO_EDIT_GUARD_CHANGE_H
#include "torch/host.h"

struct guard;

/* Calls that build this guard with another value: a list for record_replay(), NULL with err. */
PyObject *change_guard(const struct guard *g, const char *words, struct err *err);
const char *change_text(PyObject *calls);    /* the guard's text then: the calls', or NULL */
int change_may(const struct guard *g, struct err *err);      /* has it any? */
/* What that would be for the value it has: added to out. */
void change_now(const struct guard *g, struct buf *out);

#endif
