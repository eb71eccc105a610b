/* SPDX-License-Identifier: BSD-3-Clause */
/* What the two files that write the decompiler's text share: print.c (expressions), statement_lines.c (statements). */
#ifndef CDBG_PRINT_H
#define CDBG_PRINT_H
#include "py/decompile/tree/dec.h"

struct printer {
	struct dec *d;
	const struct code *root; /* the code whose text this is; d->c may be nested in it */
	struct buf *out;
	bool whole;	/* the text that is compiled */
	bool bare;	/* without what only the compiler needs: that is put into it later */
	PyObject **odd; /* names that are not identifiers: _name_N is the N-th; borrowed */
	int nodd;
	size_t odd_cap;
	PyObject **bound; /* objects without a literal: __const_N is the N-th; borrowed */
	int nbound;
	size_t bound_cap;
	PyObject *format, *repr, *ascii; /* builtins; borrowed */
	int deep, indent, classes;	 /* classes: those around */
	bool too_deep;
	struct dec_line *line;
	int nlines;
	size_t line_cap;
	bool partial;
	struct {
		int line;
		struct code *code;
	} * made; /* nested functions, by the line of their text */
	int nmade;
	size_t made_cap;
};

/* Of a name in text that is compiled: it is looked up in the variables of a class first. */
#define LOOKED_UP "__class_name_"
void print_name(struct printer *p, PyObject *name);
void print_bound(struct printer *p, PyObject *v);
bool print_explained(struct printer *p, int i, struct buf *out); /* a comment: what __const_i is; false: none needed */
void print_expression(struct printer *p, const struct expr *e);
void print_braced(struct printer *p, const struct expr *e); /* as it is between braces of an f-string */
void print_test(struct printer *p, const struct expr *e);
void print_value(struct printer *p, const struct expr *e);
void print_arguments(struct printer *p, const struct function *f, bool lambda);
void print_returned(struct printer *p, const struct function *f); /* what it is annotated to return */
/* The text defines a function that returns what this code makes: no function is like it. */
bool print_within(const struct code *c);
/* The whole text: `def` and all.  around: the function is wrapped, so that its free variables are some. */
void print_function(struct printer *p, const struct function *f, const char *name, bool around);
void print_instruction(struct code *c, int index, struct buf *out); /* as a comment, without the end of its line */
void print_names(struct printer *p, const struct function *f);	    /* what a bare text lacks */
void print_release(struct printer *p);
void print_init(struct printer *p, struct dec *d, struct buf *out, bool whole);

/* ---- statement_lines.c, def.c ------------------------------------------------------------------- */

void statement_line_begin(struct printer *p);
void statement_line_end(struct printer *p, int from, int to); /* the instructions that it stands for; -1: none */
void statement_line_as_is(struct printer *p, int from,
			  int to); /* the same of a line that cannot be continued on others */
/* Where a scan of the text is. */
struct scan {
	const char *s;
	char quote;   /* of the string that it is in; 0: in none */
	bool triple;  /* with three of them */
	bool comment; /* until the end of the line */
	int deep;     /* brackets */
};
void scan_step(struct scan *x); /* past a character, with what an escape or three quotes have more */
/* Continue the unfinished last line of the text on more lines, if it is long: how many.  (long_lines.c) */
int long_line_wrap(struct buf *out);
/* The lines of a docstring in triple quotes, of text that is read; false: it does not fit into any.  (long_lines.c) */
bool long_line_docstring(struct printer *p, PyObject *doc);
void statement_line_words(struct printer *p, const char *text, const struct stmt *s);
void statement_lines_body(struct printer *p, const struct body *b);
void statement_lines_block(struct printer *p, const struct body *b); /* indented; never empty */
void def_lines(struct printer *p, const struct function *f, const struct stmt *s, const struct expr *name,
	       const char *plain);

/* ---- fstring.c ---------------------------------------------------------------------------------- */

void print_fstring(struct printer *p, const struct expr *e);

/* ---- decompile.c -------------------------------------------------------------------------------- */

void last_return_drop(
	struct function *f); /* `return None` at its ends; beside a docstring it needs no statement at all */

/* A code object under work, and its text. */
struct work {
	struct dec d;
	struct function f;
	struct printer p;
	struct buf text;
	PyObject *keep[3];		   /* format, repr, ascii */
	bool interrupted;		   /* work_text() ended early */
	int put_before, put_at, put_there; /* lines put around an edited text: before it, and after that line */
};

/* whole: the text that is compiled.  -1: a Python exception is set. */
int work_init(struct work *w, struct code *c, const struct dec_style *style, bool whole);
void work_release(struct work *w);
/* finish.c: the compiled code with what its text had stand-ins for; a new reference, NULL with an exception. */
PyObject *finish_code(struct work *w, PyObject *code, PyCodeObject *original);
/* bind.c: what stand-ins stand for is put into raw, the bytes of this compiled code.  -1: an exception is set. */
int bind_code(struct work *w, PyObject *code, unsigned char *raw, PyObject *consts);
PyObject *bind_looked_up(PyObject *name);		   /* a name without LOOKED_UP; a new reference */
int bind_number(const char *s, const char *prefix, int n); /* that follows the prefix, less than n; -1: none does */
extern const struct dec_steps passes_steps;		   /* passes.c */
bool work_text(struct work *w, const char *name);	   /* false: w->d.why and why_index say what is not covered */

#endif
