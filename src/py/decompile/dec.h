/* SPDX-License-Identifier: BSD-3-Clause */
/* What the decompiler's files share: instructions of no particular CPython, expressions, statements, the symbolic
   value stack.  For this folder only, after Python.h.  Everything is allocated in the arena of one struct dec. */
#ifndef CDBG_DEC_H
#define CDBG_DEC_H
#include <setjmp.h>
#include "base/buf.h"
#include "base/err.h"
#include "py/code/code.h"
#include "py/decompile/decompile.h"

/* ---- instructions: what the opcodes of every supported CPython come down to ---------------------- */

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
	D_IMPORT, D_IMPORT_FROM, D_ASSERTION,
	D_WITH, D_WITH_EXCEPT, D_PUSH_EXC, D_POP_EXCEPT, D_EXC_MATCH, D_STOP_ITERATION,
	D_INTRINSIC, D_BUILD_CLASS,
	D_SUPER,                             /* arg: 1 a method, 2 super() has arguments */
	D_COMPREHENSION,                     /* part */
};
/* clang-format on */

enum jump_if { IF_FALSE, IF_TRUE, IF_NONE, IF_NOT_NONE };

/* A comprehension within its function: the loop, whose variables are its own. */
struct part {
	struct ins *ins;
	int n;
	PyObject **own; /* names of its variables; borrowed */
	int nown;
	bool failed;	/* it has no expression */
	struct expr *e; /* E_COMPREHENSION without its first iterable, once it is known */
	enum dop kind;	/* D_LIST, D_SET, D_MAP */
};

struct ins {
	enum dop op;
	int arg;
	int target;	  /* a jump's: in the array of instructions; else -1 */
	int index;	  /* in code->instr */
	PyObject *obj;	  /* constant, or the str of a name; borrowed */
	const char *text; /* operator; the name that obj is; what is refused */
	struct part *part;
};

/* ---- expressions --------------------------------------------------------------------------------- */

/* clang-format off */
enum ekind {
	E_CONST, E_BOUND, E_NAME, E_TEMP, E_ATTR, E_SUBSCR, E_SLICE, E_CALL, E_KEYWORD, E_STAR, E_STAR_STAR,
	E_BINARY, E_UNARY, E_COMPARE, E_BOOL, E_IF, E_TUPLE, E_LIST, E_SET, E_DICT, E_STRING, E_FORMAT,
	E_LAMBDA, E_YIELD, E_YIELD_FROM, E_AWAIT, E_CELL, E_WALRUS,
	E_COMPREHENSION,                     /* text: its brackets; kids: element, value or NULL, then two for each
						clause: target (E_AWAIT around it: async) and iterable; NULL and test */
};
/* clang-format on */

/* A name of the decompiler's own: for a value that the text needs more than once or earlier than in its place. */
struct temp {
	const char *name; /* chosen when the text is written */
	const char *hint; /* the name it should have, or NULL */
	int number, uses, stores;
	struct temp *next;
};

struct expr {
	enum ekind kind;
	const char *text; /* name, operator, conversion */
	PyObject *obj;	  /* E_CONST, E_BOUND: borrowed from the code, or owned by the dec */
	struct temp *temp;
	struct function *function; /* E_LAMBDA */
	bool steady;		   /* E_NAME: nothing but a statement of this code changes it */
	struct expr **kid;	   /* those that may be missing are NULL */
	int n;
	int index; /* first instruction of it, -1: none */
};

/* ---- statements ---------------------------------------------------------------------------------- */

enum skind {
	S_EXPR,
	S_ASSIGN,
	S_AUG,
	S_DELETE,
	S_RETURN,
	S_RAISE,
	S_IF,
	S_WHILE,
	S_FOR,
	S_TRY,
	S_WITH,
	S_BREAK,
	S_CONTINUE,
	S_CLAUSE, /* of S_TRY, in `other`: value is the type, target the name, NULL: any,
						none; text "finally": no clause but that */
	S_DEF,
};

struct body {
	struct stmt *first, **end;
};

struct stmt {
	enum skind kind;
	struct stmt *next;
	struct expr *target, *value; /* S_IF, S_WHILE: value is the test; S_RAISE: target is the cause */
	const char *text;	     /* S_AUG: the operator */
	struct function *function;   /* S_DEF */
	struct body body, other;     /* other: else; S_TRY: the clauses */
	struct body last;	     /* S_TRY: else */
	int from, to;		     /* instructions it stands for, as indexes; -1: none */
};

/* ---- the value stack ----------------------------------------------------------------------------- */

enum ikind {
	I_VALUE,
	I_NULL,
	I_LIST,	 /* a list or tuple that nobody else has yet: it can be taken apart here */
	I_SLICE, /* e: E_SLICE */
	I_CODE,	 /* data: the code object */
	I_CELL,
	I_CELLS,    /* a cell, a tuple of them */
	I_ITERABLE, /* GET_ITER of e's only argument */
	I_ITER,	    /* the iterator of a `for` that is being written */
	I_EXC,	    /* what an except clause keeps on the stack */
	I_EXIT,
	I_ENTER, /* what `with` put there; I_ENTER: data is the manager's item */
	I_HELD,	 /* in a trial: something that must not be touched */
	I_AWAIT,
};

struct item {
	enum ikind kind;
	bool pure;  /* may be evaluated later, or twice */
	bool async; /* I_EXIT, I_ENTER */
	int seq;    /* order of what is not pure */
	struct expr *e;
	void *data;
	struct virtual *list;
};

struct virtual
{
	struct item **item;
	int n, cap;
	bool tuple;
	struct virtual *copy; /* while a stack is copied */
};

/* A piece of code that is being run on the symbolic stack. */
struct run {
	struct dec *d;
	struct item **stack;
	int n, cap;
	struct body out;
	int seq, index;
	PyObject *keys; /* of KW_NAMES; borrowed */
	int end;	/* in d->ins: of the instructions being run */
	int skip;	/* instructions that the last one has done with itself */
};

/* ---- the flow graph ------------------------------------------------------------------------------ */

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
	bool gone;
	int exc; /* exceptions that are being handled where it begins */
	int *pred, npred;
	int order; /* in reverse postorder; -1: not reached */
	int idom;
	int *kid, nkid;	     /* in the dominator tree, by order */
	bool merge;	     /* several ways lead here */
	uint8_t *loop;	     /* a set: the loop that this one heads; NULL: none */
	struct item **entry; /* the stack at a join, n_entry of them; NULL: not come to yet */
	int n_entry;
};

struct function {
	struct code *code;
	struct body body;
	struct item *defaults, *kwdefaults;
	PyObject *globals, *nonlocals; /* names stored to: sets; the dec's */
};

struct dec {
	struct code *c; /* the code object under work; nested ones change it for their time */
	const struct dec_style *style;
	struct arena *arena;
	struct ins *ins;
	int n;
	struct except *except; /* in terms of ins */
	int nexcept;
	struct block *block;
	int nblock;
	PyObject *bound;	       /* objects that have no text: a list, owned */
	PyObject *globals, *nonlocals; /* of the function under work */
	struct temp *temps;	       /* newest first */
	int ntemps;
	struct temp *next; /* of the function: the block that a jump leads to; NULL: none does */
	int work;
	int *entered, nentered, entered_cap; /* blocks that got an entry, in order: a trial takes its own back */
	/* Statements of the instructions in ins, and of a function: set by decompile.c, which knows how. */
	void (*statements)(struct dec *d, struct item *const *stack, int n, struct body *out);
	void (*nested)(struct dec *d, struct function *f);
	jmp_buf *trap;
	char why[160];
	int why_index;
	int depth; /* of nested functions */
};

/* ---- dec_tree.c: memory, expressions, statements ------------------------------------------------- */

void dec_arena_free(struct dec *d);
void *dec_alloc(struct dec *d, size_t size); /* zeroed; lives as long as d */
char *dec_text(struct dec *d, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Give this construct up: goes to d->trap. */
void dec_refuse(struct dec *d, int index, const char *fmt, ...) __attribute__((format(printf, 3, 4), noreturn));
/* memcpy() that may be given NULL where nothing is copied. */
static inline void dec_copy(void *to, const void *from, size_t n)
{
	if (n)
		memcpy(to, from, n);
}

/* Whoever walks expressions, statements or blocks by recursion calls dec_deep() first: it refuses the code when little
   of the thread's stack is left.  From dec_guard() on, which returns what it takes the place of. */
struct dec *dec_guard(struct dec *d);
void dec_deep(void);
struct expr *dec_expr(struct dec *d, enum ekind kind, const char *text, int n, ...); /* then n kids */
struct expr *dec_expr_n(struct dec *d, enum ekind kind, const char *text, struct expr **kid, int n);
struct expr *dec_const(struct dec *d, PyObject *v); /* a literal, or bound */
struct expr *dec_bound(struct dec *d, PyObject *v);
struct expr *dec_none(struct dec *d);
struct expr *dec_builtin(struct dec *d, const char *name); /* bound: the program may have another of that name */
struct expr *dec_name(struct dec *d, PyObject *name);
struct expr *dec_temp_use(struct dec *d, struct temp *t);
struct temp *dec_temp(struct dec *d);
struct expr *dec_not(struct dec *d, struct expr *e);
bool dec_same(const struct expr *a, const struct expr *b);
bool dec_reads(const struct expr *e, PyObject *name);
struct stmt *dec_stmt(struct body *b, struct dec *d, enum skind kind, struct expr *target, struct expr *value,
		      int index);
void dec_body_add(struct body *b, struct body *more); /* more is empty after it */
static inline void dec_body_init(struct body *b)
{
	b->first = NULL;
	b->end = &b->first;
}

/* ---- dec_opcodes.c ------------------------------------------------------------------------------- */

struct dec_known {
	const char *name;
	enum dop op;
	const char *text;
	int arg; /* of our own code, if fixed */
};

const struct dec_known *dec_known(const char *name); /* NULL: no decoded instruction */

/* ---- dec_decode.c -------------------------------------------------------------------------------- */

void dec_decode(struct dec *d);
bool dec_ends(enum dop op);

/* ---- dec_part.c: comprehensions that CPython 3.12 and later write into the function -------------- */

void part_find(struct dec *d); /* each becomes one instruction */
void part_run(struct run *r, const struct ins *in);
/* ---- dec_comp.c: loops that only fill a list, set or dictionary, as comprehensions --------------- */

/* The comprehension that this body of a nested function, or this loop, is; its first iterable is NULL.  NULL: none. */
struct expr *comp_of(struct dec *d, struct body *b, const char *brackets);
bool comp_open(const struct item *i); /* its iterable is still to come */
struct expr *comp_close(struct dec *d, const struct expr *e, struct expr *iterable);
bool dec_has_temp(const struct expr *e);

/* ---- dec_stack.c: the symbolic stack and the order of evaluation --------------------------------- */

void run_init(struct run *r, struct dec *d, struct item *const *stack, int n);
void run_push_item(struct run *r, struct item *i);
struct item *run_item(struct run *r, enum ikind kind, struct expr *e, bool pure); /* not pushed */
void run_push(struct run *r, struct expr *e, bool pure);
struct item *run_pop(struct run *r);
struct item **run_pop_n(struct run *r, int n);
struct item *run_top(struct run *r, int k); /* 1: the top */
/* Everything pending that can be observed is written to temporaries, oldest first; extra ones too. */
void run_flush(struct run *r, struct item **extra, int n);
/* The expressions of operands in the order in which Python will evaluate them. */
struct expr **run_use(struct run *r, struct item **items, int n);
bool run_ordered(struct item **items, int n); /* in the order in which they were evaluated, each once */
/* Push an expression of these operands. */
void run_push_of(struct run *r, enum ekind kind, const char *text, struct item **items, int n);
void run_written(struct run *r, PyObject *name); /* a local changes: entries that read it keep its old value */
void run_settle(struct run *r, struct item *i);	 /* it is needed twice */
/* A statement of these operands follows: what is pending is written first. Their expressions. */
struct expr **run_before(struct run *r, struct item **items, int n);
struct stmt *run_stmt(struct run *r, enum skind kind, struct expr *target, struct expr *value);
struct expr *item_expr(struct run *r, struct item *i); /* as a value */
bool item_special(const struct item *i);	       /* no value that an expression could stand for */

/* ---- dec_list.c: lists that are made and taken apart within the code ----------------------------- */

struct item *list_new(struct run *r, struct item **items, int n, bool tuple);
/* It gets out: its display, or the temporary it is in now. */
struct expr *list_expr(struct run *r, struct item *i);
bool list_subscr(struct run *r, struct item *list, struct item *key);
bool list_store(struct run *r, struct item *list, struct item *key, struct item *value);
bool list_delete(struct run *r, struct item *list, struct item *key);
bool list_extend(struct run *r, struct item *list, struct item *value);
void list_name_all(struct run *r); /* no list is unpacked after this */
/* The elements that an argument with a star stands for; -1: not known. */
int list_elements(struct run *r, struct item *i, struct item ***out);

/* ---- dec_ops.c, dec_items.c, dec_call.c ---------------------------------------------------------- */

void run_code(struct run *r, int first, int end);
void run_note_store(struct run *r, const struct ins *in); /* a global or free variable is stored to */
void run_container(struct run *r, const struct ins *in);
void call_op(struct run *r, const struct ins *in);
void make_function(struct run *r, const struct ins *in);

/* ---- dec_flow.c, dec_shape.c, dec_loop.c, dec_try.c, dec_tidy.c ---------------------------------- */

void flow_build(struct dec *d);
void dom_build(struct dec *d);	       /* dominators and loops of blocks whose ways are known */
void dom_split_headers(struct dec *d); /* of loops around the try statement that they begin in */
void dom_exceptions(struct dec *d);
void flow_reach(struct dec *d);
int flow_edges(const struct block *b, int out[3]);
int flow_body_end(const struct block *b); /* without the jump that ends it */
bool flow_dominates(struct dec *d, int a, int b);
bool flow_may_raise(struct dec *d, const struct block *b);

/* Where statements are being written: what needs no jump, and what `break` and `continue` reach.  -1: nothing. */
struct ctx {
	int fall, brk, cont;
	int cover;		/* the handler of the try statement around it */
	const uint8_t *claimed; /* a set: joins that somebody further out writes */
	struct level *level;	/* innermost first: what follows what is being written */
};

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

enum { LEVEL_CROSS = 16 };

/* Text that is followed by that of a block, or a loop.  A jump beyond it sets a variable, and what follows is
   skipped. */
struct level {
	struct level *out;
	int after, header;		/* blocks; -1: none.  A header: it is a loop */
	int exc;			/* exceptions that are being handled */
	bool guard;			/* something jumps over what follows */
	bool target;			/* or to it, that way */
	int cross[LEVEL_CROSS], ncross; /* blocks that such jumps lead to, past the loop around this one */
};

void level_open(struct ctx *c, struct level *lv, int after, int header, int exc);
/* Exceptions that are being handled after the beginning of block k. */
int level_handling(struct dec *d, int k, struct item *const *stack, int n);
bool level_knows(const struct ctx *c, int k);
void level_leave(struct dec *d, const struct level *loop, struct body *out);
void level_close(struct dec *d, const struct level *lv, struct body *text, struct body *out);
void level_top(struct dec *d, const struct level *lv, struct body *loop);
void level_follow(struct dec *d, const struct level *lv, const struct ctx *c, struct body *out);
void shape_leave(struct dec *d, int k, struct run *r, const struct ctx *c, struct body *out);
void shape_begin(struct dec *d, struct body *f);
bool shape_keeps(const struct item *i); /* an entry that joins keep as it is */

void shape_code(struct dec *d, struct item *const *stack, int n, struct body *out);
void shape_tree(struct dec *d, int k, struct item *const *stack, int n, const struct ctx *c, struct body *out);
bool shape_leaves_with(struct dec *d, const struct block *b); /* the end of a with statement's body */
void shape_try(struct dec *d, int k, struct item *const *stack, int n, const struct ctx *c, struct body *out);
bool flow_covered(struct dec *d, int k, int handler); /* by it, or by what handles its exceptions */
void shape_loop(struct dec *d, int k, struct item *const *stack, int n, const struct ctx *c, struct body *out);
/* A block, then the joins that it dominates. */
void shape_sequence(struct dec *d, int k, struct item *const *stack, int n, const struct ctx *c, struct body *out);
/* The run continues at block k. */
void shape_go(struct dec *d, int k, struct run *r, const struct ctx *c, int from, struct body *out);
bool ctx_knows(const struct ctx *c, int k); /* no jump is needed to block k, or a word does it */
/* The run leaves for block k: its entry is made or filled. */
void shape_slots(struct dec *d, int k, struct run *r, struct body *out);
const uint8_t *shape_claim(struct dec *d, const uint8_t *claimed, const int *blocks, int n);
void clause_tidy(struct dec *d, struct body *around, struct stmt *try);
void tidy_body(struct dec *d, struct body *b);
/* The place where this variable is read in the statement, before anything that can be observed; or NULL. */
struct expr **tidy_first_name(struct stmt *s, PyObject *name);
struct expr **tidy_first_use(struct stmt *s, const struct temp *t);

/* ---- dec_print.c --------------------------------------------------------------------------------- */

void dec_literal(PyObject *v, struct buf *out);
bool dec_is_literal(PyObject *v);
bool dec_is_identifier(PyObject *name);

#endif
