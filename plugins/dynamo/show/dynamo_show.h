/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of this folder offer to each other and to other folders, file by file. */
#ifndef DYNAMO_SHOW_H
#define DYNAMO_SHOW_H
#include "torch/cdbg_host.h"

struct entry;
struct func;
struct graph;
struct link_set;
struct node;
struct nodes;
struct scene;
struct staged;

/* ---- draw.c: A graph drawn as text, as `git log --graph` draws history: from the inputs down, from each value to
   the nodes that use it. A lane leads to a node; no two lanes lead to the same one.  Knows no view. */
void draw_graph(const struct nodes *g, struct buf *out);
/* A short description of a node: "add + 1", "torch.abs(a)", "L['a']". */
void draw_call(const struct nodes *g, const struct node *n, struct buf *out);
/* Its arguments, with sources for placeholders: "x, self.layer[0].weight". */
void draw_args(const struct nodes *g, const struct node *n, struct buf *out);
void draw_code(const struct nodes *g, const char *name, struct buf *out);

/* ---- explain.c: `explain`: all about a function in one report, made from the rows of the views. Knows no Python. */
extern const struct cmd_def cmd_explain[];

/* ---- graph_row.c: one node as a row of the graph view.  Knows no frame. */
/* Add node i of g, which has nodes, with these marks.  running: omits arguments, users and the traced value. */
void graph_row_add(struct rows *out, const struct view_req *req, const struct staged *g, int i, unsigned mark,
		   bool running);
/* Add to the last row the program's line of this node with its function, the line that called that function, and the
   torch function called there. */
void graph_row_lines(struct rows *out, const struct view_req *req, const struct nodes *g, const struct node *n,
		     bool running);

/* ---- guard_pane.c: guards as a pane shows them: below headings, one for each entry where there are several, one for
   each value that is checked; a heading's key is the number of its first guard.  Knows no terminal. */
int guards_pane(const struct view_req *req, struct rows *out, struct err *err);
void guards_action(const struct rows *rows, size_t row, enum row_action what, struct buf *line);

/* ---- related.c: the related items that were found: each item once, in the order in which it was found. */
struct link_set {
	void (*add)(void *arg, const char *what, const char *id, int line);
	void *arg;
	char **seen; /* each is named once: a hash table, cap is a power of two */
	size_t n, cap;
};

/* Takes ownership of the id. The first one is the item of the question, which is not reported. */
void link_set_put(struct link_set *l, const char *what, int line, char *id);

/* ---- related.c: finds related items: from an instruction, region, line of the user, graph node, guard or entry to
   the others. A graph is one call: its nodes are related to the code by its inputs, the call, its outputs, and
   their lines. */
typedef void related_add(void *arg, const char *what, const char *id, int line);

/* Passes on each item that is related to "region", "0/0:break".  0: there is no such item. */
int related_of(const char *what, const char *id, related_add *add, void *arg);
/* The same of a node of an entry's captured graph, which need not be found among all entries by its name. */
int related_of_node(struct entry *e, const struct graph *g, const char *node, related_add *add, void *arg);

/* ---- row_actions.c: the commands for Enter and Space on rows of panes that several views share. */
void row_action_line(const struct rows *r, size_t row, enum row_action what, struct buf *line);
void row_action_entries(const struct rows *r, size_t row, enum row_action what, struct buf *line);
void row_action_graph(const struct rows *r, size_t row, enum row_action what, struct buf *line);
void row_action_override(const struct rows *r, size_t row, enum row_action what, struct buf *line);

/* ---- running_graph.c: the graph that runs, as rows of the graph view: what was computed so far, and the node that
   comes next. */
/* The selected frame's graph; false: it runs none, nothing was added. */
bool running_graph_fill(const struct view_req *req, struct rows *out);

/* ---- stage_links.c: links between captured nodes, the nodes of later stages, and inductor's buffers and kernels. */
/* What was made of a captured node. */
void stage_links_node(struct link_set *l, const struct entry *e, const struct graph *g, const char *name);
/* Of a "node", "buffer" or "kernel" GRAPH:STAGE:NAME, where GRAPH:STAGE is `where`.  0: unknown.  -1: it is in code
   that came from a cache, which does not name the nodes that it was made of. */
int stage_links_from(struct link_set *l, const char *what, const char *where, const char *name);

/* ---- view_breaks.c: view: graph breaks, in the order they were compiled. */
extern const struct view_ops view_breaks;

/* ---- view_compiled.c: views: the functions that Dynamo has processed, its entries, their graphs and resume
   functions, and the state of this plugin. */
extern const struct view_ops view_compiled;
extern const struct view_ops view_graphs;
extern const struct view_ops view_dynamo;

/* ---- view_cost.c: view: the time to check guards, for a whole entry and for each leaf, measured in this process. */
extern const struct view_ops view_cost;
/* The time to check this entry with these values: "ns" of the whole check, and "guards", a list of "guard" and "ns"
   (null: it cannot be checked alone). Owned by the caller; NULL: the entry's guards no longer exist. */
struct val *view_cost_measured(struct entry *e, const struct scene *scene);

/* ---- view_effects.c: view: side effects that generated code replays after its graph. */
extern const struct view_ops view_effects;

/* ---- view_entries.c: view: all entries of Dynamo's cache that were made in this run, with their state. */
extern const struct view_ops view_entries;

/* ---- view_graph.c: view: the nodes of one graph, with the current ones marked. */
extern const struct view_ops view_graph;

/* ---- view_kernel.c: view: the source of a kernel that inductor wrote, with the nodes that it computes. */
extern const struct view_ops view_kernel;

/* ---- view_links.c: view: the items that are related to an instruction, region, line, node, guard or entry. */
extern const struct view_ops view_links;

/* ---- view_collectives.c: view: the collectives of the process, by torch's flight recorder. */
extern const struct view_ops view_collectives;

/* ---- view_overrides.c: view: the ledger of changes in Dynamo's cache. */
extern const struct view_ops view_overrides;

/* ---- view_resume.c: view: resume functions; for people with the source of the user's function that each continues. */
extern const struct view_ops view_resume;
int resume_last_line(const struct func *f); /* the last line of its code; 0: not known any more */

/* ---- view_times.c: view: where the time of compiles went, by phase, or by line, module and operator. */
extern const struct view_ops view_times;

/* ---- view_trace.c: view: Dynamo's symbolic run of a function, instruction by instruction. */
extern const struct view_ops view_trace;

/* ---- view_unguarded.c: view: what Dynamo read while it compiled and no guard covers, changed values first. */
extern const struct view_ops view_unguarded;

/* ---- view_why.c: view: why entries do not fit the call in the selected frame: every failing guard, and what to
   change. */
extern const struct view_ops view_why;

#endif
