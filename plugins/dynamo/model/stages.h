/* SPDX-License-Identifier: BSD-3-Clause */
/* The stages that a backend made from a captured graph, copied as plain data. */
#ifndef DYNAMO_MODEL_STAGES_H
#define DYNAMO_MODEL_STAGES_H
#include "torch/cdbg_host.h"

struct entry;
struct nodes;
struct wrapper_text;

/* A buffer of inductor's code and the nodes that it was made from. */
struct origin {
	char *buffer;
	char *node; /* whose value it holds, or NULL: a part of a computation */
	char *all;  /* all nodes that it helps to compute, separated by spaces; NULL: not known */
};

struct stage {
	struct stage *next;
	const char *name;   /* "joint", "forward", "kernel", ... */
	char *graph;	    /* the captured graph's full name */
	long lowering;	    /* inductor's number of the compile that its code is of; -1: not known */
	long aot_id;	    /* torch's number of AOTAutograd's compile; -1: not known */
	struct nodes *copy; /* NULL: only text */
	char *text;	    /* NULL: only nodes */
	void (*read)(const struct entry *e, struct stage *s); /* finds nodes and origins in text, which waits for it;
								  NULL: that was done */
	bool cached;	       /* torch took it from its cache, as text, and what it was made of is not known */
	struct origin *origin; /* of inductor's code: all buffers */
	int norigins;
	struct wrapper_text *code; /* stages_wrapper()'s, NULL: nobody has asked */
	struct stage *ran;	   /* the program's own, if this was made again: the code that runs may be of it */
};

/* Those of an entry, in the order in which they were made, all of them read.  Reading takes about a tenth of a
   millisecond a node, once; e->made.stages alone is enough for their names and the text of code. */
const struct stage *stages_of(const struct entry *e);
/* The captured graph that a stage of the entry was made of, or NULL: it was not recorded. */
const struct nodes *stages_captured(const struct entry *e, const struct stage *s);
/* The graph that inductor's code was made from, or NULL.  code: one of all, or what one was made again for. */
const struct nodes *stages_lowered(const struct stage *all, const struct stage *code);
/* The text of inductor's code without its first line, which counts the compiles: texts of one code are equal then. */
const char *stages_plain_code(const char *text);
/* What a stage with inductor's code reads and writes, as long as the stage lives. */
const struct wrapper_text *stages_wrapper(const struct stage *s);
void stages_free(struct stage *s);
void stages_name(struct stage *s, const char *graph); /* those of a graph whose name was not known yet */
void stage_free(struct stage *s);
void stages_free_origins(struct origin *origin, int n);

#endif
