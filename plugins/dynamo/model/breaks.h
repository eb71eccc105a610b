/* SPDX-License-Identifier: BSD-3-Clause */
/* Graph breaks, in the order in which they were compiled. */
#ifndef DYNAMO_MODEL_BREAKS_H
#define DYNAMO_MODEL_BREAKS_H
#include "torch/cdbg_host.h"

struct entry;
struct func;
struct source_line;

/* The result of a break, known once the compile has ended. */
struct break_end {
	char *resume; /* names of the resume functions, or NULL: none */
	bool skipped;
	bool failed; /* the compile then ended with an exception */
};

struct breakage { /* a graph break, as it was compiled */
	struct breakage *next;
	int number;
	struct func *func; /* that was being compiled */
	char *file;
	int line, nodes;
	char *reason, *kind, *entry;
	char *symbolic;		   /* the translator's stack then, bottom first */
	bool whole;		   /* ... with what the instruction that broke had taken from it */
	struct source_line *stack; /* outermost first */
	int nstack;
	const char **qualname; /* of the functions in it, for people; machines get co_name */
	struct break_end end;
};

extern struct breakage *model_breaks;
struct breakage **model_breaks_end(void);
struct breakage *model_add_break(void);
/* The calls from the function to the break: ", in inner at toy.py:3". */
void breaks_inner(const struct breakage *b, struct buf *out);
/* Did it come up when this entry was made? */
bool breaks_of(const struct breakage *b, const struct entry *e);
const char *breaks_state(const struct breakage *b); /* "resumed", "skipped", "failed"; NULL: it is not known yet */
/* The line of the function itself. */
int breaks_line(const struct breakage *b);
const char *breaks_file(const struct breakage *b);
void breaks_release(void);

#endif
