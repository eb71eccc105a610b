/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files share that write generated code for people: read.c, changes.c, library_names.c.  For these only,
   after Python.h. */
#ifndef CDBG_READ_H
#define CDBG_READ_H
#include "py/decompile/shape/shape.h"

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

/* ---- read.c: values where they are used --------------------------------------------------------- */

void read_begin(struct dec *d, struct body *b);	     /* d->reader, for those that follow */
void read_count(struct dec *d, struct body *b);	     /* how often its variables, and temporaries, are used and bound */
void read_move_fixed(struct dec *d, struct body *b); /* values that nothing can change */
void read_move(struct dec *d, struct body *b);	     /* others, too */

/* ---- changes.c: what is the same in another place ----------------------------------------------- */

bool read_takes_result(const struct reader *r, const struct stmt *s); /* it takes one of what a graph computed */
struct own *read_own(const struct reader *r, const struct expr *e);   /* NULL: it is not such a variable */
/* Set `folded` of a statement, again where one that is folded gets more instructions; of all statements. */
void read_fold(const struct dec *d, struct stmt *s);
void read_fold_all(struct dec *d, struct body *b);
bool read_constant(const struct expr *e);
int read_wild(const struct dec *d, const struct expr *e);      /* calls in it that may change anything */
bool read_tame(const struct dec *d, const struct expr *f);     /* a call of f is not one of these */
bool read_fixed(const struct reader *r, const struct expr *e); /* nothing changes this value while the code runs */
/* Is this value the same after the statement, with those within? */
bool read_stays(const struct reader *r, const struct expr *e, const struct stmt *s);

/* ---- uses.c, arms.c ----------------------------------------------------------------------------- */

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

/* ---- user_names.c: values that have a name ------------------------------------------------------ */

void read_known(struct dec *d, struct body *b);

/* ---- cell_names.c: variables of functions that generated code makes ----------------------------- */

void read_cells(struct dec *d, struct body *b);

/* ---- functools_wraps.c: after names are written, and after variables are counted ---------------- */

/* What functools.wraps() sets, and annotations that are set again. */
void read_wrapped(struct dec *d, struct body *b);

/* ---- contexts.c --------------------------------------------------------------------------------- */

void read_contexts(struct dec *d, struct body *b); /* before names are written */

/* ---- variable_names.c: variables that stay ------------------------------------------------------ */

void read_own_names(struct dec *d, struct body *b); /* before names are written, and after variables are counted */

/* ---- methods.c ---------------------------------------------------------------------------------- */

void read_methods(struct dec *d, struct body *b); /* the same */
/* The variable X of type(X).__mro__[N], N being 0 if `first`; NULL: it is another expression. */
struct expr *read_class_of(const struct dec *d, const struct expr *e, bool first);

/* ---- setters.c ---------------------------------------------------------------------------------- */

/* Before names are written: attributes that are stored past a class of its own ways, as items of the dictionary. */
void read_setters(struct dec *d, struct body *b);

/* ---- library_names.c: how names and calls are written ------------------------------------------- */

void read_calls(struct dec *d, struct body *b); /* write them so */
void read_names(struct dec *d, struct body *b);

#endif
