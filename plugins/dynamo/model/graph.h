/* SPDX-License-Identifier: BSD-3-Clause */
/* Captured graphs as plain data: nodes, and the source line of each.  Knows not how they are read from Dynamo. */
#ifndef DYNAMO_MODEL_GRAPH_H
#define DYNAMO_MODEL_GRAPH_H
#include "torch/cdbg_host.h"
#include "model/source_line.h"

struct entry;

struct nodes;

struct graph {
	char *name; /* "__compiled_fn_1", without the uuid */
	char *full;
	int nodes;		  /* operations, -1: unknown */
	bool read;		  /* the spots are there */
	struct source_line *spot; /* each once, in the order of the graph */
	int nspots;
	size_t spots_cap;
	struct nodes *copy; /* NULL: not recorded */
	bool part;	    /* a part of another graph of the entry, "__compiled_fn_1.submod_0" */
};

extern unsigned model_graphs_version; /* counts graphs and stages as they are added */
/* Takes the copy, which may be NULL. */
void model_add_graph(struct entry *e, const char *name, struct nodes *copied);
void model_read_graph(struct graph *g); /* copy -> spots, once */

struct node {
	char *name, *args, *value;	  /* value: the example's summary, "" for none */
	char *stride;			  /* "[s0,1]", of a tensor; or NULL */
	char *concrete;			  /* "[8,4] [4,1]": sizes and strides for symbolic ones; or NULL */
	char *from;			  /* earlier stages' nodes, nearest first, by spaces; or NULL */
	long number;			  /* meta['seq_nr'] + 1: an operation and its derivatives have one; 0: none */
	const char *module;		  /* "layer.0 (Linear)", the innermost; the model's text, or NULL */
	const char *op, *target, *source; /* the model's texts; source: of a placeholder, "L['x']", or NULL */
	int *in, nin;			  /* nodes it takes, by index, each once */
	int spot, nspots;		  /* where it was written: outermost first, in nodes.spot */
	int user;			  /* the index there of the innermost line that is not torch's own, -1: none */
};

/* Of a graph that is compiled in parts, or of a part. */
struct splitting {
	PyObject *kept; /* owned: graph_keep()'s of the graph that calls the parts; or NULL */
	int parameters; /* of a part: trained parameters that it takes, and their size */
	long long bytes;
};

struct nodes {
	struct node *node;
	int n;
	size_t cap;
	struct source_line *spot;
	int nspots;
	size_t spots_cap;
	struct subgraph *sub; /* of higher-order operators, each once */
	int nsub;
	struct source_line called; /* of the function that was compiled, for nodes with torch's lines only */
	PyObject *kept;		   /* owned: graph_keep()'s, while an entry that uses it lives; or NULL */
	PyObject *modes;	   /* owned: graph_keep_modes()'s as it was captured; NULL: not known */
	struct splitting split;
	struct node_name *by_name; /* sorted, graphs_index()'s */
	int named;
};

/* A graph that a node of another names: its get_attr target, as "cond_true_0". */
struct subgraph {
	char *name;
	struct nodes *nodes;
};

/* The graph that g is a part of; g itself if no other has it. */
struct graph *graphs_whole(const struct entry *e, struct graph *g);
/* The part of a graph after `before`, which may be NULL for the first; NULL: no more. */
struct graph *graphs_next_part(const struct entry *e, const struct graph *whole, const struct graph *before);
/* The parts that a graph is compiled in, ", submod_0, submod_1"; "" for none. */
void graphs_tell_parts(const struct entry *e, const struct graph *whole, struct buf *out);
void graphs_free(struct nodes *g);
/* Takes nodes. */
void graphs_add_sub(struct nodes *g, const char *name, struct nodes *nodes);
/* The sub-graph of that name, or NULL. */
struct nodes *graphs_sub(const struct nodes *g, const char *name);
/* The index of the node whose name is the first n bytes, in O(log nodes); -1: there is none. */
int graphs_index(const struct nodes *g, const char *name, size_t n);
/* That node itself, or NULL.  g may be NULL. */
const struct node *graphs_own_node(const struct nodes *g, const char *name, size_t n);
/* The node of that name; "cond_true_0.cos" is in a sub-graph, and *g then becomes that.  NULL: there is none. */
const struct node *graphs_node(const struct nodes **g, const char *name);
/* Nodes, those of sub-graphs included. */
int graphs_count(const struct nodes *g);
/* Does it read or write a part of a value?  Its second argument is written in brackets. */
bool graphs_is_subscript(const struct node *n);
bool graphs_computes(const struct node *n); /* not an input, an object that the graph names, or its output */
/* True if both have the same nodes: operations and arguments, in sub-graphs, too.  names: and names, which another
   process gives otherwise.  False if one is NULL. */
bool graphs_equal(const struct nodes *a, const struct nodes *b, bool names);
/* The graphs of an entry that is gone can no longer be run, unless another entry still uses them. */
void graphs_drop_kept(struct entry *gone);
/* Puts a graph into a Python object, a new reference; takes it out again. */
PyObject *graphs_wrap(struct nodes *g);
struct nodes *graphs_unwrap(PyObject *wrapped);
/* The innermost line that is not torch's own, NULL: unknown; and the outer one beside it, NULL: none. */
const struct source_line *graphs_line(const struct nodes *g, const struct node *n);
const struct source_line *graphs_outer(const struct nodes *g, const struct node *n);
/* True if both have a line and it is the same. The line of a cached stage may be in a copy of the file. */
bool graphs_same_line(const struct nodes *a, const struct node *x, const struct nodes *b, const struct node *y);
/* The compiled function's own line, or NULL. */
const struct source_line *graphs_own(const struct nodes *g, const struct node *n);
/* The innermost line of all, where that is torch's; else NULL. */
const struct source_line *graphs_torch(const struct nodes *g, const struct node *n);
int graphs_users(const struct nodes *g, int of, int *out, int most); /* how many; the first `most` in out */

#endif
