/* SPDX-License-Identifier: BSD-3-Clause */
/* Changes the value that a guard expects, by its kind: repeats the call that built it with other arguments.  Kinds that
   cannot be changed are refused, with the reason.  Knows no ledger. */
#ifndef DYNAMO_EDIT_GUARD_CHANGE_H
#define DYNAMO_EDIT_GUARD_CHANGE_H
#include "torch/cdbg_host.h"

struct guard;

/* Calls that build this guard with another value: a list for record_replay(), NULL with err. */
PyObject *change_guard(const struct guard *g, const char *words, struct err *err);
const char *change_text(PyObject *calls);		/* the text of the guard then: the caller's, or NULL */
int change_may(const struct guard *g, struct err *err); /* does it have any? */
/* The argument that stands for its present value: added to out. */
void change_now(const struct guard *g, struct buf *out);

#endif
