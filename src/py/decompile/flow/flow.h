/* SPDX-License-Identifier: BSD-3-Clause */
/* The decompiler's flow graph.  For this folder only, after Python.h. */
#ifndef CDBG_FLOW_H
#define CDBG_FLOW_H
#include "py/decompile/stack/run.h"

/* ---- the flow graph ----------------------------------------------------------------------------- */

struct block {
	int first, end; /* in d->ins */
	enum { B_FALL, B_END, B_COND, B_OR_POP, B_FOR } kind;
	int succ[2];	    /* B_COND, B_OR_POP: falls through, jumps; B_FOR: body, exit; -1: none */
	int yes, no;	    /* B_COND: where a true and a false condition lead */
	int handler, depth; /* block; -1: none */
	bool lasti;
	struct more { /* B_COND: `and` and `or` joined to it */
		bool is_and, negated;
		int block;
		struct more *next;
	} * more, **more_end;
	bool or_true; /* B_OR_POP: a true value is kept and jumps, not a false one */
	bool gone;
	bool handles; /* exceptions of some block; set in stretch.c */
	int exc;      /* exceptions that are being handled where it begins */
	int *pred, npred;
	int order; /* in reverse postorder; -1: not reached */
	int idom;
	int *kid, nkid;	     /* in the dominator tree, by order */
	bool merge;	     /* several ways lead here */
	uint8_t *loop;	     /* a set: the loop that this one heads; NULL: none */
	struct outs in_loop; /* the same blocks, in no order */
	struct item **entry; /* the stack at a join, n_entry of them; NULL: not reached yet */
	int n_entry;
	bool tested; /* the test of a loop, which the compiler has put at its end, too */
	bool passed; /* the only way to it left its entries as they were */
};

/* ---- flow.c, dominators.c ----------------------------------------------------------------------- */

void flow_build(struct dec *d);
void flow_each(struct dec *d);		      /* a block for each instruction, and its dominators */
void dominators_find(struct dec *d);	      /* dominators alone */
void dominators_build(struct dec *d);	      /* dominators and loops of blocks whose ways are known */
void dominators_split_headers(struct dec *d); /* of loops around the try statement that they begin in */
void dominators_exceptions(struct dec *d);
void flow_reach(struct dec *d);
int flow_edges(const struct block *b, int out[3]);
int flow_body_end(const struct block *b); /* without the jump that ends it */
bool flow_dominates(struct dec *d, int a, int b);
bool flow_may_raise(struct dec *d, const struct block *b);
bool flow_covered(struct dec *d, int k, int handler);			/* by it, or by what handles its exceptions */
bool flow_only_from(struct dec *d, const struct block *b, int handler); /* what it covers leads there, nothing else */

/* ---- with_end.c --------------------------------------------------------------------------------- */

bool with_ends(struct dec *d, const struct block *b); /* is it the end of a with statement's body? */
/* Block k, which one way leads to, is the end of a with statement around what the handler handles exceptions of: a
   jump out of it does that by itself. */
bool with_ends_around(struct dec *d, int k, int handler);

/* ---- finally_copies.c --------------------------------------------------------------------------- */

/* Copies of finally clauses are left out of the instructions: the graph is to be built again.  false: none are. */
bool finally_copies_find(struct dec *d);
/* The block that the clause in this handler, which is being written, ends before; -1: no copies of it were left
   out. */
int finally_copies_end(struct dec *d, int handler);
/* Block k is of a statement with such a clause that is not around what `cover` handles exceptions of: it may raise
   there, whatever the block does. */
bool finally_copies_opens(struct dec *d, int k, int cover);
/* Block k comes after such a clause of a statement whose body, or what is in it, `cover` handles exceptions of. */
bool finally_copies_before(struct dec *d, int k, int cover);

/* ---- join.c ------------------------------------------------------------------------------------- */

/* Blocks lose what leads to them; d->block[].gone of what is never reached then is up to flow_reach(). */
void join_conditions(struct dec *d);
void join_tests(struct dec *d);

/* ---- cut.c: where blocks begin ------------------------------------------------------------------ */

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

/* Sets of blocks, a bit each. */
static inline size_t set_size(const struct dec *d)
{
	return (size_t)d->nblock / 8 + 1;
}
static inline uint8_t *set_new(struct dec *d)
{
	return dec_alloc(d, set_size(d));
}
static inline bool set_has(const uint8_t *set, int k)
{
	return set[k / 8] >> (k % 8) & 1;
}
static inline void set_add(uint8_t *set, int k)
{
	set[k / 8] |= (uint8_t)(1 << (k % 8));
}

#endif
