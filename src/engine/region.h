/* SPDX-License-Identifier: BSD-3-Clause */
/* Regions: stretches of generated code, as reported by the plugin that knows the code.  Knows no plugin. */
#ifndef CDBG_REGION_H
#define CDBG_REGION_H
#include <stdbool.h>

/* What a stretch of generated code is for. */
enum region_kind {
	REGION_PROLOGUE,     /* code before the call of the graph */
	REGION_GRAPH_CALL,   /* loads what was compiled, calls it and stores its result */
	REGION_OUTPUTS,	     /* code that unpacks the result */
	REGION_SIDE_EFFECTS, /* replays on the program's objects what was seen while compiling */
	REGION_BREAK,	     /* the instruction that could not be compiled */
	REGION_RESUME_CALL,  /* calls the function that continues the program's function */
	REGION_ORIGINAL,     /* the function's own instructions, copied: steps go by its lines */
	REGION_RETURN,
	REGION_KINDS
};

/* In instruction order, without gaps. */
struct region {
	int start, end; /* indexes; end is exclusive */
	enum region_kind kind;
	const char *text;    /* "__compiled_fn_1(a, b)", or NULL */
	int line, last_line; /* the user's, 0: none */
	int nodes;	     /* of its graph, -1: none */
	bool folded;	     /* shown in one row unless asked for */
	int goes_on;	     /* resume call: offset where the original continues, 0: none */
	/* Of a break in a function that was inlined: the calls that lead to it, "in inner at toy.py:3"; line is its
	   caller's, where the call is made.  NULL: the break is at line. */
	const char *inner;
};

#endif
