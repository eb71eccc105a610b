/* SPDX-License-Identifier: BSD-3-Clause */
/* Code as a person reads it: generated code with the regions nobody needs in one row each, other code by line.
   Knows no command and no terminal. */
#ifndef CDBG_FOLD_H
#define CDBG_FOLD_H
#include "view/target.h"

/* One row.  All text is owned; NULL: nothing. */
struct fold_row {
	int start, end;                      /* instructions; end is exclusive */
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
/* With the original bytecode on the right, what stands for the same lines side by side. */
void fold_beside(const struct fold *f, struct session *s, const struct target *t, struct code *original,
		 struct buf *out);

#endif
