/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by the parts of the assembler's check: the state before an instruction.  For src/py only. */
#ifndef CDBG_ASM_WALK_H
#define CDBG_ASM_WALK_H
#include "py/asm/asm_impl.h"

enum { DEPTH_MAX = 100000 };

/* The possible contents of a slot; several where paths join. */
enum {
	ANY = 1 << 0,	 /* an object about which nothing is known */
	NONE = 1 << 1,	 /* NULL */
	HELD = 1 << 2,	 /* the exception that was being handled before */
	LASTI = 1 << 3,	 /* where the exception came from */
	RAISED = 1 << 4, /* an exception */
	MAYBE = 1 << 5,	 /* an exception or None */
	ITER = 1 << 6,
	VAR = 1 << 7,	/* the value of a variable, item, attribute or call */
	SAVED = 1 << 8, /* with another: a saved variable, NULL when it was unbound */
	LIST = 1 << 9,
	SET = 1 << 10,
	DICT = 1 << 11,
	TUPLE = 1 << 12,
	CELL = 1 << 13,
	CODE = 1 << 14,
	FUNCTION = 1 << 15,
	BOOL = 1 << 16, /* True or False */
	INT = 1 << 17,
	STRING = 1 << 18,
	NOTHING = 1 << 19,  /* the last is None */
	TEMPLATE = 1 << 20, /* the strings of a template */
	COUNTED = 1 << 22,
	PLACE = 1 << 23, /* GET_ITER's from 3.15 on: an iterator, NULL; or a sequence, a number */
	LOOPS = 1 << 21, /* together with FUNCTION: iterates over its argument without a check */
};

struct walk_slot {
	unsigned bits, items; /* items: the kinds in a tuple, or in a list without other references */
	int n;		      /* length of a tuple, free variables of code and functions, the variable
						whose value it is, which GET_ITER made it; -1: unknown */
};

/* Before an instruction. */
struct state {
	struct walk_slot *slot; /* NULL: not reached */
	int depth;
	uint64_t *sets; /* of variables, SETS of them; only where loads do not check */
	bool queued;
};

/* What a variable may be. */
enum set {
	UNBOUND,
	IS_CELL,
	IS_PLAIN, /* no cell, as those of a function where a comprehension is inlined */
	SETS,
};

/* The uses of unchecked values in the base: see asm_trust.c. */
struct trust {
	uint64_t *taken;
	int n;
	size_t cap;
	bool *kept; /* by variable of the text: stored to only if the base does so, too */
};

struct walk {
	struct assembly *a;
	struct code *c;
	struct state *state; /* by instruction */
	struct state now;    /* after the current instruction, on the current path */
	int *todo, n;
	int *handler; /* by instruction: its row, or -1 */
	bool *joined; /* by instruction: something jumps here */
	int words;    /* of a bit set of variables; 0: not followed */
	int index;
	bool ints; /* one of the two operands of the current instruction is a number */
	struct trust *trust;
	bool learns; /* it is the base: records uses of unchecked values and refuses none */
};

int walk_refuse(struct walk *w, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
bool walk_is_cell(const struct walk *w, int i); /* variable i is a cell or free */
/* True if variable i may have this kind in w->now. Never true for UNBOUND where loads check that themselves. */
bool walk_in(const struct walk *w, enum set set, int i);
void walk_put(struct walk *w, enum set set, int i, bool yes);
/* Slot k from the top of w->now. */
struct walk_slot *walk_top(struct walk *w, int k);
/* What the instruction does to the variables in w->now. */
void walk_variables(struct walk *w, const struct instr *in);
/* w->now, the state before an instruction, becomes that after it, when it jumps or not; -1: it would crash. */
int walk_apply(struct walk *w, const struct instr *in, int jump);
/* w->now: a handler begins. */
void walk_raised(struct walk *w, const struct except *e);
/* True if the operands are popped when its handler begins. Not if it raises nothing, or if an exception was thrown
   into a generator, which replaces the value. */
bool walk_takes_and_raises(int op);
/* Handlers also guard instructions that raise nothing, where the stack may be lower than the handlers need: their
   own first one, and the end of a generator. */
bool walk_raises(int op);
/* The union of two different slots at a join of paths. */
struct walk_slot walk_join(struct walk_slot a, struct walk_slot b);

/* asm_trust.c: refuses an instruction whose operands in w->now could be values that CPython does not check. */
int trust_check(struct walk *w, const struct instr *in, int pops);
/* The number of slots that it reads without popping them. */
int trust_looks(int op, int arg);
void trust_release(struct trust *t);
/* Sets what is stored to, by variable; those from `from` on have moved by `by`. */
void trust_stores(const struct code *c, bool *stored, int from, int by);

#endif
