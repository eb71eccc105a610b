/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls that ended in an exception because torch may not compile again: the guards that failed, with the
   values of the call.  Knows no view and no stop. */
#ifndef DYNAMO_GUARDS_GUARD_REFUSED_H
#define DYNAMO_GUARDS_GUARD_REFUSED_H
#include "torch/cdbg_host.h"

/* A call is refused.  frame: what Dynamo was given, not kept.  detail: the entries that missed, as in struct
   entry_made; this takes ownership.  The last few calls are kept. */
void guard_refused_keep(PyObject *frame, struct val *detail);
/* The entries that missed in the call that this exception, or what caused it, refused: borrowed until the next
   guard_refused_keep(); NULL: it refused none.  The exception's tracebacks must have their frames. */
const struct val *guard_refused_of(PyObject *exc);

#endif
