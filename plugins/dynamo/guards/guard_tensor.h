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
/* The same after the call, by torch's reason, "tensor 'x' size mismatch at index 0. expected 2, actual 3": what the
   reason does not name is as the guard expects it.  False, with what the guard expects: the reason is another one. */
bool guard_tensor_reason(const struct guard *g, const char *reason, struct buf *expected, struct buf *live);

#endif
