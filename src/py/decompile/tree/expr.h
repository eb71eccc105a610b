/* SPDX-License-Identifier: BSD-3-Clause */
/* The decompiler's text as a tree: expressions, names of its own, statements.  For this folder only, after Python.h. */
#ifndef CDBG_EXPR_H
#define CDBG_EXPR_H
#include "base/buf.h"
#include "py/code/code.h"

/* ---- expressions -------------------------------------------------------------------------------- */

/* clang-format off */
enum ekind {
	E_CONST, E_BOUND, E_NAME, E_TEMP, E_ATTR, E_SUBSCR, E_SLICE, E_CALL, E_KEYWORD, E_STAR, E_STAR_STAR,
	E_BINARY, E_UNARY, E_COMPARE, E_BOOL, E_IF, E_TUPLE, E_LIST, E_SET, E_DICT, E_STRING, E_FORMAT,
	E_LAMBDA, E_YIELD, E_YIELD_FROM, E_AWAIT, E_CELL, E_WALRUS,
	E_CHAIN,                             /* kids: an E_COMPARE or E_CHAIN, and the next operand */
	E_COMPREHENSION,                     /* text: its brackets; kids: element, value or NULL, then two for each
						clause: target (E_AWAIT around it: async) and iterable; NULL and test */
};
/* clang-format on */

/* A name of the decompiler's own: for a value that the text needs more than once or earlier than in its place. */
struct temp {
	const char *name; /* chosen when the text is written */
	const char *hint; /* the name it should have, or NULL */
	int number, uses, stores;
	struct temp *like; /* the one that it is a copy of, while raise_check_find() looks */
	bool jumps;	   /* the block that a jump leads to, 0: none is under way */
	bool caught;	   /* the exception of a clause: the same wherever ways of it meet */
	struct temp *next;
};

struct expr {
	enum ekind kind;
	const char *text; /* name, operator, conversion */
	PyObject *obj;	  /* E_CONST, E_BOUND: borrowed from the code, or owned by the dec */
	struct temp *temp;
	struct function *function; /* E_LAMBDA */
	bool steady;		   /* E_NAME: nothing but a statement of this code changes it; E_SUBSCR: nothing does */
	struct expr **kid;	   /* those that may be missing are NULL */
	int n;
	int index; /* first instruction of it, -1: none */
};

/* ---- statements --------------------------------------------------------------------------------- */

enum skind {
	S_EXPR,
	S_ASSIGN,
	S_AUG,
	S_DELETE,
	S_RETURN,
	S_RAISE,
	S_ASSERT, /* value: the test, target: the message, or NULL; only in the text, see assert.c */
	S_IF,
	S_WHILE,
	S_FOR,
	S_TRY,
	S_WITH,
	S_BREAK,
	S_CONTINUE,
	S_CLAUSE,   /* of S_TRY, in `other`: value is the type, target the name, NULL: any,
						none; text "finally": no clause but that */
	S_DEF,	    /* value: NULL, or E_CALL: a tuple of the decorators */
	S_BYTECODE, /* stretch */
	S_WRAPS,    /* what functools.wraps(value) sets of target: only in text that is read */
	S_IMPORT,   /* text: all of it */
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
	bool past_class;	     /* S_ASSIGN, S_DELETE: of an attribute, in the dictionary of its object */
	bool astray;		     /* S_WITH: some exceptions miss __exit__(), see exception_rows.c */
	bool tested;		     /* S_WHILE: it begins with the loop's test */
	bool folded;		     /* read_tidy(): nobody needs to read any of them */
	struct stretch *stretch;
	struct temp *raised; /* S_RAISE without a value: what the code raises again, if that is known */
};

struct function {
	struct code *code;
	bool placed; /* a statement defines it: another way to its call needs one of its own */
	bool given;  /* a class whose function a call of the compiler's library made */
	struct body body;
	struct item *defaults, *kwdefaults; /* of a class, defaults: its bases and keywords, as a tuple */
	struct item *annotations;      /* names and values in turn; their names are those of arguments, and "return" */
	PyObject *globals, *nonlocals; /* names stored to: sets; the dec's */
	PyObject *doc;		       /* borrowed; NULL: none that the text has to say */
	struct expr *cells;	       /* what its free variables are, a tuple; a kid is NULL where a variable around
					  has that name, and all is if all have */
	const char *module;	       /* whose globals it has, if they are not those of the code around it */
};

/* ---- dec.c -------------------------------------------------------------------------------------- */

struct dec;
struct item;
struct expr *dec_expr(struct dec *d, enum ekind kind, const char *text, int n, ...); /* then n kids */
struct expr *dec_expr_n(struct dec *d, enum ekind kind, const char *text, struct expr **kid, int n);
struct expr *dec_const(struct dec *d, PyObject *v); /* a literal, or bound */
struct expr *dec_bound(struct dec *d, PyObject *v);
struct expr *dec_none(struct dec *d);
bool dec_is_none(const struct expr *e);			   /* NULL is not */
const char *dec_string(const struct expr *e);		   /* the text of a string constant; else NULL */
long dec_number(const struct expr *e);			   /* an int constant below 1000; else -1 */
PyObject *dec_hold(struct dec *d, PyObject *v);		   /* v, which is the dec's now; NULL: v was NULL */
struct expr *dec_builtin(struct dec *d, const char *name); /* bound: the program may have another of that name */
struct expr *dec_name(struct dec *d, PyObject *name);
struct expr *dec_temp_use(struct dec *d, struct temp *t);
struct temp *dec_temp(struct dec *d);
struct expr *dec_not(struct dec *d, struct expr *e);
/* E_SLICE as the call of slice() that it is outside of brackets. */
struct expr *expr_slice_call(struct dec *d, const struct expr *slice);
/* The parts of an E_SLICE or of such a call, NULL for those that are left out.  false: e is neither. */
bool expr_slice_parts(const struct expr *e, const struct expr *part[3]);
/* A constant slice, which code has from CPython 3.14 on, as E_SLICE. */
struct expr *expr_slice_constant(struct dec *d, PyObject *v);
/* A constant tuple that has such a slice, as E_TUPLE; NULL: it has none, or v is another object. */
struct expr *expr_slice_tuple(struct dec *d, PyObject *v);
bool dec_same(const struct expr *a, const struct expr *b);
bool dec_reads(const struct expr *e, PyObject *name);
struct stmt *dec_stmt(struct body *b, struct dec *d, enum skind kind, struct expr *target, struct expr *value,
		      int index);
void dec_body_add(struct body *b, struct body *more); /* more is empty after it */
bool dec_leaves(const struct stmt *s);		      /* return, raise, continue or break */
const struct stmt *dec_body_last(const struct body *b);
bool dec_body_leaves(const struct body *b); /* its last statement is one of those */
void dec_body_end(struct body *b);	    /* b->end again, after statements of it were taken or added by hand */
static inline void dec_body_init(struct body *b)
{
	b->first = NULL;
	b->end = &b->first;
}

/* ---- expr.c: questions that need no stack ------------------------------------------------------- */

bool dec_has_temp(const struct expr *e);
/* Are the elements of what is passed by `*` known?  A constant becomes a tuple of constants. */
bool items_listed(struct dec *d, struct expr **e, bool pure);
bool expr_has_unpacked(
	const struct expr *e); /* `*value` that only the line of a definition can have, or a tuple of some */
bool stmt_stores(const struct stmt *s, const char *name); /* it assigns to this name alone */
bool dec_same_stmt(const struct stmt *a, const struct stmt *b);
bool dec_same_body(const struct body *a, const struct body *b);

/* ---- print.c ------------------------------------------------------------------------------------ */

void dec_literal(PyObject *v, struct buf *out);
bool dec_is_literal(PyObject *v);
/* A frozenset of literals as a set, which it is where only `in` asks it; false: it is something else. */
bool dec_set_literal(PyObject *v, struct buf *out);
bool literal_doc_is_plain(PyObject *doc);  /* the compiler does not change this docstring */
bool literal_doc_margin_goes(void);	   /* it removes the indentation that all lines of a docstring have in common */
bool literal_doc_has_text(PyObject *code); /* the docstring of a function of this code, if it has one, is plain */
/* A function's docstring, borrowed; NULL: it has none. */
PyObject *literal_doc_of(struct dec *d, PyObject *code);
/* What it has now as __doc__, borrowed; NULL: none, or none that a text can give it. */
PyObject *literal_doc_of_function(PyObject *function);
bool dec_is_identifier(PyObject *name);

#endif
