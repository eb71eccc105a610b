/* SPDX-License-Identifier: BSD-3-Clause */
/* Predicts which entry would take which calls if some guards of an entry are dropped or changed.  Uses guards only: no
   value of a call is kept.  Changes nothing. */
#ifndef DYNAMO_EDIT_CALLS_H
#define DYNAMO_EDIT_CALLS_H
#include "torch/host.h"

struct guard;

/* gone: the guards of an entry that are dropped, by number. */
void calls_tell(const struct guard *const *gone, int n, const char *now, struct buf *out);

#endif
