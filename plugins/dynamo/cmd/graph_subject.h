/* SPDX-License-Identifier: BSD-3-Clause */
/* What the commands that run graphs share: their arguments, the graph with its inputs, the calls into the package. */
#ifndef DYNAMO_CMD_GRAPH_SUBJECT_H
#define DYNAMO_CMD_GRAPH_SUBJECT_H
#include "torch/cdbg_host.h"

struct entry;
struct graph;
struct node;
struct nodes;

/* What was typed, taken apart. */
struct graph_args {
	char *name; /* owned: of a graph, entry or function; "" for none */
	char *with; /* owned: "NAME=EXPR ..." after `with`, or "" */
	bool until_nan, backward, times_only, large, tolerance;
	double relative, absolute; /* after -tol */
	long times;
};

/* The chosen graph, with its inputs. */
struct graph_subject {
	struct entry *entry;
	struct graph *graph;
	const struct nodes *nodes; /* of the stage that is run */
	PyObject *kept, *inputs;   /* owned: Kept, list */
};

/* What the view of an answer is filled from; set while a command replies. */
struct graph_answered {
	PyObject *result; /* borrowed */
	const struct graph_subject *subject;
};
extern struct graph_answered graph_answered;

/* compares: the arguments are those of graph compare.  -1 with err; else release. */
int graph_args_read(const char *args, bool compares, struct graph_args *a, struct err *err);
void graph_args_release(struct graph_args *a);
/* (relative, absolute) as Python's, or None: a new reference, or NULL with an exception. */
PyObject *graph_tolerance(const struct graph_args *a);
/* The graph that is meant, which must be kept, and the values of its inputs.  -1 with err; else release. */
int graph_subject_find(const struct graph_args *a, struct graph_subject *s, struct err *err);
/* A part of a graph that is compiled in parts, with the values that the parts before it give it.  whole: of
   graph_subject_find().  -1 with err; else release out. */
int graph_subject_part(const struct graph_subject *whole, struct graph *part, struct graph_subject *out,
		       struct err *err);
/* Of a graph that is compiled in parts: that the program which was written compiles it whole.  Nothing for others. */
void graph_subject_tell_whole(const struct graph_subject *s, struct buf *out);
/* Its values "kept" and "inputs" take the place of those of s. */
void graph_subject_take(struct graph_subject *s, PyObject *r);
void graph_subject_release(struct graph_subject *s);
/* A graph of an entry that can be run, prepared once, as the package's Kept: a new reference, or NULL with err. */
PyObject *graph_subject_kept(struct entry *e, struct graph *g, struct err *err);
/* The graph's node of that name, or NULL; *g: the graph that has it, which may be a sub-graph. */
const struct node *graph_subject_node(const struct graph_subject *s, const char *name, const struct nodes **g);
/* Call a function of a module that runs graphs, such as run.py.  Takes args, a tuple or NULL with an
   exception.  A new reference, or NULL with an exception. */
PyObject *graph_call(const char *module, const char *name, PyObject *args);
/* The same by name: given is a borrowed dict; the function takes those of its values that its parameters name. */
PyObject *graph_call_named(const char *module, const char *name, PyObject *given);
/* The pending exception as an error: a refusal of our Python files says all, another gets `what` before it.  -1. */
int graph_raised(const char *what, struct err *err);
/* A reply of the view's rows about a result, then the text of the table. */
int graph_answer(const struct view_ops *v, const struct graph_subject *of, PyObject *r, struct reply *out,
		 struct err *err);

#endif
