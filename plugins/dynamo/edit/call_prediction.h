/* SPDX-License-Identifier: BSD-3-Clause */
/* Predicts which entry would take which calls if some guards of an entry are dropped or changed.  Uses guards only: no
   value of a call is kept.  Changes nothing. */
#ifndef DYNAMO_EDIT_CALL_PREDICTION_H
#define DYNAMO_EDIT_CALL_PREDICTION_H
#include "torch/cdbg_host.h"

struct guard;

/* gone: the guards of an entry that are dropped, by number. */
void call_prediction_add(const struct guard *const *gone, int n, const char *now, struct buf *out);

#endif
