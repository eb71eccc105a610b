/* SPDX-License-Identifier: BSD-3-Clause */
/* What the two halves of the assembler's check share: the state before an instruction.  For src/py only. */
#ifndef CDBG_ASM_WALK_H
#define CDBG_ASM_WALK_H
#include "py/asm_impl.h"

enum { DEPTH_MAX = 100000 };

struct slot {
	unsigned bits;
	int n;                               /* length of a tuple, free variables of code; -1: unknown */
};

/* Before an instruction. */
struct state {
	struct slot *slot;                   /* NULL: not reached */
	int depth;
	uint64_t *sets;                      /* of variables, SETS of them; only where loads do not check */
	bool queued;
};

/* What a variable may be. */
enum set {
	UNBOUND,
	IS_CELL,                             /* of the function's cells and free variables: one is in its place */
	IS_PLAIN,                            /* likewise: put aside for an inlined comprehension's own */
	SETS,
};

struct walk {
	struct assembly *a;
	struct code *c;
	struct state *state;                 /* by instruction */
	struct state now;                    /* after the instruction at hand, along the way at hand */
	int *todo, n;
	int *handler;                        /* by instruction: its row, or -1 */
	int words;                           /* of a bit set of variables; 0: not followed */
	int index;
	bool ints;                           /* one of the two operands of the instruction at hand is a number */
};

int walk_refuse(struct walk *w, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
bool walk_is_cell(const struct walk *w, int i);      /* variable i is a cell or free */
/* May variable i be so in w->now?  Of UNBOUND never where loads check that themselves. */
bool walk_in(const struct walk *w, enum set set, int i);
void walk_put(struct walk *w, enum set set, int i, bool yes);
/* What the instruction does to the variables in w->now. */
void walk_variables(struct walk *w, const struct instr *in);
/* w->now, the state before an instruction, becomes that after it, when it jumps or not; -1: it would crash. */
int walk_apply(struct walk *w, const struct instr *in, int jump);
/* w->now: a handler begins. */
void walk_raised(struct walk *w, const struct except *e);
/* What joins here, of two slots that are not the same. */
struct slot walk_join(struct slot a, struct slot b);

#endif
