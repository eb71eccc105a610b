/* SPDX-License-Identifier: BSD-3-Clause */
/* The expected and the actual value of a guard on a tensor, in the form of tensor summaries.  Knows no view. */
#ifndef DYNAMO_GUARDS_GUARD_TENSOR_H
#define DYNAMO_GUARDS_GUARD_TENSOR_H
#include "torch/cdbg_host.h"
#include "guards/guard_eval.h"

struct guard;

void guard_tensor_expected(const struct guard *g, struct buf *out);
void guard_tensor_live(struct look *k, const struct guard *g, PyObject *v, enum verdict verdict, struct buf *expected,
		       struct buf *live);

#endif
