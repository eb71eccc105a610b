/* SPDX-License-Identifier: BSD-3-Clause */
/* Which line of a stack stands for what Dynamo made of it: the innermost one that is not torch's own, and the outer
   line beside it.  Knows no graph, no guard and no view. */
#ifndef DYNAMO_MODEL_SPOT_H
#define DYNAMO_MODEL_SPOT_H
#include "torch/host.h"

/* A source line, and whose; texts are the model's and live as long as it. */
struct spot {
	const char *file, *function;
	int line;
	bool own; /* of the traced function itself, not of one inlined into it */
};

/* The innermost line that is not torch's own; one of a library counts, one of Python's own library only where there is
   no other.  -1: all are torch's. */
int spot_inner(const struct spot *stack, int n);
/* The line to show beside that one: the innermost of the program, for a library's; else the outermost.  Calls that a
   decorator passes on are left out.  Reads sources.  -1: there is none. */
int spot_outer(const struct spot *stack, int inner);
/* "model.py:84 in forward (from train.py:5)"; outer NULL: without the last. */
void spot_describe(const struct spot *s, const struct spot *outer, struct buf *out);
/* Is it a line that a person wants to see: not torch's, Python's, nor a decorator's call of what it wraps? */
bool spot_shown(const struct spot *s);

#endif
