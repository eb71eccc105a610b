/* SPDX-License-Identifier: BSD-3-Clause */
/* Where blocks begin, and what instructions have in common.  For this folder only, after Python.h. */
#ifndef CDBG_DEC_CUT_H
#define CDBG_DEC_CUT_H
#include "py/decompile/dec_ins.h"

/* By instruction: does a block begin there?  each: all of them do. */
uint8_t *cut_find(struct dec *d, bool each);
/* Does a with statement end before instruction i, as its body has, or its manager has swallowed an exception? */
bool cut_leaves(const struct dec *d, int i, bool *swallowed);
/* Does a with statement end before instruction i, and the iterator of a loop, as `break` leaves both? */
bool cut_breaks(const struct dec *d, int i);
/* What comes after the loop of D_FOR_ITER i and the drop of its iterator; -1: i is another instruction. */
int cut_after_loop(const struct dec *d, int i);
/* The same instructions up to the end of the function, as the compiler makes copies of what follows. */
bool cut_same_end(const struct dec *d, int i, int k);
/* The same operations, wherever they jump? Loads of a variable are the same if only one of them may find it unbound. */
bool flow_same(const struct ins *x, const struct ins *y, int n);
void flow_join_loads(struct ins *x, const struct ins *y, int n); /* x, in the place of both, checks what y checks */

#endif
