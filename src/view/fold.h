/* SPDX-License-Identifier: BSD-3-Clause */
/* Code for people to read: generated code with one row for each region that people need not read, and the rest by
   line. Knows no command and no terminal. */
#ifndef CDBG_FOLD_H
#define CDBG_FOLD_H
#include "view/target.h"

/* One row.  All text is owned; NULL: nothing. */
struct fold_row {
	int start, end; /* instructions; end is exclusive */
	bool current, breakpoint;
	char *name, *text, *where, *line, *note;
};

struct fold {
	struct fold_row *row;
	size_t n, cap;
};

/* all: every instruction in a row of its own. */
void fold_fill(struct fold *f, struct session *s, const struct target *t, bool all);
void fold_release(struct fold *f);
void fold_text(const struct fold *f, struct buf *out);
/* With the original bytecode on the right: instructions that stand for the same lines are side by side. */
void fold_beside(const struct fold *f, struct session *s, const struct target *t, struct code *original,
		 struct buf *out);

#endif
