/* SPDX-License-Identifier: BSD-3-Clause */
/* The decompiler's symbolic value stack, and what instructions do to it.  For this folder only, after Python.h. */
#ifndef CDBG_RUN_H
#define CDBG_RUN_H
#include "py/decompile/tree/dec.h"

/* ---- the value stack ---------------------------------------------------------------------------- */

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
	I_CLASS, /* a function of a class's body; data: its struct function */
};

struct item {
	enum ikind kind;
	bool pure;  /* may be evaluated later, or twice */
	bool async; /* I_EXIT, I_ENTER */
	int seq;    /* order of what is not pure */
	int end;    /* the instruction that put it there; -1: none */
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
	int look, uses;	      /* for virtual_list_share(): occurrences in that look, and its number */
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
	const struct ins *at;
};

/* ---- run.c: the symbolic stack and the order of evaluation -------------------------------------- */

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
int run_last(const struct item *i);	      /* the number of its last evaluation that can be observed; 0: none */
bool run_ordered(struct item **items, int n); /* in the order in which they were evaluated, each once */
/* Push an expression of these operands. */
void run_push_of(struct run *r, enum ekind kind, const char *text, struct item **items, int n);
bool item_has_temp(const struct item *i);	 /* dec_has_temp() of its expression; NULL: no */
void run_written(struct run *r, PyObject *name); /* a local changes: entries that read it keep its old value */
void run_settle(struct run *r, struct item *i);	 /* it is needed twice */
/* A statement of these operands follows: what is pending is written first. Their expressions. */
struct expr **run_before(struct run *r, struct item **items, int n);
struct stmt *run_stmt(struct run *r, enum skind kind, struct expr *target, struct expr *value);
struct expr *item_expr(struct run *r, struct item *i); /* as a value */
bool item_special(const struct item *i);	       /* no value that an expression could stand for */

/* ---- walrus.c: assignments within expressions --------------------------------------------------- */

bool walrus_run(struct run *r, const struct ins *in);	/* COPY and the store after it, both done; or nothing is */
bool walrus_at(const struct dec *d, int i);		/* is this a COPY that is stored? */
bool walrus_waits(const struct run *r, PyObject *name); /* an assignment to it is still to be evaluated */
void walrus_settle(struct run *r, PyObject *name); /* before another value is stored to it: write that assignment */
bool walrus_spill(struct run *r, struct item *i);  /* an entry that is one becomes a statement and the name */
void walrus_written(struct run *r, const struct expr *e);	 /* it is evaluated: entries keep the old values */
bool walrus_rebinds(const struct expr *e, const struct stmt *s); /* a variable that the statement reads */

/* ---- virtual_lists.c: lists that are made and taken apart within the code ----------------------- */

struct item *virtual_list_new(struct run *r, struct item **items, int n, bool tuple);
/* A list that occurs more than once in what these items hold becomes a temporary: it is one and the same object. */
void virtual_list_share(struct run *r, struct item **items, int n);
/* It gets out: its display, or the temporary it is in now. */
struct expr *virtual_list_expr(struct run *r, struct item *i);
bool virtual_list_subscr(struct run *r, struct item *list, struct item *key);
bool virtual_list_store(struct run *r, struct item *list, struct item *key, struct item *value);
bool virtual_list_delete(struct run *r, struct item *list, struct item *key);
bool virtual_list_extend(struct run *r, struct item *list, struct item *value);
void virtual_list_name(struct run *r, int n); /* no list that the first n entries have is taken apart after this */
/* What follows may run more than once: no variable is read later, and lists have names, or stay what they are. */
void virtual_list_loop(struct run *r);
bool virtual_list_same(const struct item *a, const struct item *b); /* the same value: of a list, with the same items */
void virtual_list_tuple_items(struct run *r, struct item **items,
			      int n); /* tuples that hold lists are displays from here on */
/* The elements that an argument with a star stands for; -1: not known. */
int virtual_list_elements(struct run *r, struct item *i, struct item ***out);

/* ---- first_use.c -------------------------------------------------------------------------------- */

/* The place where this variable is read in the statement, before anything that can be observed; or NULL. */
struct expr **first_use_name(struct stmt *s, PyObject *name);
struct expr **first_use_find(struct stmt *s, const struct temp *t);

/* ---- comprehension.c: loops that only fill a list, set or dictionary, as comprehensions --------- */

const char *comprehension_brackets(struct code *c); /* NULL: this function is not a comprehension */
/* The comprehension that this body of a nested function, or this loop, is; its first iterable is NULL.  NULL: none. */
struct expr *comprehension_of(struct dec *d, struct body *b, const char *brackets);
bool comprehension_open(const struct item *i); /* its iterable is still to come */
struct expr *comprehension_close(struct dec *d, const struct expr *e, struct expr *iterable);
void comprehension_name(struct dec *d, struct body *b); /* what the body of a comprehension alone fills has a name */

/* ---- library.c: names of a compiler's library --------------------------------------------------- */

const char *library_module(const struct dec *d,
			   const struct expr *name); /* the dotted name of what a global is, or NULL */
/* A function of the compiler's library whose calls are written in another way: how.  NULL: none. */
const char *library_form(const struct dec *d, const struct expr *f);
bool library_builtin(const struct dec *d, const struct expr *e); /* a name looked up in the dictionary of builtins */

/* ---- scope.c ------------------------------------------------------------------------------------ */

bool run_has_variable(struct code *c, PyObject *name);
bool run_has_global(struct code *c, PyObject *name); /* an attribute is not a global */
/* The variable of that name, unless it is an argument, a cell or a free variable; NULL: it is one of these. */
PyObject *run_own_variable(struct code *c, PyObject *name);
void run_only_global(struct run *r, PyObject *name); /* refuses a name that is a variable, too */
bool run_is_local(struct run *r, PyObject *name);    /* a variable of the code, cells and free variables included */
/* Notes a global or free variable that is stored to, or deleted, for the statement that declares it. */
void run_note_store(struct run *r, const struct ins *in);
/* A global that is read: a variable of that name of a function around this one would be read instead. */
void run_note_global(struct run *r, PyObject *name);
void run_note_delete(struct run *r, const struct ins *in);
struct expr *run_keyword(struct run *r, PyObject *name, struct expr *value); /* NAME=value; refuses other names */
/* What a comprehension stores to is a variable of the function around it. */
void run_note_comprehension(struct run *r, const struct function *f);

/* ---- condition_trial.c -------------------------------------------------------------------------- */

/* Do these instructions of d->ins compute one value and nothing else? */
bool condition_trial_alone(struct dec *d, int first, int end);

/* ---- run_code.c, attributes.c, containers.c, calls.c -------------------------------------------- */

void run_code(struct run *r, int first, int end);
/* Attributes, items, operators, and the rest by run_container(). */
void run_item_op(struct run *r, const struct ins *in);
struct expr *run_attribute(struct run *r, struct expr *of, PyObject *name);
void run_container(struct run *r, const struct ins *in);
void call_op(struct run *r, const struct ins *in);
void import_run(struct run *r, const struct ins *in); /* imports.c */

#endif
