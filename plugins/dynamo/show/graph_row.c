/* SPDX-License-Identifier: BSD-3-Clause */
/* One node as a row of the graph view.  Knows no frame. */
#include "code/dynamo_code.h"
#include "code/select_graph.h"
#include "model/entry.h"
#include "model/graph.h"
#include "model/source_line.h"
#include "model/stages.h"
#include "show/dynamo_show.h"
#include "torch/py_text.h"
#include <stdlib.h>
#include <string.h>

static void add_name(struct rows *out, const struct staged *g, const struct node *n)
{
	char *name = g->prefix ? mem_fmt("%s%s", g->prefix, n->name) : NULL;

	host->rows.str(out, "node", ROLE_NAME, name ? name : n->name);
	free(name);
}

/* The strides of a tensor without gaps in the order of its sizes, which need not be shown. */
static bool is_dense(const char *value, const char *stride)
{
	long long size[16], step[16], product = 1;
	const char *p = strchr(value, '[');
	char *end;
	int n = 0, k = 0;

	for (; p && *p != ']' && n < 16; p = end, n++) {
		size[n] = strtoll(p + 1, &end, 10);
		if (end == p + 1)
			return p[1] == ']';
	}
	for (p = stride; *p != ']' && k < 16; p = end, k++) {
		step[k] = strtoll(p + 1, &end, 10);
		if (end == p + 1)
			return false;
	}
	if (!n || n != k || n == 16)
		return n == k && n < 16;
	while (n--) {
		if (size[n] != 1 && step[n] != product)
			return false;
		product *= size[n];
	}
	return true;
}

/* Strides, and the numbers that symbolic sizes and strides had when they were traced. */
static void add_strides(struct rows *out, const struct node *n)
{
	host->rows.str(out, "stride", ROLE_TYPE, n->stride);
	if (n->stride && !n->concrete && is_dense(n->value, n->stride))
		host->rows.shown(out, "stride", "");
	host->rows.str(out, "concrete", ROLE_DIM, n->concrete);
}

static void add_users(struct rows *out, const struct nodes *g, int of)
{
	struct val *list = val_list();
	int users[256], i, n = graphs_users(g, of, users, 256);

	for (i = 0; i < n && i < 256; i++)
		val_push(list, val_str(g->node[users[i]].name));
	host->rows.val(out, "users", ROLE_NAME, list);
}

void graph_row_lines(struct rows *out, const struct view_req *req, const struct nodes *g, const struct node *n,
		     bool running)
{
	const struct source_line *spot = graphs_line(g, n), *outer = graphs_outer(g, n), *torch = graphs_torch(g, n);
	struct buf place = { 0 };

	if (spot)
		host->rows.num(out, "line", spot->line);
	if (spot && !spot->own)
		source_line_describe(spot, outer, &place);
	if (torch && torch != spot)
		buf_addf(&place, "%sfor torch's %s:%d", place.len ? ", " : "", py_text_file_name(torch->file),
			 torch->line);
	if (!req->pane && !running) /* there is no room for it */
		host->rows.str(out, "place", ROLE_DIM, place.len ? place.s : NULL);
	host->rows.str(out, "file", ROLE_TEXT, spot ? spot->file : NULL);
	host->rows.str(out, "function", ROLE_NAME, spot ? spot->function : NULL);
	host->rows.str(out, "outer_file", ROLE_TEXT, outer ? outer->file : NULL);
	if (outer)
		host->rows.num(out, "outer_line", outer->line);
	host->rows.str(out, "outer_function", ROLE_NAME, outer ? outer->function : NULL);
	buf_release(&place);
}

/* "node __compiled_fn_1:add", "node __compiled_fn_1:forward:add"; NULL: nodes of a sub-graph are found by lines. */
static char *name_of_row(const struct staged *g, const struct node *n)
{
	const char *space = strchr(g->name, ' ');
	const struct stage *s;

	if (!space)
		return mem_fmt("node %s:%s", g->name, n->name);
	for (s = stages_of(g->entry); s && strcmp(s->name, space + 1); s = s->next)
		;
	return s ? mem_fmt("node %.*s:%s:%s", (int)(space - g->name), g->name, s->name, n->name) : NULL;
}

void graph_row_add(struct rows *out, const struct view_req *req, const struct staged *g, int i, unsigned mark,
		   bool running)
{
	const struct node *n = &g->nodes->node[i];
	struct buf call = { 0 };
	char *link;

	host->rows.add(out, mark);
	add_name(out, g, n);
	if (req->pane) {
		draw_call(g->nodes, n, &call);
		host->rows.str(out, "call", n->source ? ROLE_NAME : ROLE_TEXT, call.s);
	} else if (running) {
		host->rows.str(out, "target", ROLE_NAME, n->target);
	} else {
		host->rows.str(out, "op", ROLE_OPCODE, n->op);
		host->rows.str(out, "target", ROLE_NAME, n->target);
		if (n->source) {
			source_text_people(n->source, &call);
			host->rows.shown(out, "target", call.s);
		}
		call.len = 0;
		host->rows.str(out, "args", ROLE_TEXT, n->args);
		draw_args(g->nodes, n, &call);
		host->rows.shown(out, "args", call.s);
	}
	buf_release(&call);
	if (!running)
		host->rows.str(out, "value", ROLE_VALUE, *n->value ? n->value : NULL);
	if (!running)
		add_strides(out, n);
	if (!req->pane && !running) /* there is no room for them */
		add_users(out, g->nodes, i);
	host->rows.flag(out, "current", mark != 0);
	graph_row_lines(out, req, g->nodes, n, running);
	host->rows.str(out, "source", ROLE_TEXT, n->source);
	host->rows.str(out, "graph", ROLE_NAME, g->name);
	host->rows.str(out, "entry", ROLE_NAME, g->entry ? g->entry->id : NULL);
	if (req->pane && g->entry && !g->prefix) {
		link = name_of_row(g, n);
		if (link)
			host->rows.str(out, "link", ROLE_DIM, link);
		free(link);
	}
}
