/* SPDX-License-Identifier: BSD-3-Clause */
/* A captured graph, copied to plain data: nothing of the program's is kept alive by it.  Include dynamo.h first. */
#ifndef CDBG_GRAPHS_H
#define CDBG_GRAPHS_H
#include "dynamo.h"

struct node {
	char *name, *args, *value;           /* value: the example's summary, "" for none */
	const char *op, *target, *source;    /* the model's texts; source: of a placeholder, "L['x']", or NULL */
	int *in, nin;                        /* nodes it takes, by index, each once */
	int spot, nspots;                    /* where it was written: outermost first, in nodes.spot */
	int user;                            /* of those: the innermost line that is not torch's own, -1: none */
};

struct nodes {
	struct node *node;
	int n;
	size_t cap;
	struct spot *spot;
	int nspots;
	size_t spots_cap;
	struct spot called;                  /* of the function that was compiled, for nodes with torch's lines only */
};

/* Copy a torch.fx.Graph; NULL when it is none.  Evaluates nothing of the program's, adds no guard. */
struct nodes *graphs_read(PyObject *graph);
void graphs_free(struct nodes *g);
/* Around a stay in Python's own lists: a new reference, and what is in it, taken out. */
PyObject *graphs_wrap(struct nodes *g);
struct nodes *graphs_unwrap(PyObject *wrapped);

/* The innermost line that is not torch's own, NULL: unknown; and the outer one beside it, NULL: none. */
const struct spot *graphs_spot(const struct nodes *g, const struct node *n);
const struct spot *graphs_outer(const struct nodes *g, const struct node *n);
/* The compiled function's own line, or NULL. */
const struct spot *graphs_own(const struct nodes *g, const struct node *n);
/* The innermost line of all, where that is torch's; else NULL. */
const struct spot *graphs_torch(const struct nodes *g, const struct node *n);
int graphs_users(const struct nodes *g, int of, int *out, int most);          /* how many; the first `most` in out */
/* By its name, or short, or a number; "": that of the selected frame, or the only one.  NULL with err. */
struct graph *graphs_find(const char *name, struct entry **of, struct err *err);

/* ---- stages.c: what a backend makes of a captured graph ---- */

struct stage {
	struct stage *next;
	const char *name;                    /* "joint", "forward", "kernel", ... */
	char *graph;                         /* the captured graph's full name */
	struct nodes *copy;                  /* NULL: only text */
	char *text;                          /* NULL: only nodes */
};

void stages_before(PyObject *output_graph);  /* a graph is about to go to its backend */
void stages_free(struct stage *s);
void stages_name(struct stage *s, const char *graph);     /* those of a graph whose name was not known yet */

/* What "[NAME|ENTRY] [STAGE]" means. */
struct staged {
	struct entry *entry;
	const struct nodes *nodes;           /* NULL: there is only text */
	const char *text;                    /* NULL: there are nodes */
	char *name;                          /* the caller's: "__compiled_fn_1 joint" */
};

int stages_pick(const char *words, struct staged *out, struct err *err);
/* Completes what it takes: a view's completer. */
void stages_complete(struct session *s, const char *words, const char *word, struct val *list);

/* ---- draw.c ---- */

void draw_graph(const struct nodes *g, struct buf *out);
/* What a node is, in a few words: "add + 1", "torch.abs(a)", "L['a']". */
void draw_call(const struct nodes *g, const struct node *n, struct buf *out);
/* Its arguments, with sources for placeholders: "x, self.layer[0].weight". */
void draw_args(const struct nodes *g, const struct node *n, struct buf *out);
void draw_code(const struct nodes *g, const char *name, struct buf *out);

#endif
