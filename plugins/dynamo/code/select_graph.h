/* SPDX-License-Identifier: BSD-3-Clause */
/* The graph, or the stage of one, that the arguments of a view or a command name.  Knows no view. */
#ifndef DYNAMO_CODE_SELECT_GRAPH_H
#define DYNAMO_CODE_SELECT_GRAPH_H
#include "torch/cdbg_host.h"

struct entry;
struct graph;
struct nodes;

/* By its name, or short, or a number; "": that of the selected frame, or the only one.  NULL with err. */
struct graph *select_graph(const char *name, struct entry **of, struct err *err);

/* What "[NAME|ENTRY] [STAGE]" means. */
struct staged {
	struct entry *entry;
	const struct nodes *nodes; /* NULL: there is only text */
	const char *text;	   /* NULL: there are nodes */
	char *name;		   /* the caller's: "__compiled_fn_1 joint" */
	const struct stage *stage; /* NULL: captured */
	const char *prefix;	   /* of the names of a sub-graph's nodes, "cond_true_0."; or NULL */
};

/* The name of a stage that some backend makes; "captured" is none of these. */
bool select_graph_is_stage(const char *name);
/* Of a graph that is compiled in parts: that these have the stages, as the end of a message.  Nothing for others. */
void select_graph_tell_parts(const struct entry *e, const struct graph *g, const char *stage, struct buf *out);
int select_graph_stage(const char *words, struct staged *out, struct err *err);
/* Completes what it takes: a view's completer. */
void select_graph_stage_complete(struct session *s, const char *words, const char *word, struct val *list);

#endif
