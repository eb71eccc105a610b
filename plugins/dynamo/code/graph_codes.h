/* SPDX-License-Identifier: BSD-3-Clause */
/* The code that compiled graphs run, FX's forward and inductor's call, noted as it appears, and what each of its lines
   computes.  Knows no entry and no stop. */
#ifndef DYNAMO_CODE_GRAPH_CODES_H
#define DYNAMO_CODE_GRAPH_CODES_H
#include "torch/cdbg_host.h"

/* One line.  Variables are given by their index among the frame's locals. */
struct graph_line {
	int line, index; /* index: of its first instruction */
	char *node;	 /* what it computes: a node, a buffer, a kernel; NULL: nothing */
	char *called;	 /* in inductor's call: the operation of a library that computes node; NULL: none */
	bool kernel;	 /* in inductor's call: calls a kernel, or an operation of a library */
	bool subgraph;	 /* in inductor's call: calls the function of a sub-graph, whose name node is */
	bool input;	 /* it takes an input of the graph */
	bool foreign;	 /* it may call what is not torch's: a function of the program, print() */
	bool nan, inf;	 /* the program gives it a NaN or an Inf as a constant */
	bool unset;	 /* it allocates memory as torch.empty() does, which holds what was there before */
	bool in_place;	 /* FX's forward: it may change tensors that it reads, as x.add_(1) and x[0] = 1 do */
	int changed;	 /* the variable that it changes so; -1: none, or it is not known which */
	bool drops;	 /* the line itself frees that variable */
	bool overwrites; /* it does not read what that held, as with out= */
	bool unused;	 /* the line itself frees what it computes: nothing reads it, as of x.add_(1) */
	bool memory;	 /* it allocates, or gives a variable another name: computes no value */
	int *reads, *writes, nreads, nwrites;
	const char *user_file; /* where the program wrote what it computes, see running_stage_place(); NULL: unknown */
	int user_line;
};

struct entry;

struct graph_lines {
	PyObject *ref;			/* weak reference to the code */
	PyCodeObject *co;		/* an address, valid while ref is alive */
	bool call;			/* inductor's call, or what that calls for a sub-graph */
	bool compiling;			/* it appeared while its entry was compiled */
	const char *part;		/* ... that part of a graph, "submod_0"; NULL: none, or it is not known */
	bool read;			/* the lines are there */
	unsigned placed;		/* model_graphs_version when their places in the program were looked for */
	bool shared;			/* ... several entries can run it */
	const struct entry *placed_for; /* ... the one that ran it then, not followed; or NULL */
	const char *placed_part;	/* ... and the part of its graph, the model's text; or NULL */
	struct graph_line *at;
	int n;
	size_t cap;
};

/* The text of a module is about to run: note the graphs' code in it.  Returns how much there is. */
int graph_codes_body(struct py_code *body);
/* Look for code that was made before anybody watched. */
void graph_codes_find(void);
/* While cdbg compiles a graph itself: code that appears does not belong to the program. */
void graph_codes_quiet(bool on);
/* Did inductor write this file?  By its name: torch/_inductor/codecache.py (get_path) has "ab/cab....py" for the code
   whose hash is "cab...", in any folder. */
bool graph_codes_inductor_file(const char *file);
/* Is it the `call` of a file that inductor wrote, or what that calls for a sub-graph? */
bool graph_codes_is_call(PyCodeObject *co);
/* The lines of a graph's code; NULL: it has died.  Valid until that. */
struct graph_lines *graph_codes_lines(struct code *c);
/* The row of a line, or NULL; of the last line before it that computes something, or NULL. */
const struct graph_line *graph_codes_line(const struct graph_lines *l, int line);
/* Calls each for all graphs' code that lives.  Code of what is being compiled is left out: Dynamo and the backend run
   sub-graphs on tensors without values then. */
void graph_codes_each(void (*each)(void *arg, struct code *c, const struct graph_lines *l), void *arg);
/* Adds the lines whose node, buffer or kernel matches a pattern as a shell's.  Returns how many. */
int graph_codes_places(const char *pattern, struct places *out);
/* Who gets names of nodes; prefix: of the sub-graph, or "". */
struct naming {
	void (*add)(void *arg, const char *name);
	void *arg;
	const char *prefix;
};
/* The names that patterns may match, each with a tab and what it is. */
void graph_codes_add_names(const struct graph_lines *l, const struct naming *n);
void graph_codes_release(void);
/* Whom to tell before lines are freed. */
void graph_codes_on_free(void (*gone)(const struct graph_lines *l));
/* The name of a local; borrowed text. */
const char *graph_codes_local(const struct graph_lines *l, int i);

#endif
