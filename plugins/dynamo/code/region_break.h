/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by the files that find regions: reading instructions, adding a region; where the graph breaks, that is, the
   instruction that broke it and the calls of resume functions. */
#ifndef DYNAMO_CODE_REGION_BREAK_H
#define DYNAMO_CODE_REGION_BREAK_H
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

/* ---- regions.c --------------------------------------------------------------------------------------------- */

const char *region_op(const struct region_build *b, int i);
bool region_starts(const char *s, const char *with);
bool region_is(const struct region_build *b, int i, const char *name);
/* The name that a LOAD_GLOBAL loads, "" for anything else. */
const char *region_global(const struct region_build *b, int i);
int region_find_global(const struct region_build *b, int from, int to, const char *prefix);
bool region_is_jump(const struct region_build *b, int i);
int region_add(struct region_build *b, enum region_kind kind, int start, int end);

/* ---- region_break.c ---------------------------------------------------------------------------------------- */

/* Where the values that a resume function gets begin to be packed into a tuple; -1: nowhere. */
int region_packed(const struct region_build *b, int from);
/* The name that an instruction of that kind has, "" for any other. */
const char *region_name_in(const struct region_build *b, int i, const char *op_name);
int region_return_from(const struct region_build *b, int from);
/*
 * What Dynamo makes has no columns; what it copies from the user's code has.  One instruction of that kind: the broken
 * one.  More: the rest of the user's bytecode, run as it is.  Where Python keeps no columns at all, what follows the
 * packing tells.
 */
void region_find_break(struct region_build *b);
/* Calls of resume functions up to the end, each with its return; a branch has two.  Contexts that the broken
   instruction ran in are left before. */
void region_add_resumes(struct region_build *b, int from);
/* The index at which the preparation of this instruction ends: goes back over PRECALL and the like, and over the
   conversion of a jump's condition to bool. */
int region_before_break(const struct region_build *b, int at);
void region_add_break(struct region_build *b);

#endif
