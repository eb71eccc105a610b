/* SPDX-License-Identifier: BSD-3-Clause */
/* View: the nodes of one graph, with the current ones marked. */
#include "code/dynamo_code.h"
#include "code/select.h"
#include "code/select_graph.h"
#include "model/compiling.h"
#include "model/entry.h"
#include "model/graph.h"
#include "model/qualname.h"
#include "model/source_line.h"
#include "show/dynamo_show.h"
#include <stdlib.h>
#include <string.h>

/* The current line of the selected frame, if it runs the code this graph was captured from; 0: none. */
static int line_at_hand(const struct entry *e, bool *all)
{
	struct selected_frame at;
	const struct region *r = NULL;
	struct err err;
	int line = 0;

	*all = false;
	if (selected_frame_get(&at, &err) == 0 && at.code && at.code->co == (struct py_code *)e->co && at.index >= 0)
		r = regions_at((struct entry *)e, at.index);
	if (r && r->kind == REGION_GRAPH_CALL)
		*all = true;
	else if (r)
		line = r->line;
	selected_frame_release(&at);
	return line;
}

static bool is_at_hand(const struct nodes *g, int i, int line)
{
	const struct source_line *spot = graphs_own(g, &g->node[i]);

	return line && spot && spot->line == line;
}

/* The name of the graph for a pane, or NULL. If no frame has one, it is the newest of the function that is being
   compiled, or of all. */
static const char *newest(void)
{
	const struct compiling *top = compiling_top();
	const struct entry *e;
	const char *any = NULL, *own = NULL;

	for (e = model_entries; e; e = e->next) {
		if (!e->made.ngraphs)
			continue;
		any = e->made.graph[0].name;
		own = top && e->func == top->func ? any : own;
	}
	return own ? own : any;
}

/* At a graph break: the graph so far. */
#define PARTIAL "so far"

/* The entry that the selected frame runs, or the newest of its function; NULL: neither. */
static const struct entry *entry_selected(void)
{
	const struct entry *e, *found = NULL;
	struct selection m;

	select_default(&m);
	for (e = m.all ? NULL : model_entries; e; e = e->next)
		if (select_has_entry(&m, e) && (!found || e->made.ngraphs))
			found = e;
	select_release(&m);
	return found;
}

static int pick_graph(const struct view_req *req, struct staged *out, struct err *err)
{
	const struct compiling *top = compiling_top();
	const struct entry *own = *req->words ? NULL : entry_selected();
	const char *name = NULL;

	if (req->pane && !*req->words)
		name = own && own->made.ngraphs ? own->made.graph[0].name : newest();
	if (!*req->words && top && top->run.partial) {
		*out = (struct staged){ .nodes = top->run.partial, .name = mem_str(PARTIAL) };
		return 0;
	}
	if (own && !own->made.ngraphs && !top)
		return err_set(err, "entry %s has no graph: 'info graphs' lists those of others", own->id);
	if (select_graph_stage(req->words, out, err) == 0)
		return 0;
	return name ? select_graph_stage(name, out, err) : -1;
}

/* What filling in the rows of one graph needs. */
struct filling {
	const struct view_req *req;
	struct view_req window;
	struct rows *out;
	int at; /* the selected frame's line, 0: none */
	bool all;
	const struct node *end; /* where the graph broke; NULL: it did not */
};

/* The nodes of a graph, those of a sub-graph below the node that names it. */
static void fill_nodes(struct filling *f, const struct staged *g)
{
	struct staged inner = *g;
	unsigned mark;
	char *prefix;
	int i, k;

	for (i = 0; i < g->nodes->n; i++) {
		mark = f->all							      ? MARK_OPERAND :
		       is_at_hand(g->nodes, i, f->at) || &g->nodes->node[i] == f->end ? MARK_CURRENT :
											0;
		if (host->rows.want(f->out, &f->window))
			graph_row_add(f->out, f->req, g, i, mark, false);
		inner.nodes = !strcmp(g->nodes->node[i].op, "get_attr") ?
				      graphs_sub(g->nodes, g->nodes->node[i].target) :
				      NULL;
		for (k = 0; inner.nodes && k < i; k++) /* named again: shown once */
			if (g->nodes->node[k].target == g->nodes->node[i].target)
				inner.nodes = NULL;
		if (!inner.nodes)
			continue;
		prefix = mem_fmt("%s%s.", g->prefix ? g->prefix : "", g->nodes->node[i].target);
		inner.prefix = prefix;
		fill_nodes(f, &inner);
		free(prefix);
	}
}

static int graph_fill(struct session *s, const struct view_req *req, struct rows *out, struct err *err)
{
	struct staged g;
	struct filling f = { .req = req, .window = *req, .out = out };
	const char *foreign;
	int i, hand = 0, n;

	(void)s;
	if (!*req->words && running_graph_fill(req, out))
		return 0;
	if (pick_graph(req, &g, err) < 0)
		return -1;
	if (!g.nodes) {
		err_set(err, "'%s' is only text: 'graph code %s' shows it", g.name, g.name);
		free(g.name);
		return -1;
	}
	n = graphs_count(g.nodes);
	foreign = req->pane && !*req->words && g.entry && g.entry != entry_selected() ? qualname_entry(g.entry) : NULL;
	f.at = g.entry ? line_at_hand(g.entry, &f.all) : 0;
	for (i = 0; f.at && !f.all && i < g.nodes->n && !hand; i++)
		if (is_at_hand(g.nodes, i, f.at))
			hand = i + 1;
	if (req->pane && !strcmp(g.name, PARTIAL) && g.nodes->n) {
		f.end = &g.nodes->node[g.nodes->n - 1];
		host->rows.follow(&f.window, (size_t)n - 1, (size_t)n);
	}
	if (hand)
		host->rows.follow(&f.window, (size_t)hand - 1, (size_t)n);
	out->first = f.window.first;
	if (foreign)
		host->rows.title(out, "entry %s %s\t%d nodes", g.entry->id, foreign, n);
	else if (hand > 0)
		host->rows.title(out, "%s\t%d of %d", g.name, hand, n);
	else
		host->rows.title(out, "%s\t%d nodes", g.name, n);
	fill_nodes(&f, &g);
	free(g.name);
	return 0;
}

static const struct view_col cols[] = {
	{ .name = "node", .help = "its name in the graph" },
	{ .name = "op", .help = "placeholder, call_function, call_method, get_attr, output, ...", .drop = 1 },
	{ .name = "target", .help = "the target: what it calls or reads" },
	{ .name = "args", .help = "nodes and constants it takes" },
	{ .name = "call", .screen = true, .wide = true },
	{ .name = "value", .help = "type and shape at compile time", .drop = DROP_LAST },
	{ .name = "stride",
	  .help = "its strides, also symbolic; people see those that are not the default",
	  .drop = 3 },
	{ .name = "concrete",
	  .help = "of symbolic sizes and strides: the numbers they had at compile time",
	  .drop = 2 },
	{ .name = "line", .help = "the innermost line that made it, outside of torch" },
	{ .name = "shape", .help = "of the value, in a graph that runs; null: not a tensor", .drop = 1 },
	{ .name = "dtype",
	  .help = "... its dtype; of a value that is not a plain tensor, its type",
	  .drop = DROP_EARLY + 1 },
	{ .name = "nan", .help = "... elements that are NaN", .drop = 2 },
	{ .name = "inf", .help = "... elements that are infinite", .drop = 2 },
	{ .name = "min", .help = "... smallest finite element; null: there is none", .drop = 3 },
	{ .name = "max", .help = "... largest finite element", .drop = 3 },
	{ .name = "mean", .help = "... mean of the finite elements", .drop = DROP_EARLY },
	{ .name = "seconds",
	  .help = "... to compute it while it is stepped; people see microseconds",
	  .drop = DROP_EARLY + 2 },
	{ .name = "state",
	  .help = "... done; freed: done, its value is gone; next; null: not computed",
	  .drop = DROP_EARLY + 2 },
	{ .name = "place",
	  .help = "where that is, unless it is in the compiled function itself, and the outer line",
	  .drop = 2 },
	{ .name = "users", .help = "nodes that use it" },
	{ .name = "current", .help = "current: its line is that of the selected frame", .machine_only = true },
	{ .name = "file", .help = "of the line", .machine_only = true },
	{ .name = "function", .help = "of the line", .machine_only = true },
	{ .name = "outer_file",
	  .help = "file of the outer line: the program's for a library's line, else outermost",
	  .machine_only = true },
	{ .name = "outer_line", .help = "that line", .machine_only = true },
	{ .name = "outer_function", .help = "its function", .machine_only = true },
	{ .name = "source", .help = "of a placeholder: source of its value, as in guards", .machine_only = true },
	{ .name = "graph", .help = "name of the graph", .machine_only = true },
	{ .name = "entry", .help = "entry that calls the graph", .machine_only = true },
	{ .name = "link", .screen = true },
	{ .name = NULL },
};

static const char *const more[] = { "break node:{node}",    "graph run until nan {graph}",
				    "graph run {graph}",    "graph compare {graph}",
				    "graph code {graph}",   "graph draw {graph}",
				    "graph memory {graph}", NULL };

const struct view_ops view_graph = {
	.name = "graph",
	.args = "[-a] [NAME|ENTRY|FUNC] [STAGE]",
	.help = "the nodes of a graph, with the current ones marked; of a running graph also the values",
	.cols = cols,
	.fill = graph_fill,
	.none = "the graph has no nodes",
	.action = row_action_line,
	.more = more,
	.complete = select_graph_stage_complete,
};
