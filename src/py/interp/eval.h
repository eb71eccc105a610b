/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs expressions and statements of the user with the names of a frame. To be called inside a stop only. */
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
 * A compiled condition: small, reusable, holds no frame.  It has a reference count: a caller that evaluates one that
 * a command may replace meanwhile (in another thread, while the evaluation runs the program's code) must hold a
 * reference.
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
 * Run statements (one or many lines) as pdb's `!` does: a single expression's value is returned (None: NULL with no
 * error).  An assignment changes the variable that an expression with this name would find: the frame's local, else
 * the global; any other name becomes a name of the prompt.
 */
int eval_exec(const char *text, const struct scope *sc, struct py_obj **value, struct err *err);
/* 0: it is complete, 1: it needs more lines, -1: it has a syntax error. */
int eval_complete(const char *text);

#endif
