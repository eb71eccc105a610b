/* SPDX-License-Identifier: BSD-3-Clause */
/* Links between captured nodes, the nodes of later stages, and inductor's buffers and kernels: see dynamo_show.h. */
#include "code/select_graph.h"
#include "model/entry.h"
#include "model/graph.h"
#include "model/node_match.h"
#include "model/source_line.h"
#include "model/stages.h"
#include "model/wrapper_text.h"
#include "show/dynamo_show.h"
#include "torch/py_text.h"
#include <stdlib.h>
#include <string.h>

static void put_node(struct link_set *l, const struct graph *g, const struct stage *s, const struct nodes *in,
		     const struct node *n)
{
	const struct source_line *spot = graphs_line(in, n);

	link_set_put(l, "node", spot ? spot->line : 0,
		     s ? mem_fmt("%s:%s:%s", g->name, s->name, n->name) : mem_fmt("%s:%s", g->name, n->name));
}

static bool is_code(const struct stage *s)
{
	return s->text && s->norigins && !strncmp(s->name, "kernel", 6);
}

/* The stage that inductor's code was made of, or the code made of it: "kernel-backward" and "post-grad-backward". */
static const struct stage *partner(const struct entry *e, const struct stage *s)
{
	bool back = strstr(s->name, "backward") != NULL;
	const char *name = strncmp(s->name, "kernel", 6) ? back ? "kernel-backward" : "kernel" :
			   back				 ? "post-grad-backward" :
							   "post-grad";
	const struct stage *p;

	for (p = stages_of(e); p; p = p->next)
		if (!strcmp(p->graph, s->graph) && !strcmp(p->name, name))
			return p;
	return NULL;
}

static struct piece maker_of(const struct stage *code, const char *buffer)
{
	const struct wrapper_statement *s = wrapper_text_maker(stages_wrapper(code), buffer);

	return s ? s->called : (struct piece){ 0 };
}

static void put_buffer(struct link_set *l, const struct graph *g, const struct stage *code, const struct origin *o)
{
	struct piece kernel = maker_of(code, o->buffer);

	link_set_put(l, "buffer", 0, mem_fmt("%s:%s:%s", g->name, code->name, o->buffer));
	if (kernel.n)
		link_set_put(l, "kernel", 0, mem_fmt("%s:%s:%.*s", g->name, code->name, (int)kernel.n, kernel.s));
}

/* Does the node take part in computing this buffer?  For an operation of a library torch also names the nodes that
   computed its inputs.  A node whose value another buffer holds takes no part. */
static bool takes_part(const struct stage *code, const struct origin *o, const char *node)
{
	const struct wrapper_statement *s;
	int i;

	if (!py_text_lists(o->all, node))
		return false;
	if (o->node && !strcmp(o->node, node))
		return true;
	s = wrapper_text_maker(stages_wrapper(code), o->buffer);
	for (i = 0; !(s && s->kernel) && i < code->norigins; i++)
		if (code->origin[i].node && !strcmp(code->origin[i].node, node))
			return false;
	return true;
}

/* The buffers that a node of the graph before takes part in computing. */
static void put_buffers(struct link_set *l, const struct entry *e, const struct graph *g, const struct stage *s,
			const char *node)
{
	const struct stage *code = partner(e, s);
	int i;

	for (i = 0; code && is_code(code) && i < code->norigins; i++)
		if (takes_part(code, &code->origin[i], node))
			put_buffer(l, g, code, &code->origin[i]);
}

/* True if both compute something on the same line. */
static bool same_line(const struct nodes *a, const struct node *x, const struct nodes *b, const struct node *y)
{
	return graphs_computes(x) && graphs_computes(y) && graphs_same_line(a, x, b, y);
}

/* The captured nodes that it was made from. For a node of a derivative torch does not name them: those of the operation
   of its line that has its number. NULL: not known, as of a stage from a cache. */
static const char *sources(const struct entry *e, const struct graph *g, const struct nodes *in, const struct node *n)
{
	const struct stage *s;
	const struct node *m;
	int i;

	for (s = n->from || !n->number ? NULL : stages_of(e); s; s = s->next)
		for (i = 0; s->copy && !strcmp(s->graph, g->full) && i < s->copy->n; i++) {
			m = &s->copy->node[i];
			if (m->number == n->number && m->from && same_line(s->copy, m, in, n))
				return m->from;
		}
	return n->from;
}

/* True if one of the names is that of a captured node that computes a value. */
static bool has_captured(const struct graph *g, const char *names)
{
	int i;

	while (g->copy && (i = node_match_noted(g->copy, &names)) >= 0)
		if (graphs_computes(&g->copy->node[i]))
			return true;
	return false;
}

/* Was a node of a stage made of this captured one, or of the tuple that this is a part of?  Where that is not known, is
   it of its line? */
static bool is_made_of(const struct entry *e, const struct graph *g, const struct node *of, const char *whole,
		       const struct nodes *in, const struct node *n)
{
	const char *from = n->from;

	if (!py_text_lists(from, of->name) && !py_text_lists(from, whole) && same_line(g->copy, of, in, n)) {
		from = sources(e, g, in, n);
		if (!has_captured(g, from))
			return true;
	}
	return py_text_lists(from, of->name) || py_text_lists(from, whole);
}

void stage_links_node(struct link_set *l, const struct entry *e, const struct graph *g, const char *name)
{
	const struct node *of = graphs_own_node(g->copy, name, strlen(name));
	/* of a part of a tuple torch says what the tuple was made from */
	const char *whole = of && !strcmp(of->target, "operator.getitem") && of->nin ? g->copy->node[of->in[0]].name :
										       "";
	const struct stage *s;
	int i;

	for (s = stages_of(e); s; s = s->next) {
		if (!s->copy || strcmp(s->graph, g->full))
			continue;
		for (i = 0; i < s->copy->n; i++) {
			if (!of || !is_made_of(e, g, of, whole, s->copy, &s->copy->node[i]))
				continue;
			put_node(l, g, s, s->copy, &s->copy->node[i]);
			if (!strncmp(s->name, "post-grad", 9))
				put_buffers(l, e, g, s, s->copy->node[i].name);
		}
	}
}

/* Back to the captured nodes, and their lines. */
static void put_captured(struct link_set *l, const struct entry *e, const struct graph *g, const struct stage *s,
			 const struct node *n)
{
	const struct nodes *in = s->copy;
	const struct source_line *spot = graphs_line(in, n);
	const char *from = sources(e, g, in, n);
	bool found = false;
	int i;

	if (spot && spot->file)
		link_set_put(l, "line", spot->line, mem_fmt("%s:%d", spot->file, spot->line));
	for (i = 0; g->copy && i < g->copy->n; i++)
		if (py_text_lists(from, g->copy->node[i].name) && strcmp(g->copy->node[i].op, "placeholder")) {
			put_node(l, g, NULL, g->copy, &g->copy->node[i]);
			stage_links_node(l, e, g, g->copy->node[i].name);
			if (strcmp(s->name, "backend"))
				return; /* the nearest: those after it came before */
			found = true;
		}
	for (i = 0; !found && g->copy && i < g->copy->n; i++) /* else those of its line */
		if (same_line(g->copy, &g->copy->node[i], in, n))
			put_node(l, g, NULL, g->copy, &g->copy->node[i]);
}

static int from_node(struct link_set *l, const struct entry *e, const struct graph *g, const struct stage *s,
		     const char *name)
{
	const struct node *n = graphs_own_node(s->copy, name, strlen(name));

	if (!n)
		return 0;
	put_node(l, g, s, s->copy, n);
	put_captured(l, e, g, s, n);
	if (!strncmp(s->name, "post-grad", 9))
		put_buffers(l, e, g, s, name);
	return 1;
}

/* A buffer, or all that a kernel computes. */
static int from_code(struct link_set *l, const struct entry *e, const struct graph *g, const struct stage *code,
		     const char *what, const char *name)
{
	const struct stage *s = partner(e, code);
	const struct origin *o;
	bool kernel = !strcmp(what, "kernel"), mine;
	int i, k, found = 0;

	for (i = 0; i < code->norigins; i++) {
		o = &code->origin[i];
		mine = o->all && (kernel ? piece_is(maker_of(code, o->buffer), name) : !strcmp(o->buffer, name));
		if (!mine)
			continue;
		if (!found++)
			link_set_put(l, what, 0, mem_fmt("%s:%s:%s", g->name, code->name, name));
		put_buffer(l, g, code, o);
		for (k = 0; s && s->copy && k < s->copy->n; k++)
			if (takes_part(code, o, s->copy->node[k].name)) {
				put_node(l, g, s, s->copy, &s->copy->node[k]);
				put_captured(l, e, g, s, &s->copy->node[k]);
			}
	}
	return found > 0;
}

static int from_stage(struct link_set *l, const struct entry *e, const struct graph *g, const struct stage *s,
		      const char *what, const char *name)
{
	int ret = 0;

	if (!strcmp(what, "node") && s->copy)
		ret = from_node(l, e, g, s, name);
	else if (strcmp(what, "node") && is_code(s))
		ret = from_code(l, e, g, s, what, name);
	if (!ret && s->text && (s->cached || !s->norigins) && strstr(s->text, name))
		ret = -1;
	return ret;
}

int stage_links_from(struct link_set *l, const char *what, const char *where, const char *name)
{
	const char *colon = strrchr(where, ':');
	char *graph = colon ? mem_fmt("%.*s", (int)(colon - where), where) : NULL;
	struct entry *e = NULL;
	struct err err;
	struct graph *g = graph ? select_graph(graph, &e, &err) : NULL;
	const struct stage *s;
	int ret = 0;

	for (s = g ? stages_of(e) : NULL; s && !ret; s = s->next) {
		if (strcmp(s->graph, g->full) || strcmp(s->name, colon + 1))
			continue;
		ret = from_stage(l, e, g, s, what, name);
		if (!ret && s->ran) /* the program's code has it */
			ret = from_stage(l, e, g, s->ran, what, name);
	}
	free(graph);
	return ret;
}
