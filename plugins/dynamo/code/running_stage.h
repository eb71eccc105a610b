/* SPDX-License-Identifier: BSD-3-Clause */
/* The stage and the entry that a graph's code belongs to.  Knows no view. */
#ifndef DYNAMO_CODE_RUNNING_STAGE_H
#define DYNAMO_CODE_RUNNING_STAGE_H
#include "code/graph_codes.h"

struct entry;
struct node;
struct source_line;
struct nodes;
struct stage;

struct running_stage {
	struct entry *entry;
	const struct nodes *nodes; /* for inductor's call the graph that it was made of; may be NULL */
	const struct stage *stage; /* NULL: the captured graph itself; for call the one with its text */
	char *name;		   /* the caller's: "__compiled_fn_1 forward", "__compiled_fn_1 cond_true_0" */
	size_t sub;		   /* where the name of a sub-graph begins in it, 0: it is the graph itself */
	bool shared;		   /* other entries have the code, too */
	bool unsure;		   /* ... also of other functions, and it is not known which of them runs it */
};

/* The entry whose generated code called this frame, or called what called it, or whose backward graph autograd runs
   there; NULL: none did. */
struct entry *running_stage_caller(struct py_frame *f);
/* Of code that several entries have, as equal graphs may in inductor's cache, the one that runs it now, else the
   newest.  false: it is not known, out is empty. */
bool running_stage_find(const struct graph_lines *l, struct running_stage *out);
/* The same where the entry is known, without a look at what runs. */
bool running_stage_of(const struct graph_lines *l, struct entry *e, struct running_stage *out);
/* Where the program wrote what a line computes, NULL: not known. */
const struct source_line *running_stage_line(const struct running_stage *g, const struct graph_lines *l,
					     const struct graph_line *row);
/* Adds the lines whose node, buffer or kernel matches a pattern as a shell's; a node of a sub-graph also by the name
   that `graph show` has, "cond_true_0.cos".  Returns how many. */
int running_stage_places(const char *pattern, struct places *out);
/* The names that it takes, each with a tab and what it is. */
void running_stage_names(void (*add)(void *arg, const char *name), void *arg);
/* The node that a variable of the code holds: by its name, or by the origin of inductor's buffer; or NULL. */
const struct node *running_stage_node(const struct running_stage *g, const struct graph_lines *l, const char *variable);
/* The first node written in the program among those that inductor's buffer helps to compute; NULL: unknown. */
const struct node *running_stage_origin(const struct running_stage *g, const char *buffer);

/* Where the program wrote the node that a line of the code computes; a line that computes nothing has the place of the
   one before.  file: valid for good.  false: it is not known. */
bool running_stage_place(struct graph_lines *l, const struct graph_line *row, const char **file, int *line);

#endif
