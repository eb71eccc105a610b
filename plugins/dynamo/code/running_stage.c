/* SPDX-License-Identifier: BSD-3-Clause */
/* The stage and the entry that a graph's code belongs to: see running_stage.h. */
#include "code/dynamo_code.h"
#include "code/running_stage.h"
#include "model/entry.h"
#include "model/graph.h"
#include "model/stages.h"
#include "torch/attrs.h"
#include "torch/py_text.h"
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

/* The entry whose backward graph autograd runs.  Autograd calls backward(ctx, ...) of a class
   that AOTAutograd made for each of its compiles, with the number of that compile as _aot_id
   (torch/_functorch/_aot_autograd/runtime_wrappers.py, 2.6 to 2.15). */

/* The number that the class of a ctx has; -1: it is not AOTAutograd's. */
static long aot_id_of(PyObject *ctx)
{
	PyObject *forward = attr((PyObject *)Py_TYPE(ctx), "_forward_cls");
	PyObject *number = forward ? attr(forward, "_aot_id") : NULL;
	long n = number && PyLong_CheckExact(number) ? PyLong_AsLong(number) : -1;

	PyErr_Clear();
	Py_XDECREF(number);
	Py_XDECREF(forward);
	return n;
}

static const struct stage *stage_of_compile(const struct entry *e, long number)
{
	const struct stage *s;

	for (s = e->made.stages; s; s = s->next)
		if (s->aot_id == number || (s->ran && s->ran->aot_id == number))
			return s;
	return NULL;
}

/* The ctx of a backward(ctx, ...), borrowed; NULL: it is another function. */
static PyObject *ctx_of(PyFrameObject *f)
{
	PyCodeObject *co = PyFrame_GetCode(f);
	bool backward = co->co_argcount && !PyUnicode_CompareWithASCIIString(co->co_name, "backward") &&
			!PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(co->co_localsplusnames, 0), "ctx");

	Py_DECREF(co);
	return backward ? (PyObject *)host->frames.local((struct py_frame *)f, 0) : NULL;
}

/* The entry that this frame runs the backward graph of; NULL: the frame is not of a backward() that AOTAutograd made,
   or the compile that made it was not observed.  Changes nothing and sets no exception.  *part: of the entry's graph,
   "submod_0", one of the model's texts; as it was if the graph is not compiled in parts. */
static struct entry *backward_entry(PyFrameObject *f, const char **part)
{
	PyObject *ctx = ctx_of(f);
	long number = ctx ? aot_id_of(ctx) : -1;
	struct entry *e, *found = NULL;
	const struct stage *s;
	const char *dot;

	for (e = model_entries; number >= 0 && e; e = e->next) {
		s = stage_of_compile(e, number);
		dot = s ? strchr(s->graph, '.') : NULL;
		if (dot)
			*part = py_text_keep(dot + 1);
		if (s)
			found = e;
	}
	return found;
}

enum { NONE, AMONG, ALL };

/* Are the lines this graph's nodes, each in its place: all that compute something, or some among others? */
static int lines_fit(const struct nodes *g, const struct graph_lines *l)
{
	int i, at = 0, known = 0, all = 0;

	for (i = 0; g && i < l->n; i++) {
		if (!l->at[i].node || !strcmp(l->at[i].node, "output"))
			continue;
		while (at < g->n && strcmp(g->node[at].name, l->at[i].node))
			at++;
		if (at == g->n)
			return NONE;
		known++;
	}
	for (i = 0; g && i < g->n; i++)
		all += strcmp(g->node[i].op, "placeholder") && strcmp(g->node[i].op, "output");
	return !known ? NONE : known == all ? ALL : AMONG;
}

/* What fits best so far. */
struct search {
	const struct graph_lines *l;
	struct running_stage *out;
	int best;
	const struct entry *only; /* NULL: all */
	const char *part;	  /* only parts of this name, "submod_0"; NULL: all graphs */
};

static bool is_searched(const struct search *f, const char *graph)
{
	const char *dot = strchr(graph, '.');

	return !f->part || (dot && !strcmp(dot + 1, f->part));
}

static void running_stage_set(struct search *f, struct entry *e, const struct nodes *nodes, const struct stage *s,
			      const char *graph, const char *sub)
{
	struct running_stage *out = f->out;

	out->entry = e;
	out->nodes = nodes;
	out->stage = s;
	free(out->name);
	out->name = mem_fmt("%s%s%s%s%s", graph, s ? " " : "", s ? s->name : "", sub ? " " : "", sub ? sub : "");
	out->sub = sub ? strlen(out->name) - strlen(sub) : 0;
}

/* An entry that fits as well, or better than the one found before. */
static void note_shared(struct running_stage *out, const struct entry *e, bool as_well)
{
	bool other = out->entry && out->entry != e;

	out->shared = as_well && (out->shared || other);
	out->unsure = as_well && (out->unsure || (other && out->entry->func != e->func));
}

/* The graph itself, else one of a higher-order operator in it. */
static void try_graph(struct search *f, struct entry *e, const struct nodes *g, const struct stage *s,
		      const char *graph, const char *sub)
{
	int fit = lines_fit(g, f->l), i;
	char *name;

	if (fit > f->best || (fit && fit == f->best && (s || e != f->out->entry))) {
		note_shared(f->out, e, fit == f->best);
		f->best = fit;
		running_stage_set(f, e, g, s, graph, sub);
	}
	for (i = 0; g && i < g->nsub; i++) {
		name = mem_fmt("%s%s%s", sub ? sub : "", sub ? "." : "", g->sub[i].name);
		try_graph(f, e, g->sub[i].nodes, s, graph, name);
		free(name);
	}
}

static const char *short_name(const struct entry *e, const struct stage *s)
{
	int i;

	for (i = 0; i < e->made.ngraphs; i++)
		if (!strcmp(e->made.graph[i].full, s->graph))
			return e->made.graph[i].name;
	return s->graph;
}

/* The first line of inductor's code counts the compiles: code that is compiled again differs there only. */
static bool are_counts(const char *a, const char *b)
{
	static const char begin[] = "# AOT ID:";

	return !strncmp(a, begin, sizeof(begin) - 1) && !strncmp(b, begin, sizeof(begin) - 1);
}

/* Does this file have the stage's text?  again: the text of another compile of the same code counts, too. */
static bool is_text_of(const char *file, const char *text, bool again)
{
	const char *s;
	size_t n;
	int line;

	for (line = 1; (s = host->files.line(file, line)); line++) {
		n = strcspn(text, "\n");
		if ((strlen(s) != n || strncmp(s, text, n)) && !(again && line == 1 && are_counts(s, text)))
			return false;
		text += n + (text[n] == '\n');
	}
	return line > 1 && !*text;
}

static bool is_stage_file(const struct stage *s, const char *file, bool again)
{
	return s->text && file && !strncmp(s->name, "kernel", 6) && is_text_of(file, s->text, again);
}

/* The stage, or what it was made again for, if this is its file. */
static const struct stage *stage_of_file(const struct stage *s, const char *file, bool again)
{
	if (is_stage_file(s, file, again))
		return s;
	return s->ran && !is_stage_file(s, file, true) && is_stage_file(s->ran, file, again) ? s->ran : NULL;
}

/* The name of the sub-graph that a function in a file of inductor's is for; NULL: it is the graph itself. */
static const char *sub_graph_of(const struct graph_lines *l)
{
	const char *name = py_text_utf8(l->co->co_name);

	return !name || !strcmp(name, "call") || !strncmp(name, "partition_", 10) ? NULL : name;
}

/* The sub-graph that inductor wrote this function for: it joins the names of nested ones, "true_graph_0_body_graph_0",
   where *path, the caller's, becomes "true_graph_0.body_graph_0".  NULL: there is none. */
static const struct nodes *sub_graph_named(const struct nodes *g, const char *function, char **path)
{
	const struct nodes *found = NULL;
	char *inner = NULL;
	size_t n;
	int i;

	for (i = 0; g && !found && i < g->nsub; i++) {
		n = strlen(g->sub[i].name);
		if (strncmp(function, g->sub[i].name, n))
			continue;
		if (!function[n]) {
			*path = mem_str(function);
			return g->sub[i].nodes;
		}
		if (function[n] == '_')
			found = sub_graph_named(g->sub[i].nodes, function + n + 1, &inner);
		if (found)
			*path = mem_fmt("%s.%s", g->sub[i].name, inner);
		free(inner);
		inner = NULL;
	}
	return found;
}

/* own: the code that the function is in, a stage of the entry. */
static void set_function(struct search *f, struct entry *e, const struct stage *own)
{
	const struct nodes *whole = stages_lowered(stages_of(e), own), *nodes;
	const char *function = sub_graph_of(f->l);
	char *path = NULL;

	nodes = function ? sub_graph_named(whole, function, &path) : whole;
	running_stage_set(f, e, nodes, own, short_name(e, own), path ? path : function);
	free(path);
}

/* The entry whose code this file is; the newest counts. */
static void find_by_file(struct search *f, const char *file, bool again)
{
	const struct stage *s, *own;
	struct entry *e;

	for (e = model_entries; e; e = e->next)
		for (s = f->only && e != f->only ? NULL : e->made.stages; s; s = s->next) { /* their text is enough */
			own = is_searched(f, s->graph) ? stage_of_file(s, file, again) : NULL;
			if (!own)
				continue;
			note_shared(f->out, e, true);
			set_function(f, e, own);
		}
}

static void find_by_nodes(struct search *f)
{
	const struct stage *s;
	struct entry *e;
	int i;

	for (e = model_entries; e; e = e->next) { /* the newest counts */
		if (f->only && e != f->only)
			continue;
		for (s = stages_of(e); s; s = s->next) {
			if (!is_searched(f, s->graph))
				continue;
			if (s->ran)
				try_graph(f, e, s->ran->copy, s->ran, short_name(e, s), NULL);
			try_graph(f, e, s->copy, s, short_name(e, s), NULL);
		}
		for (i = 0; i < e->made.ngraphs; i++)
			if (is_searched(f, e->made.graph[i].full))
				try_graph(f, e, e->made.graph[i].copy, NULL, e->made.graph[i].name, NULL);
	}
}

static void find_among(const struct graph_lines *l, const struct entry *only, const char *part,
		       struct running_stage *out)
{
	struct search f = { .l = l, .out = out, .only = only, .part = part };

	if (!l->call) {
		find_by_nodes(&f);
		return;
	}
	find_by_file(&f, py_text_utf8(l->co->co_filename), false);
	if (!out->entry)
		find_by_file(&f, py_text_utf8(l->co->co_filename), true);
}

/* What is found on the way from a graph's code outwards. */
struct callers {
	PyObject *wrapper; /* borrowed from a frame: it calls what a part was compiled to, see SubmodCompiler */
	const char *part;  /* the part that it is, a text of the model; NULL: none, or it is not known yet */
};

/* The graph that calls the parts calls each through such a wrapper, which it names "compiled_submod_0". */
static void note_part(struct callers *c, PyFrameObject *f, const PyCodeObject *co)
{
	static const char compiled[] = "compiled_";
	PyObject *self, *all, *key, *value;
	const char *name;
	Py_ssize_t at = 0;

	if (c->part || !co->co_argcount || PyUnicode_CompareWithASCIIString(co->co_name, "forward"))
		return;
	self = (PyObject *)host->frames.local((struct py_frame *)f, 0);
	if (self && !strcmp(_PyType_Name(Py_TYPE(self)), "WrapperModule"))
		c->wrapper = self;
	all = self && c->wrapper && self != c->wrapper ? attr(self, "_modules") : NULL;
	while (all && PyDict_Check(all) && PyDict_Next(all, &at, &key, &value)) {
		name = py_text_utf8(key);
		if (value == c->wrapper && name && py_text_begins_with(name, compiled))
			c->part = py_text_keep(name + sizeof(compiled) - 1);
	}
	Py_XDECREF(all);
}

/* The entry whose generated code called this frame, or called what called it, or whose backward graph autograd runs
   there; inside: the walk outwards begins at the first frame of this code, NULL: at once.  NULL: none did.  *part: of
   its graph; NULL: none, or it is not known. */
static struct entry *caller_of(PyFrameObject *frame, const PyCodeObject *inside, const char **part)
{
	PyFrameObject *f = (PyFrameObject *)Py_XNewRef((PyObject *)frame), *back;
	struct callers on_the_way = { 0 };
	struct entry *e = NULL;
	PyCodeObject *co;

	while (f && !e) {
		co = PyFrame_GetCode(f);
		if (inside && co == inside)
			inside = NULL;
		if (!inside)
			note_part(&on_the_way, f, co);
		e = inside ? NULL : model_entry(co);
		if (!e && !inside)
			e = backward_entry(f, &on_the_way.part);
		Py_DECREF(co);
		back = PyFrame_GetBack(f);
		Py_DECREF(f);
		f = back;
	}
	Py_XDECREF(f);
	*part = e ? on_the_way.part : NULL;
	return e;
}

struct entry *running_stage_caller(struct py_frame *f)
{
	const char *part;

	return caller_of((PyFrameObject *)f, NULL, &part);
}

/* The entry that runs the code in this thread, NULL: not known, and the part of its graph. */
static const struct entry *running_entry(const struct graph_lines *l, const char **part)
{
	return caller_of(PyEval_GetFrame(), l->co, part);
}

/* Can other entries run the code, or other parts of its graph? */
static bool may_run_for_others(const struct running_stage *found)
{
	return found->shared || (found->name && strchr(found->name, '.'));
}

bool running_stage_find(const struct graph_lines *l, struct running_stage *out)
{
	struct running_stage own = { 0 };
	const struct entry *runs;
	const char *part = NULL;

	memset(out, 0, sizeof(*out));
	find_among(l, NULL, l->part, out);
	if (!out->entry && l->part)
		find_among(l, NULL, NULL, out);
	runs = may_run_for_others(out) ? running_entry(l, &part) : NULL;
	if (runs && (out->shared || (part && !l->part)))
		find_among(l, runs, part, &own);
	if (own.entry) {
		free(out->name);
		own.shared = out->shared;
		*out = own;
	}
	return out->entry != NULL;
}

bool running_stage_of(const struct graph_lines *l, struct entry *e, struct running_stage *out)
{
	memset(out, 0, sizeof(*out));
	find_among(l, e, l->part, out);
	if (!out->entry && l->part)
		find_among(l, e, NULL, out);
	return out->entry != NULL;
}

struct inner_places {
	const char *prefix, *pattern;
	struct places *out;
	int n;
};

static void add_inner_places(void *arg, struct code *c, const struct graph_lines *l)
{
	struct inner_places *w = arg;
	struct running_stage g;
	int i;

	if (running_stage_find(l, &g)) {
		for (i = 0; g.sub && !fnmatch(w->prefix, g.name + g.sub, 0) && i < l->n; i++)
			if (l->at[i].node && !fnmatch(w->pattern, l->at[i].node, 0)) {
				host->files.add_place(w->out, c, l->at[i].index, l->at[i].line, NULL);
				w->n++;
			}
		free(g.name);
	}
}

int running_stage_places(const char *pattern, struct places *out)
{
	const char *dot = strrchr(pattern, '.');
	struct inner_places w = { .out = out, .n = graph_codes_places(pattern, out) };
	char *prefix;

	if (w.n || !dot)
		return w.n;
	prefix = mem_fmt("%.*s", (int)(dot - pattern), pattern);
	w.prefix = prefix;
	w.pattern = dot + 1;
	graph_codes_each(add_inner_places, &w);
	free(prefix);
	return w.n;
}

static void add_names(void *arg, struct code *c, const struct graph_lines *l)
{
	struct naming *n = arg;
	struct running_stage g;

	(void)c;
	n->prefix = "";
	graph_codes_add_names(l, n);
	if (!running_stage_find(l, &g))
		return;
	if (g.sub) {
		n->prefix = g.name + g.sub;
		graph_codes_add_names(l, n);
	}
	free(g.name);
}

void running_stage_names(void (*add)(void *arg, const char *name), void *arg)
{
	struct naming n = { .add = add, .arg = arg };

	graph_codes_each(add_names, &n);
}

/* The node of an origin, the first n bytes of a text: "true_graph_0.cos" is cos of the sub-graph that runs. */
static const struct node *origin_node(const struct running_stage *g, const char *name, size_t n)
{
	const char *dot = memrchr(name, '.', n);

	return dot ? graphs_own_node(g->nodes, dot + 1, (size_t)(name + n - dot - 1)) :
		     graphs_own_node(g->nodes, name, n);
}

const struct node *running_stage_node(const struct running_stage *g, const struct graph_lines *l, const char *variable)
{
	const char *name;
	int i;

	if (!l->call)
		return graphs_own_node(g->nodes, variable, strlen(variable));
	for (i = 0; g->stage && i < g->stage->norigins; i++) {
		name = g->stage->origin[i].node;
		if (name && !strcmp(g->stage->origin[i].buffer, variable))
			return origin_node(g, name, strlen(name));
	}
	for (i = 0; g->nodes && i < g->nodes->n; i++) /* a number that is read from a tensor is named as its symbol */
		if (!strcmp(g->nodes->node[i].op, "call_function") && !strcmp(g->nodes->node[i].value, variable))
			return &g->nodes->node[i];
	return NULL;
}

const struct node *running_stage_origin(const struct running_stage *g, const char *buffer)
{
	const struct node *n, *found = NULL;
	const struct origin *o;
	const char *p, *all;
	size_t len;
	int i;

	for (i = 0; g->stage && i < g->stage->norigins && !found; i++) {
		o = &g->stage->origin[i];
		all = !strcmp(o->buffer, buffer) ? o->all : NULL;
		for (p = all; p && *p && !found; p += len + (p[len] == ' ')) {
			len = strcspn(p, " ");
			n = origin_node(g, p, len);
			found = n && graphs_line(g->nodes, n) ? n : NULL;
		}
	}
	return found;
}

const struct source_line *running_stage_line(const struct running_stage *g, const struct graph_lines *l,
					     const struct graph_line *row)
{
	const struct source_line *place = NULL;
	const struct node *n;
	int i;

	for (i = 0; i < row->nwrites && !place; i++) {
		n = running_stage_node(g, l, graph_codes_local(l, row->writes[i]));
		place = n ? graphs_line(g->nodes, n) : NULL;
	}
	for (i = 0; i < row->nwrites && l->call && !place; i++) {
		n = running_stage_origin(g, graph_codes_local(l, row->writes[i]));
		place = n ? graphs_line(g->nodes, n) : NULL;
	}
	return place;
}

static void find_places(struct graph_lines *l)
{
	const struct source_line *place = NULL, *own;
	struct running_stage g;
	int i;

	if (running_stage_find(l, &g) && g.nodes) {
		for (i = 0; i < l->n; i++) {
			own = running_stage_line(&g, l, &l->at[i]);
			place = g.unsure ? NULL : own ? own : place;
			l->at[i].user_file = place ? place->file : NULL;
			l->at[i].user_line = place ? place->line : 0;
		}
	}
	l->shared = g.shared || (!l->part && may_run_for_others(&g));
	l->placed_for = l->shared ? running_entry(l, &l->placed_part) : NULL;
	free(g.name);
}

/* Does another entry, or part of its graph, run the shared code than when places were found? */
static bool runs_for_another(const struct graph_lines *l)
{
	const char *part;

	return l->placed_for != running_entry(l, &part) || l->placed_part != part;
}

bool running_stage_place(struct graph_lines *l, const struct graph_line *row, const char **file, int *line)
{
	if (l->placed != model_graphs_version || (l->shared && runs_for_another(l))) {
		l->placed = model_graphs_version;
		find_places(l);
	}
	*file = row->user_file;
	*line = row->user_line;
	return *file && *line;
}
