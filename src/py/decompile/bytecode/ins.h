/* SPDX-License-Identifier: BSD-3-Clause */
/* The decompiler's instructions: what the opcodes of every supported CPython come down to.  For this folder only, after
   Python.h. */
#ifndef CDBG_INS_H
#define CDBG_INS_H
#include "py/code/code.h"

/* Operations of one kind share a line. */
/* clang-format off */
enum dop {
	D_NOP, D_REFUSED,                    /* refused: text says which opcode */
	D_CONST, D_NULL, D_FAST, D_STORE_FAST, D_DELETE_FAST, D_FAST_CLEAR,
	D_GLOBAL, D_STORE_GLOBAL, D_DELETE_GLOBAL, D_NAME, D_STORE_NAME, D_DELETE_NAME,
	D_DEREF, D_STORE_DEREF, D_DELETE_DEREF, D_CLOSURE,
	D_ATTR, D_METHOD, D_STORE_ATTR, D_DELETE_ATTR,
	D_SUBSCR, D_STORE_SUBSCR, D_DELETE_SUBSCR, D_BINARY_SLICE, D_STORE_SLICE, D_BUILD_SLICE,
	D_BINARY, D_INPLACE, D_UNARY, D_COMPARE, D_BOOL,
	D_TUPLE, D_LIST, D_SET, D_MAP, D_CONST_KEY_MAP, D_STRING, D_FORMAT,
	D_LIST_EXTEND, D_SET_UPDATE, D_DICT_UPDATE, D_DICT_MERGE, D_LIST_APPEND, D_SET_ADD, D_MAP_ADD, D_LIST_TO_TUPLE,
	D_UNPACK, D_UNPACK_EX,
	D_KW_NAMES, D_CALL, D_CALL_KW, D_CALL_EX, D_MAKE_FUNCTION, D_FUNCTION_PART,
	D_POP, D_COPY, D_SWAP,
	D_GET_ITER, D_FOR_ITER, D_END_FOR, D_JUMP, D_JUMP_IF, D_JUMP_OR_POP,
	D_RETURN, D_RAISE, D_RERAISE, D_YIELD, D_YIELD_FROM, D_GET_AWAITABLE, D_GENERATOR,
	D_IMPORT, D_IMPORT_FROM,
	D_COMMON,                            /* a builtin that is loaded whatever its name is bound to: text */
	D_WITH, D_WITH_EXCEPT, D_PUSH_EXC, D_POP_EXCEPT, D_EXC_MATCH, D_STOP_ITERATION,
	D_INTRINSIC, D_BUILD_CLASS,
	D_SUPER,                             /* arg: 1 a method, 2 super() has arguments */
	D_COMPREHENSION,                     /* part */
	D_CHAIN,                             /* a comparison with the result of the one before */
	D_BYTECODE,                          /* stretch */
};
/* clang-format on */

/* Arguments of D_WITH.  SELF: from 3.14 on __exit__ and what it is called with are two entries. */
enum { WITH_ASYNC = 1, WITH_SELF = 2 };

enum jump_if { IF_FALSE, IF_TRUE, IF_NONE, IF_NOT_NONE };

/* A comprehension within its function: the loop, whose variables are its own. */
struct part {
	struct ins *ins;
	int n;
	PyObject **own; /* names of its variables; borrowed */
	int nown;
	bool takes, pair; /* iter() of what it goes through is a part of it; which gives two entries */
	bool failed;	  /* it has no expression */
	struct expr *e;	  /* E_COMPREHENSION without its first iterable, once it is known */
	enum dop kind;	  /* D_LIST, D_SET, D_MAP */
};

struct ins {
	enum dop op;
	int arg;
	int target;	  /* a jump's: in the array of instructions; else -1 */
	int index;	  /* in code->instr */
	PyObject *obj;	  /* constant, or the str of a name; borrowed */
	const char *text; /* operator; the name that obj is; what is refused */
	struct part *part;
	struct stretch *stretch;
};

/* Instructions that are shown as they are, since one of them is not covered. */
struct stretch {
	int first, next;  /* in the array of instructions; next: what follows, -1: nothing does */
	uint8_t *in, *at; /* by instruction in that array, and of the code: is it one of them? */
	const char *why;
	struct stretch *more;
};

struct dec;
struct run;

struct dec_known {
	const char *name;
	enum dop op;
	const char *text;
	int arg; /* of our own code, if fixed */
};

const struct dec_known *dec_known(const char *name); /* NULL: no decoded instruction */
bool dec_ends(enum dop op);
struct ins *ins_add(struct dec *d, enum dop op, int arg, int index);
/* The same operations, wherever they jump? Loads of a variable are the same if only one of them may find it unbound. */
bool ins_same(const struct ins *x, const struct ins *y, int n);
void ins_join_loads(struct ins *x, const struct ins *y, int n); /* x, in the place of both, checks what y checks */

/* ---- code_kind.c: what a code object is the code of --------------------------------------------- */

bool code_kind_is_class(const struct code *c); /* is it that of a class's body? */
/* Is it that of a hidden function, which the compiler makes of a definition with type parameters? */
bool code_kind_is_generic(const struct code *c);

/* ---- decode.c ----------------------------------------------------------------------------------- */

void dec_decode(struct dec *d);
void decode_or_pops(struct dec *d); /* COPY, a jump, POP_TOP of 3.12 and later: one instruction */

/* ---- combine.c ---------------------------------------------------------------------------------- */

bool ins_is_named(struct dec *d, int index, const char *name); /* the code's instruction */
/* What several instructions of the code do as one is added: how many they are, 0: there is nothing like that here. */
int combine_at(struct dec *d, int index);

/* ---- unread_stores.c ---------------------------------------------------------------------------- */

void unread_stores_drop(
	struct dec *d); /* in text that is only read: what stores a compiler's variable that nothing reads */

/* ---- resumed_with.c ----------------------------------------------------------------------------- */

void resumed_with_find(
	struct dec *d); /* in text that is only read: with statements that are entered again end as others */

/* ---- exception_rows.c --------------------------------------------------------------------------- */

const struct except *
exception_rows_reentered(struct dec *d); /* of the code's exception table, with depths that its stack has */

/* ---- compare_chains.c --------------------------------------------------------------------------- */

void compare_chains_find(struct dec *d); /* their jumps are removed */

int ins_depth(const struct dec *d, int i); /* entries on the value stack before this instruction; -1: not known */

/* ---- builtin_loops.c ---------------------------------------------------------------------------- */

void copied_ends_join(struct dec *d);	/* copies of a short end that follow the two values of a condition become one */
void builtin_loops_find(struct dec *d); /* loops beside a call of any(), all() and so on are removed: the call stays */

/* ---- inlined_comp.c: comprehensions that CPython 3.12 and later write into the function --------- */

void part_find(struct dec *d); /* each becomes one instruction */
void part_run(struct run *r, const struct ins *in);

/* ---- stretch.c: what is not covered ------------------------------------------------------------- */

/* After a refusal: what was refused becomes part of a stretch.  false: there is none, d->why says what was refused. */
bool stretch_add(struct dec *d);
void stretch_apply(struct dec *d); /* each becomes one instruction */

#endif
