/* SPDX-License-Identifier: BSD-3-Clause */
/* Running the user's expressions and statements in a frame's names.  To be called inside a stop only. */
#ifndef CDBG_EVAL_H
#define CDBG_EVAL_H
#include "py/frame/frame.h"

/* The names an expression sees. */
struct scope {
	struct py_frame *frame; /* borrowed; NULL: none */
	bool at_event;		/* for __stack__ */
	struct py_obj *locals;	/* used instead of the frame's own when not NULL (a dict) */
	struct py_obj *kept;	/* borrowed: a dict of more locals, see frame_stack_locals(); NULL: none */
	struct py_obj *globals; /* the same; NULL: the frame's, else __main__'s */
};

/*
 * A compiled condition: small, reusable, holds no frame.  It is counted: whoever evaluates one that a command may
 * replace meanwhile (in another thread, while the evaluation runs the program's code) holds a reference.
 */
struct expr;
/* Syntax errors say where.  `$0` is slot 0 of the value stack, `__stack__` the list of it, bottom first. */
struct expr *expr_new(const char *text, struct err *err);
struct expr *expr_ref(struct expr *e); /* NULL stays NULL; returns e */
void expr_unref(struct expr *e);
const char *expr_text(const struct expr *e);
/* New reference, or NULL with err (the exception's type and message).  Builds only the names it uses. */
struct py_obj *expr_eval(struct expr *e, const struct scope *sc, struct err *err);
/* 1 true, 0 false, -1 error. */
int expr_true(struct expr *e, const struct scope *sc, struct err *err);

/* The same for text used once. */
struct py_obj *eval_text(const char *text, const struct scope *sc, struct err *err);
/*
 * Run statements (one or many lines) as pdb's `!` does: a single expression's value is returned (None: NULL with
 * no error).  A name that is assigned changes what an expression would find under it: the frame's local, else the
 * global; any other name belongs to the prompt from then on.
 */
int eval_exec(const char *text, const struct scope *sc, struct py_obj **value, struct err *err);
/* 0 whole, 1 needs more lines, -1 a syntax error. */
int eval_complete(const char *text);

#endif
