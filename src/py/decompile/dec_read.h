/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files share that write generated code for people: dec_read.c, dec_change.c, dec_written.c.  For these only,
   after Python.h. */
#ifndef CDBG_DEC_READ_H
#define CDBG_DEC_READ_H
#include "py/decompile/dec_flow.h"
#include "py/decompile/dec_run.h"

/* How often a variable of the compiler's own is used and bound. */
struct own {
	int uses, stores;
	bool result; /* a tuple that nothing changes */
};

struct reader {
	struct dec *d;
	PyObject *index; /* names of these variables, and their numbers below */
	struct own *own;
	bool fixed_only; /* move only values that nothing can change */
};

/* ---- dec_change.c: what is the same in another place ---------------------------------------------- */

bool read_takes_result(const struct reader *r, const struct stmt *s); /* it takes one of what a graph computed */
struct own *read_own(const struct reader *r, const struct expr *e);   /* NULL: it is not such a variable */
/* Set `folded` of a statement, again where one that is folded gets more instructions; of all statements. */
void read_fold(const struct dec *d, struct stmt *s);
void read_fold_all(const struct dec *d, struct body *b);
bool read_constant(const struct expr *e);
int read_wild(const struct dec *d, const struct expr *e);      /* calls in it that may change anything */
bool read_tame(const struct dec *d, const struct expr *f);     /* a call of f is not one of these */
bool read_builtin(const struct dec *d, const struct expr *e);  /* a name looked up in the dictionary of builtins */
bool read_fixed(const struct reader *r, const struct expr *e); /* nothing changes this value while the code runs */
/* Is this value the same after the statement, with those within? */
bool read_stays(const struct reader *r, const struct expr *e, const struct stmt *s);

/* ---- dec_uses.c, dec_arms.c ------------------------------------------------------------------------ */

/* The next statement that is shown, or NULL. */
static inline struct stmt *read_next_shown(const struct stmt *s)
{
	struct stmt *next = s->next;

	while (next && next->folded)
		next = next->next;
	return next;
}

bool read_deletes(const struct stmt *s);			/* a variable */
bool read_attribute(const struct expr *e, const char *name);	/* it is the attribute of this name of something */
int read_uses(const struct expr *e, const struct expr *v);	/* how often the variable v is in e */
int read_uses_at(const struct stmt *s, const struct expr *v);	/* in this statement, without those within */
int read_uses_in(const struct body *b, const struct expr *v);	/* in its statements, as targets, too */
int read_uses_made(const struct body *b, const struct expr *v); /* in what its definitions evaluate, and as cells */
/* Put this in the place of each use of the variable v, and where it is stored. */
void read_put(struct body *b, const struct expr *v, struct expr *value);
void read_put_at(struct stmt *s, const struct expr *v, struct expr *value);
void read_arms(struct dec *d, struct body *b);

/* ---- dec_known.c: values that have a name ---------------------------------------------------------- */

void read_known(const struct reader *r, struct body *b);

/* ---- dec_cells.c: variables of functions that generated code makes ---------------------------------- */

void read_cells(const struct reader *r, struct body *b);

/* ---- dec_wrapped.c: after names are written, and after variables are counted ------------------------ */

void read_annotated(struct body *b);			   /* a function's annotations that are set again */
void read_wrapped(const struct reader *r, struct body *b); /* what functools.wraps() sets */

/* ---- dec_context.c --------------------------------------------------------------------------------- */

void read_contexts(const struct reader *r, struct body *b); /* before names are written */

/* ---- dec_rename.c ---------------------------------------------------------------------------------- */

/* The free variable of that name is called `to` in the function's text, if `write`.  false: not all uses are known. */
bool rename_free(struct function *f, PyObject *name, PyObject *to, bool write);

/* ---- dec_own.c: variables that stay ------------------------------------------------------------------- */

void read_own_names(struct reader *r, struct body *b); /* before names are written, and after variables are counted */

/* ---- dec_methods.c ------------------------------------------------------------------------------------ */

void read_methods(struct reader *r, struct body *b); /* the same */
/* The variable X of type(X).__mro__[N], N being 0 if `first`; NULL: it is another expression. */
struct expr *read_class_of(const struct dec *d, const struct expr *e, bool first);

/* ---- dec_setter.c ------------------------------------------------------------------------------------- */

/* Before names are written: attributes that are stored past a class of its own ways, as items of the dictionary. */
void read_setters(const struct reader *r, struct body *b);

/* ---- dec_form.c -------------------------------------------------------------------------------------- */

/* A call as an expression of its arguments: "$1.size($2)".  NULL: the form is that of a statement, or of another number
   of arguments. */
struct expr *form_written(struct dec *d, const char *form, const struct expr *call);

/* ---- dec_written.c: how names and calls are written ------------------------------------------------ */

const char *read_module(const struct dec *d,
			const struct expr *name); /* the dotted name of what a global is, or NULL */
/* A function of the compiler's library whose calls are written in another way: how.  NULL: none. */
const char *read_form(const struct dec *d, const struct expr *f);
void read_calls(struct dec *d, struct body *b); /* write them so */
void read_names(struct dec *d, struct body *b);

#endif
