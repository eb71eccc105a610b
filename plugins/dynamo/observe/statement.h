/* SPDX-License-Identifier: BSD-3-Clause */
/* The statements of a graph that torch printed as Python, and its types.  Knows text only. */
#ifndef DYNAMO_OBSERVE_STATEMENT_H
#define DYNAMO_OBSERVE_STATEMENT_H
#include "torch/cdbg_host.h"

/* Begin with p and comment; release the text at the end. */
struct statement {
	const char *p;	 /* what is still to be read */
	struct buf text; /* the statement, over all lines of its brackets: one space for white space, no comments */
	int indent;	 /* of its first line */
	/* A line that is only a comment, of n bytes, before the statement. */
	void (*comment)(void *arg, const char *s, size_t n);
	void *arg;
};

/* Reads the next one; false: it was the last. */
bool statement_next(struct statement *r);
/* The end of "[...]" at s, which may have brackets inside; s: it is open. */
const char *statement_group_end(const char *s);
/* "f32[8, s0][s0, 1]cpu" as the model writes it: "f32[8,s0] cpu", and its strides, "[s0,1]", or NULL.  Owned by the
   caller. */
char *statement_type(const char *type, char **stride);

#endif
