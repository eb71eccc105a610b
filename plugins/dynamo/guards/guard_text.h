/* SPDX-License-Identifier: BSD-3-Clause */
/* The expected and the actual value of a guard as text for people, by kind of guard.  Knows no view. */
#ifndef DYNAMO_GUARDS_GUARD_TEXT_H
#define DYNAMO_GUARDS_GUARD_TEXT_H
#include "torch/cdbg_host.h"
#include "guards/guard_eval.h"

struct guard;

void guard_expected(const struct guard *g, struct buf *out);
/* The whole guard as one expression: Dynamo's own code, the check of a type as Python has it.  As a comment where
   Dynamo has only words for it. */
void guard_python(const struct guard *g, struct buf *out);
/* One condition of a guard on symbolic shapes, which passes or fails as a whole; and what guard_live() reports for
   it. */
enum verdict guard_part_check(struct look *k, const struct guard *part, enum verdict whole);
void guard_part_live(struct look *k, const struct guard *part, enum verdict v, struct buf *expected, struct buf *live);
/* Adds the actual value at the guard's source; nothing if it is not known. */
void guard_live(struct look *k, int leaf, enum verdict v, struct buf *expected, struct buf *live);
/* A value, as short as the views have it. */
void guard_show(PyObject *v, struct buf *out);

#endif
