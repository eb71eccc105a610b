/* SPDX-License-Identifier: BSD-3-Clause */
/* What code makes of code objects within it: functions and classes.  Knows no control flow. */
#ifndef CDBG_DEFINITIONS_H
#define CDBG_DEFINITIONS_H
#include "py/decompile/stack/run.h"

/* ---- class.c: what the compiler puts into the body of a class ---- */

void class_body_chain_targets(struct dec *d, struct body *b); /* a = b = v as one; after the temporaries are counted */
void class_body_end(struct body *b);	 /* what the compiler puts at the end of each way through one is removed */
void class_body_doc(struct function *f); /* what is stored to __doc__ first becomes its docstring */

/* ---- nested.c, functions.c -------------------------------------------------------- */

/* What a function has beside its code; NULL: nothing. */
struct making {
	struct item *defaults, *kwdefaults, *annotations, *closure;
	struct expr *cells;	/* see struct function */
	struct item *annotate;	/* the function that gives annotations; NULL: none */
	struct expr *annotated; /* the dictionary of annotations, which are not those of its arguments */
	const char *module;
	bool called; /* by a call that makes functions, and cells is known instead of closure */
};

void functions_make(struct run *r, const struct ins *in);
/* The definition, lambda or comprehension that it is; next: the instruction that follows.  false: it has no text. */
bool function_made(struct run *r, struct making *m, PyCodeObject *co, const struct ins *next);
bool function_is_lambda(const struct function *f); /* it only returns a value, and a line can say all of it */
/* Can a definition have these annotations? */
bool functions_annotations_fit(const struct making *m, PyCodeObject *co);
struct function *nested_make(struct run *r, PyCodeObject *co); /* of a nested code object; NULL: it has no text */
/* Can a definition have these as its defaults?  NULL: there are none. */
bool nested_defaults_fit(const struct item *defaults, const struct item *kwdefaults);

/* ---- class.c ------------------------------------------------------------------------------------ */

/* The function that is made of this code is that of a class, whose body can be written: pushed as I_CLASS. */
bool class_made(struct run *r, PyCodeObject *co);
/* The same of code that a call of the compiler's library makes a function of; the class, or NULL. */
struct function *class_pushed(struct run *r, PyCodeObject *co);
const struct item *class_builder(const struct run *r); /* what will be called with what is pushed next, or NULL */
/* The call of __build_class__() that follows, as a statement. */
bool class_call(struct run *r, int n, PyObject *keys);
void class_name(struct run *r, const struct ins *in); /* refuses one that the text would find elsewhere */

#endif
