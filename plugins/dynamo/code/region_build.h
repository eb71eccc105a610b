/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by the files that find regions: reading instructions, adding a region. */
#ifndef DYNAMO_CODE_REGION_BUILD_H
#define DYNAMO_CODE_REGION_BUILD_H
#include "torch/cdbg_host.h"

struct entry;

/* What is being built. */
struct region_build {
	struct entry *e;
	struct code *c;
	struct region *r;
	int n;
	size_t cap;
	int first;	      /* first instruction after RESUME */
	int graph, graph_end; /* the first graph call; -1: there is none */
	int broken;	      /* the user's own instruction that broke the graph, -1: none */
	int original;	      /* first of the user's bytecode copied in, -1: none */
};

const char *region_op(const struct region_build *b, int i);
bool region_starts(const char *s, const char *with);
bool region_is(const struct region_build *b, int i, const char *name);
/* The name that a LOAD_GLOBAL loads, "" for anything else. */
const char *region_global(const struct region_build *b, int i);
int region_find_global(const struct region_build *b, int from, int to, const char *prefix);
bool region_is_jump(const struct region_build *b, int i);
int region_add(struct region_build *b, enum region_kind kind, int start, int end);

#endif
