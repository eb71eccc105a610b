/* SPDX-License-Identifier: BSD-3-Clause */
/* A number for all that a value holds, to notice that it was changed in place.  Runs no code of the program and keeps
   no object. */
#ifndef CDBG_DIGEST_H
#define CDBG_DIGEST_H
#include <stdbool.h>
#include <stdint.h>
#include "base/buf.h"

struct py_obj;

enum { DIGEST_PARTS = 100000, DIGEST_BYTES = 16 << 20 };

struct digest {
	uint64_t number; /* differs after a change of any part, except with a probability of 2^-64 */
	bool cut; /* there are more than DIGEST_PARTS values in it, or DIGEST_BYTES bytes: the rest is not in it */
	char unseen[64]; /* a type whose objects hold what cannot be read; else empty */
};

/*
 * v may be NULL.  identity: another object that holds the same is different, unless it is a container.  ask: adds bytes
 * for values of a library, with an answer as plug_ops.value_state().
 */
void digest_of(struct py_obj *v, bool identity, int (*ask)(void *arg, struct py_obj *v, struct buf *out), void *arg,
	       struct digest *out);

#endif
