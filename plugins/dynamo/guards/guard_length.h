/* SPDX-License-Identifier: BSD-3-Clause */
/* Who changes the length of a list, a dict or a set that a guard fixes: the compiled function or other code. */
#ifndef DYNAMO_GUARDS_GUARD_LENGTH_H
#define DYNAMO_GUARDS_GUARD_LENGTH_H
#include "torch/cdbg_host.h"

struct guard;

enum length_change {
	LENGTH_UNSEEN,	     /* the generated code replays no change of it, or of unknown length */
	LENGTH_BY_EACH_CALL, /* every call that was compiled, of at least two, left another length than it found */
	LENGTH_BY_FUNCTION,  /* a call that was compiled did */
	LENGTH_BY_OTHERS,    /* no call that was compiled did */
};

/* g: a guard on the container itself.  Compares the length that each entry of its function was compiled for with the
   length that its generated code leaves. */
enum length_change guard_length(const struct guard *g);

#endif
