/* SPDX-License-Identifier: BSD-3-Clause */
/* Which entry would take which calls, when some guards of one entry are gone or others.  It is told from guards alone:
   no value of a call is kept.  Changes nothing. */
#ifndef DYNAMO_EDIT_CALLS_H
#define DYNAMO_EDIT_CALLS_H
#include "torch/host.h"

struct guard;

/* gone: those of an entry in a row, by number. */
void calls_tell(const struct guard *const *gone, int n, const char *now, struct buf *out);

#endif
