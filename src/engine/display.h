/* SPDX-License-Identifier: BSD-3-Clause */
/* Expressions shown at every stop (`display EXPR`).  Knows no command and no view. */
#ifndef CDBG_DISPLAY_H
#define CDBG_DISPLAY_H
#include <stdbool.h>
#include "base/buf.h"
#include "base/err.h"

struct expr;
struct py_obj;
struct session;

struct display {
	struct display *next;
	int number; /* never given twice */
	struct expr *expr;
	/* Its value at the current stop, for display_object(). */
	struct py_obj *value; /* owned; NULL: it raised */
	char *trouble;	      /* owned: what it raised, or NULL */
	bool known;
};

struct display_list {
	struct display *first;
	int last;
	/* What the known values are of: the command of the stop after which they were evaluated, and the frame. */
	int asked, level;
	const void *thread;
};

/* Its number, or -1: a syntax error. */
int display_add(struct session *s, const char *text, struct err *err);
int display_drop(struct session *s, int number, struct err *err);
void display_drop_all(struct session *s);
struct display *display_first(const struct session *s);
const char *display_expr(const struct display *d); /* as typed */
/* Its value in the selected frame as a summary; -1: err says what it raised.  Runs the program's code. */
int display_value(struct session *s, const struct display *d, struct buf *out, struct err *err);
/* The value itself, evaluated once for all callers between two commands of a stop: a new reference; NULL: *trouble says
   what it raised, valid until the next command.  Runs the program's code. */
struct py_obj *display_object(struct session *s, struct display *d, const char **trouble);
/* The stop ends: no value is kept. */
void display_forget(struct session *s);
/* All displays as a stop shows them, a line each: "1: a + 1 = 3". */
void display_text(struct session *s, struct buf *out);
/* The command lines that make them again, for restart and `save breakpoints`. */
void display_script(const struct session *s, struct buf *out);

#endif
