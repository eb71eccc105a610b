/* SPDX-License-Identifier: BSD-3-Clause */
/* A graph beside the code that inductor wrote for it: which variable holds which node. */
#ifndef DYNAMO_OBSERVE_CACHED_MATCHING_H
#define DYNAMO_OBSERVE_CACHED_MATCHING_H
#include "observe/cached_code.h"

struct nodes;

struct matching {
	const struct nodes *g;
	int *base;   /* by node: the node whose memory a view shows; itself for others */
	int *holder; /* by node: the variable that holds it, -1 */
	struct cached_code code;
};

/* Sets `line` and `only` of variables that a kernel writes and whose node is not known: those where all nodes that fit
   are on one line. */
void cached_lines_find(struct matching *m);

#endif
