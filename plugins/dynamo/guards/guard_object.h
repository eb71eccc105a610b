/* SPDX-License-Identifier: BSD-3-Clause */
/* The expected and the actual value of guards on types and identities, by the name that the program has for it.
   Knows no view. */
#ifndef DYNAMO_GUARDS_GUARD_OBJECT_H
#define DYNAMO_GUARDS_GUARD_OBJECT_H
#include "torch/cdbg_host.h"
#include "guards/guard_eval.h"

struct guard;

void guard_type_expected(const struct guard *g, struct buf *out);
void guard_type_live(struct look *k, const struct guard *g, PyObject *v, enum verdict verdict, struct buf *expected,
		     struct buf *live);
void guard_id_expected(const struct guard *g, struct buf *out);
void guard_id_live(struct look *k, const struct guard *g, PyObject *v, enum verdict verdict, struct buf *expected,
		   struct buf *live);
void guard_full_type(PyTypeObject *t, struct buf *out);
/* "..., type=<class 'collections.OrderedDict'>": the class's name in the text, or NULL. */
const char *guard_class(const struct guard *g, size_t *n);

#endif
