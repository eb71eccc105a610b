/* SPDX-License-Identifier: BSD-3-Clause */
/* Changes the value that a guard expects: repeats the call that built the guard with other arguments, depending on
   its kind.  Refuses kinds that cannot be changed, with the reason.  Knows no ledger. */
#ifndef DYNAMO_EDIT_GUARD_CHANGE_H
#define DYNAMO_EDIT_GUARD_CHANGE_H
#include "torch/cdbg_host.h"

struct guard;

/* The calls that build this guard with another value, a list for replay_all(); NULL with err. */
PyObject *guard_change_calls(const struct guard *g, const char *words, struct err *err);
const char *guard_change_text(PyObject *calls); /* the changed guard's text, owned by the caller; or NULL */
int guard_change_may(const struct guard *g, struct err *err); /* can guards of its kind be changed? */
/* Adds the text of the present value to out, as `guard edit` takes it. */
void guard_change_now(const struct guard *g, struct buf *out);

#endif
