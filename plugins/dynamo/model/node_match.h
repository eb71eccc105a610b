/* SPDX-License-Identifier: BSD-3-Clause */
/* Which node of graph a a node of graph b stands for: by what torch notes, by name, or by place.  Reads recorded graphs
   only.  graph compare asks stand_ins() in cdbg_graphs/match.py, which is stricter: it pairs nodes to compare their
   values, so a node that keeps its name and line but calls something else has no pair.  It reads graphs of torch.fx. */
#ifndef DYNAMO_MODEL_NODE_MATCH_H
#define DYNAMO_MODEL_NODE_MATCH_H
#include <stdbool.h>

struct nodes;

/* How far a name counts where torch does not note what a node was made of. */
enum node_match_kind {
	NODE_MATCH_STAGES,  /* both are stages, or captured: they keep names, and notes may name nodes by chance */
	NODE_MATCH_LOWERED, /* one is captured, the other a stage: names may agree by chance, so the line must agree */
	NODE_MATCH_CHANGED, /* b was made of a by passes of a backend: what a node calls may change, its line stays */
};

struct node_match {
	const struct nodes *a, *b; /* borrowed */
	int *of;		   /* for each node of b its node in a, -1: none */
	bool *used;		   /* the nodes of a that have one in b */
	bool *instead;		   /* NODE_MATCH_CHANGED: nodes of b that are new, in the place of one that is gone */
};

/* Pairs the nodes.  The caller releases m. */
void node_match_find(struct node_match *m, const struct nodes *a, const struct nodes *b, enum node_match_kind kind);
void node_match_release(struct node_match *m);
/* The first of *names, a text as in node.from, that graph a has, by index; *names is what follows it.  -1: none. */
int node_match_noted(const struct nodes *a, const char **names);

#endif
