/* SPDX-License-Identifier: BSD-3-Clause */
/* Code as decompiled source, with the lines that its instructions belong to: the text that `decompile` shows, that
   `set step-mode python` steps by and FUNC@python:LINE names. */
#ifndef CDBG_PYTHON_LINES_H
#define CDBG_PYTHON_LINES_H
#include "py/decompile/decompile.h"

struct session;

/* The text, with what plugins report about the code; whole: nothing is folded.  function: whose code it is, for its
   defaults, or NULL.  Owned by the caller; NULL: interrupted. */
struct dec_source *python_lines_source(struct session *s, struct code *c, struct py_obj *function, bool whole);
/* By instruction: the line, 1 or more, of the statement that ends first of those that it belongs to; 0: none, as the
   jump over an `else`.  Owned by the caller. */
int *python_line_table(const struct dec_source *d, struct code *c);
/* The line to mark where this instruction is the next one: its own, or that of what follows it.  0: none. */
int python_line_shown(const struct dec_source *d, struct code *c, int index);
/* The first line of the statement that this line continues, else the line itself. */
int python_line_statement(const struct dec_source *d, int line);
/* The first instruction that belongs to the statement of this line; -1: it has none, as `else:` has none. */
int python_line_begin(const struct dec_source *d, struct code *c, int line);
/* The next instruction that does the same for the same line, in another copy of a finally clause; -1: there is none. */
int python_line_copy(const struct dec_source *d, struct code *c, int index);
/* The line of an instruction in the code's folded text, which is kept until another code's is asked for.  0 for lines
   of folded statements, too: nobody steps to them. */
int python_line(struct session *s, struct code *c, int index);
/* The text of that line and of those that continue it, as one, without a newline: owned by the caller, NULL: there is
   none. */
char *python_line_text(struct session *s, struct code *c, int line);
void python_lines_release(void); /* what is kept */

#endif
