/* SPDX-License-Identifier: BSD-3-Clause */
/* The graph that runs, as rows of the graph view: see dynamo_show.h.  Values are those that were noted while it was
   stepped, else those that its variables still hold. */
#include "code/dynamo_code.h"
#include "code/graph_codes.h"
#include "code/node_values.h"
#include "code/running_stage.h"
#include "code/select_graph.h"
#include "model/entry.h"
#include "model/graph.h"
#include "model/stages.h"
#include "show/dynamo_show.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct running {
	struct py_frame *f; /* owned */
	struct code *c;
	struct graph_lines *l;
	struct running_stage g; /* g.entry NULL: not known */
	int line;		/* that runs or comes next */
	bool figures;
};

static void put_real(struct rows *out, const char *col, double v)
{
	char shown[40];

	host->rows.val(out, col, ROLE_NUMBER, val_real(v));
	snprintf(shown, sizeof(shown), "%.4g", v);
	host->rows.shown(out, col, shown);
}

static void put_shape(struct rows *out, const struct tensor_numbers *n)
{
	struct val *list = val_list();
	struct buf text = { 0 };
	int i;

	for (i = 0; i < n->ndim; i++) {
		val_push(list, val_int(n->shape[i]));
		buf_addf(&text, "%s%lld", i ? ", " : "", n->shape[i]);
	}
	host->rows.val(out, "shape", ROLE_TYPE, list);
	host->rows.shown(out, "shape", text.len ? text.s : "scalar");
	buf_release(&text);
}

static void put_figures(struct rows *out, const struct node_value *v)
{
	const struct tensor_numbers *n = &v->n;
	char *dtype = n->dtype ? mem_fmt("%s%s", n->dtype, n->freed ? ", storage freed" : "") : NULL;

	if (dtype)
		put_shape(out, n);
	host->rows.str(out, "dtype", dtype ? ROLE_TYPE : ROLE_VALUE, dtype ? dtype : v->text);
	free(dtype);
	if (n->kind == TENSOR_NUMBERS_NONE)
		return;
	if (n->kind == TENSOR_NUMBERS_BOOL) {
		host->rows.flag(out, "min", n->imin != 0);
		host->rows.flag(out, "max", n->imax != 0);
	} else if (n->kind == TENSOR_NUMBERS_INT) {
		host->rows.num(out, "min", n->imin);
		host->rows.num(out, "max", n->imax);
	} else if (!isnan(n->min)) {
		put_real(out, "min", n->min);
		put_real(out, "max", n->max);
	}
	if (!isnan(n->mean))
		put_real(out, "mean", n->mean);
	host->rows.num(out, "nan", n->nan);
	host->rows.num(out, "inf", n->inf);
}

static void put_time(struct rows *out, const struct line_value *noted)
{
	char shown[40];

	if (!noted || !noted->done || noted->seconds < 0)
		return;
	host->rows.val(out, "seconds", ROLE_NUMBER, val_real(noted->seconds));
	snprintf(shown, sizeof(shown), "%.1f us", noted->seconds * 1e6);
	host->rows.shown(out, "seconds", shown);
}

/* A line before the current one may be that of a branch that was not taken: what its sub-graph would have been given,
   NAME_args, has no value then. */
static bool has_run(const struct running *r, const struct graph_line *row)
{
	size_t n = row->subgraph ? strlen(row->node) : 0;
	const char *name;
	int i;

	for (i = 0; row->subgraph && i < row->nreads; i++) {
		name = graph_codes_local(r->l, row->reads[i]);
		if (!strncmp(name, row->node, n) && !strcmp(name + n, "_args"))
			return row->line < r->line && host->frames.local(r->f, row->reads[i]);
	}
	return row->line < r->line;
}

/* What the line's k-th variable holds. */
static void variable_value(struct rows *out, const struct running *r, const struct graph_line *row, int k)
{
	const struct line_value *noted = node_values_of(r->f, r->l, row);
	struct node_value now = { 0 };
	PyObject *v;
	bool done = has_run(r, row);

	host->rows.str(out, "state", ROLE_DIM, done ? "done" : row->line == r->line ? "next" : NULL);
	if (!done)
		return;
	put_time(out, noted);
	if (!r->figures || k >= row->nwrites)
		return;
	if (noted && noted->of && noted->of[k].known && !(row->unused && !noted->of[k].n.dtype)) {
		put_figures(out, &noted->of[k]);
		return;
	}
	v = (PyObject *)host->frames.local(r->f, row->writes[k]);
	if (!v || v == Py_None) {
		host->rows.str(out, "state", ROLE_DIM, "freed");
		return;
	}
	node_value_now(v, &now);
	put_figures(out, &now);
	free(now.text);
}

static unsigned marks(const struct running *r, const struct graph_line *row)
{
	return row->line == r->line ? MARK_CURRENT : row->line > r->line ? MARK_DIM : 0;
}

/* "buffer __compiled_fn_1:kernel:buf0": how links name a row of inductor's call. */
static void put_buffer_link(struct rows *out, const struct running *r, const char *buffer)
{
	char *link;
	int i;

	for (i = 0; r->g.stage && i < r->g.stage->norigins; i++)
		if (r->g.stage->origin[i].all && !strcmp(r->g.stage->origin[i].buffer, buffer)) {
			link = mem_fmt("buffer %.*s:%s:%s", (int)strcspn(r->g.name, " "), r->g.name, r->g.stage->name,
				       buffer);
			host->rows.str(out, "link", ROLE_DIM, link);
			free(link);
			return;
		}
	host->rows.str(out, "link", ROLE_DIM, NULL);
}

/* One node of FX's forward, or one variable that inductor's call computes. */
static void add_variable_row(struct rows *out, const struct view_req *req, const struct running *r,
			     const struct graph_line *row, int k)
{
	const char *name = k < row->nwrites ? graph_codes_local(r->l, row->writes[k]) : row->node;
	const struct node *n = r->g.entry ? running_stage_node(&r->g, r->l, name) : NULL, *origin;
	struct staged g = { .entry = r->g.entry, .nodes = r->g.nodes, .name = r->g.name };
	const char *file;
	int line;

	if (n) {
		graph_row_add(out, req, &g, (int)(n - r->g.nodes->node), marks(r, row), true);
		if (r->l->call)
			host->rows.str(out, "node", ROLE_NAME, name);
	} else {
		origin = r->g.entry && r->l->call ? running_stage_origin(&r->g, name) : NULL;
		host->rows.add(out, marks(r, row));
		host->rows.str(out, "node", ROLE_NAME, name);
		if (origin && row->nwrites == 1) /* the operation makes a tuple, whose parts are buffers of their own */
			host->rows.str(out, req->pane ? "call" : "target", ROLE_NAME, origin->target);
		else if (row->called)
			host->rows.str(out, req->pane ? "call" : "target", ROLE_NAME, row->called);
		if (origin) {
			graph_row_lines(out, req, r->g.nodes, origin, true);
		} else if (running_stage_place(r->l, row, &file, &line)) {
			host->rows.num(out, "line", line);
			host->rows.str(out, "file", ROLE_TEXT, file);
		}
	}
	if (r->l->call && req->pane)
		put_buffer_link(out, r, name);
	if (r->l->call && row->node && strcmp(row->node, name))
		host->rows.str(out, req->pane ? "call" : "target", ROLE_NAME, row->node);
	host->rows.flag(out, "current", row->line == r->line);
	variable_value(out, r, row, k);
}

static int variables_shown(const struct graph_line *row)
{
	return !row->node || row->memory ? 0 : row->kernel && row->nwrites > 1 ? row->nwrites : 1;
}

static void tell_lacking(const struct running *r)
{
	static unsigned told;
	char *text;

	if (told == model_graphs_version)
		return;
	told = model_graphs_version;
	text = mem_fmt(
		"the code of %s came from inductor's cache, which does not name the nodes of its buffers, and cdbg did "
		"not see its compile: 'graph recompile' finds nodes and lines",
		r->g.name);
	host->talk.say(text);
	free(text);
}

static void fill_running(const struct view_req *req, struct rows *out, struct running *r)
{
	struct view_req window = *req;
	int i, k, n = 0, at = -1, nodes = 0, done = 0;
	bool lacking = r->l->call && r->g.stage && r->g.stage->cached;

	for (i = 0; i < r->l->n; i++) {
		if (!variables_shown(&r->l->at[i]))
			continue;
		nodes++;
		done += has_run(r, &r->l->at[i]);
		if (at < 0 && r->l->at[i].line >= r->line)
			at = n;
		n += variables_shown(&r->l->at[i]);
	}
	host->rows.follow(&window, at < 0 ? (size_t)(n ? n - 1 : 0) : (size_t)at, (size_t)n);
	out->first = window.first;
	out->room = true;
	host->rows.title(out, "%s%s\t%d of %d done",
			 r->g.entry ? r->g.name :
			 r->l->call ? "call" :
				      "forward",
			 lacking ? " (nodes: graph recompile)" : "", done, nodes);
	if (lacking && !req->pane)
		tell_lacking(r);
	for (i = 0; i < r->l->n; i++)
		for (k = 0; k < variables_shown(&r->l->at[i]); k++)
			if (host->rows.want(out, &window))
				add_variable_row(out, req, r, &r->l->at[i], k);
}

bool running_graph_fill(const struct view_req *req, struct rows *out)
{
	struct running r = { .figures = host->talk.option_number("graph-values") };
	struct selected_frame at;
	struct err err;
	bool shown;

	if (selected_frame_get(&at, &err) < 0)
		return false;
	r.f = at.frame;
	r.c = at.code;
	r.l = r.c && r.c->kind == KIND_GRAPH && at.index >= 0 ? graph_codes_lines(r.c) : NULL;
	shown = r.l && r.l->n;
	if (shown) {
		r.line = r.c->instr[at.index].line;
		running_stage_find(r.l, &r.g);
		fill_running(req, out, &r);
		free(r.g.name);
	}
	selected_frame_release(&at);
	return shown;
}
