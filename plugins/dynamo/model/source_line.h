/* SPDX-License-Identifier: BSD-3-Clause */
/* Chooses the lines of a stack that are shown for what Dynamo made: the innermost one that is not torch's own, and
   an outer line beside it.  Knows no graph, no guard and no view. */
#ifndef DYNAMO_MODEL_SOURCE_LINE_H
#define DYNAMO_MODEL_SOURCE_LINE_H
#include "torch/cdbg_host.h"

/* A source line and its function.  The texts live as long as the model. */
struct source_line {
	const char *file, *function;
	int line;
	bool own;	  /* of the traced function itself, not of one inlined into it */
	const char *code; /* what was written there; of the innermost line of a node's stack only, else NULL */
};

/* The innermost line that is not torch's own; one of a library counts, one of Python's own library only where there is
   no other.  -1: all are torch's. */
int source_line_inner(const struct source_line *stack, int n);
/* The line to show beside that one: the innermost of the program, for a library's; else the outermost.  Calls that a
   decorator passes on are left out.  Reads sources.  -1: there is none. */
int source_line_outer(const struct source_line *stack, int inner);
/* "model.py:84 in forward (from train.py:5)"; outer NULL: without the last. */
void source_line_describe(const struct source_line *s, const struct source_line *outer, struct buf *out);
/* Is it a file whose lines are shown: not torch's, Python's, nor text without a file? */
bool source_line_counts(const char *file);
/* Is it a line that a person wants to see: not torch's, Python's, nor a decorator's call of what it wraps? */
bool source_line_shown(const struct source_line *s);

#endif
