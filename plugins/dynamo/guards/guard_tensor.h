/* SPDX-License-Identifier: BSD-3-Clause */
/* What a guard on a tensor expects and what there is, in the form that summaries of tensors have.  Knows no view. */
#ifndef DYNAMO_GUARDS_GUARD_TENSOR_H
#define DYNAMO_GUARDS_GUARD_TENSOR_H
#include "torch/cdbg_host.h"
#include "guards/guard_eval.h"

struct guard;

void guard_tensor_expected(const struct guard *g, struct buf *out);
void guard_tensor_live(struct look *k, const struct guard *g, PyObject *v, enum verdict verdict, struct buf *expected,
		       struct buf *live);

#endif
