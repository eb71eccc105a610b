/* SPDX-License-Identifier: BSD-3-Clause */
/* View: the nodes of one graph, those at hand marked. */
#include "show/view_graph.h"
#include "torch/text.h"
#include "model/compiling.h"
#include "model/entry.h"
#include "model/graph.h"
#include "model/spot.h"
#include "code/regions.h"
#include "code/select_graph.h"
#include "code/source_text.h"
#include "show/draw.h"
#include "show/follow.h"
#include <stdlib.h>

/* The line that the selected frame stands at, if it runs what this graph was captured from; 0: none. */
static int line_at_hand(const struct entry *e, bool *all)
{
	struct py_frame *f = NULL;
	struct code *c = NULL;
	const struct region *r = NULL;
	struct err err;
	int index = -1, line = 0;

	*all = false;
	if (host->selected(&f, &c, &index, &err) == 0 && c && c->co == (struct py_code *)e->co && index >= 0)
		r = regions_at((struct entry *)e, index);
	if (r && r->kind == REGION_GRAPH_CALL)
		*all = true;
	else if (r)
		line = r->line;
	Py_XDECREF((PyObject *)f);
	return line;
}

static void add_users(struct rows *out, const struct nodes *g, int of)
{
	struct val *list = val_list();
	int users[256], i, n = graphs_users(g, of, users, 256);

	for (i = 0; i < n && i < 256; i++)
		val_push(list, val_str(g->node[users[i]].name));
	host->rows_val(out, "users", ROLE_NAME, list);
}

static bool is_at_hand(const struct nodes *g, int i, int line)
{
	const struct spot *spot = graphs_own(g, &g->node[i]);

	return line && spot && spot->line == line;
}

/* The line, and what is to be known beside it: of which function, where that was called, and what torch did there. */
static void add_lines(struct rows *out, const struct view_req *req, const struct nodes *g, const struct node *n)
{
	const struct spot *spot = graphs_spot(g, n), *outer = graphs_outer(g, n), *torch = graphs_torch(g, n);
	struct buf place = { 0 };

	if (spot && !spot->own)
		spot_describe(spot, outer, &place);
	if (torch && torch != spot)
		buf_addf(&place, "%sfor torch's %s:%d", place.len ? ", " : "", text_file_name(torch->file),
			 torch->line);
	if (!req->pane)                      /* there is no room for it */
		host->rows_str(out, "place", ROLE_DIM, place.len ? place.s : NULL);
	host->rows_str(out, "file", ROLE_TEXT, spot ? spot->file : NULL);
	host->rows_str(out, "function", ROLE_NAME, spot ? spot->function : NULL);
	host->rows_str(out, "outer_file", ROLE_TEXT, outer ? outer->file : NULL);
	if (outer)
		host->rows_int(out, "outer_line", outer->line);
	host->rows_str(out, "outer_function", ROLE_NAME, outer ? outer->function : NULL);
	buf_release(&place);
}

static void add_node(struct rows *out, const struct view_req *req, const struct staged *g, int i, unsigned mark)
{
	const struct node *n = &g->nodes->node[i];
	const struct spot *spot = graphs_spot(g->nodes, n);
	struct buf call = { 0 };
	char *link;

	host->rows_add(out, mark);
	host->rows_str(out, "node", ROLE_NAME, n->name);
	if (req->pane) {
		draw_call(g->nodes, n, &call);
		host->rows_str(out, "call", n->source ? ROLE_NAME : ROLE_TEXT, call.s);
	} else {
		host->rows_str(out, "op", ROLE_OPCODE, n->op);
		host->rows_str(out, "target", ROLE_NAME, n->target);
		if (n->source) {
			source_people(n->source, &call);
			host->rows_shown(out, "target", call.s);
		}
		call.len = 0;
		host->rows_str(out, "args", ROLE_TEXT, n->args);
		draw_args(g->nodes, n, &call);
		host->rows_shown(out, "args", call.s);
	}
	buf_release(&call);
	host->rows_str(out, "value", ROLE_VALUE, *n->value ? n->value : NULL);
	if (spot)
		host->rows_int(out, "line", spot->line);
	if (!req->pane)                      /* there is no room for them */
		add_users(out, g->nodes, i);
	host->rows_bool(out, "current", mark != 0);
	add_lines(out, req, g->nodes, n);
	host->rows_str(out, "source", ROLE_TEXT, n->source);
	host->rows_str(out, "graph", ROLE_NAME, g->name);
	host->rows_str(out, "entry", ROLE_NAME, g->entry->id);
	if (req->pane) {
		link = mem_fmt("node %s:%s", g->name, n->name);
		host->rows_str(out, "link", ROLE_DIM, link);
		free(link);
	}
}

/* A pane always has a graph, if there is one: where no frame has any, the newest of the function that is being
   compiled, or of all.  Its name, or NULL. */
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

static int pick(const struct view_req *req, struct staged *out, struct err *err)
{
	const char *name = req->pane && !*req->words ? newest() : NULL;

	if (select_stage(req->words, out, err) == 0)
		return 0;
	return name ? select_stage(name, out, err) : -1;
}

static int graph_fill(struct session *s, const struct view_req *req, struct rows *out, struct err *err)
{
	struct staged g;
	struct view_req window = *req;
	int i, at, hand = 0;
	bool all;

	(void)s;
	if (pick(req, &g, err) < 0)
		return -1;
	if (!g.nodes) {
		err_set(err, "'%s' is only text: 'graph code %s' shows it", g.name, g.name);
		free(g.name);
		return -1;
	}
	at = line_at_hand(g.entry, &all);
	for (i = 0; at && !all && i < g.nodes->n && !hand; i++)
		if (is_at_hand(g.nodes, i, at))
			hand = i + 1;
	if (hand)
		host->rows_follow(&window, (size_t)hand - 1, (size_t)g.nodes->n);
	out->first = window.first;
	if (hand > 0)
		host->rows_title(out, "%s\t%d of %d", g.name, hand, g.nodes->n);
	else
		host->rows_title(out, "%s\t%d nodes", g.name, g.nodes->n);
	for (i = 0; i < g.nodes->n; i++)
		if (host->rows_want(out, &window))
			add_node(out, req, &g, i, all ? MARK_OPERAND : is_at_hand(g.nodes, i, at) ? MARK_CURRENT : 0);
	free(g.name);
	return 0;
}

static const struct view_col cols[] = {
	{ .name = "node", .help = "its name in the graph" },
	{ .name = "op", .help = "placeholder, call_function, call_method, get_attr, output, ...", .drop = 1 },
	{ .name = "target", .help = "what it calls or stands for" },
	{ .name = "args", .help = "nodes and constants it takes" },
	{ .name = "call", .screen = true, .wide = true },
	{ .name = "value", .help = "type and shape it was traced with" },
	{ .name = "line", .help = "the innermost line that made it, not torch's own" },
	{ .name = "place", .help = "where that is, unless it is in the compiled function itself, and the outer line",
	  .drop = 2 },
	{ .name = "users", .help = "nodes that take it" },
	{ .name = "current", .help = "at hand: what the selected frame is at", .machine_only = true },
	{ .name = "file", .help = "of the line", .machine_only = true },
	{ .name = "function", .help = "of the line", .machine_only = true },
	{ .name = "outer_file", .help = "file of the outer line: the program's for a library's line, else outermost",
	  .machine_only = true },
	{ .name = "outer_line", .help = "that line", .machine_only = true },
	{ .name = "outer_function", .help = "its function", .machine_only = true },
	{ .name = "source", .help = "of a placeholder: where its value comes from, as guards name it",
	  .machine_only = true },
	{ .name = "graph", .help = "whose node it is", .machine_only = true },
	{ .name = "entry", .help = "that calls the graph", .machine_only = true },
	{ .name = "link", .screen = true },
	{ .name = NULL }
};

const struct view_ops view_graph = {
	.name = "graph", .args = "[-a] [NAME|ENTRY|FUNC] [STAGE]",
	.help = "the nodes of a graph, those at hand marked",
	.cols = cols, .fill = graph_fill, .none = "the graph has no nodes",
	.action = follow_line, .complete = select_stage_complete,
};
