/* SPDX-License-Identifier: BSD-3-Clause */
/* Costs of compiles added up by line, by module and by operator, with the nodes of the graphs.  Does not depend on
   views. */
#ifndef DYNAMO_SHOW_LINE_TIMES_H
#define DYNAMO_SHOW_LINE_TIMES_H
#include "torch/cdbg_host.h"

struct timing;

struct line_sum {
	const char *name, *file; /* the model's texts: of a module or an operator its name, of a line its file */
	int line;
	double trace, lowering; /* seconds */
	long starts, nodes, lowered;
};

/* Owned arrays, the slowest first. */
struct line_sums {
	struct line_sum *line, *module, *op;
	size_t nlines, nmodules, nops, lines_cap, modules_cap, ops_cap;
};

void line_sums_add(struct line_sums *s, const struct timing *t);
void line_sums_sort(struct line_sums *s);
void line_sums_release(struct line_sums *s);

#endif
