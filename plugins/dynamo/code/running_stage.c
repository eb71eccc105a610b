/* SPDX-License-Identifier: BSD-3-Clause */
/* The stage and the entry that a graph's code belongs to: see running_stage.h. */
#include "code/running_stage.h"
#include "model/entry.h"
#include "model/graph.h"
#include "model/stages.h"
#include "torch/py_text.h"
#include <stdlib.h>
#include <string.h>

static const struct node *node_named(const struct nodes *g, const char *name)
{
	int i;

	for (i = 0; g && i < g->n; i++)
		if (!strcmp(g->node[i].name, name))
			return &g->node[i];
	return NULL;
}

/* Are the lines this graph's nodes, each in its place? */
static bool lines_are_nodes(const struct nodes *g, const struct graph_lines *l)
{
	int i, at = 0, known = 0;

	for (i = 0; g && i < l->n; i++) {
		if (!l->at[i].node || !strcmp(l->at[i].node, "output"))
			continue;
		while (at < g->n && strcmp(g->node[at].name, l->at[i].node))
			at++;
		if (at == g->n)
			return false;
		known++;
	}
	return g && known > 0;
}

static void running_stage_set(struct running_stage *out, struct entry *e, const struct nodes *nodes,
			      const struct stage *s, const char *graph)
{
	out->entry = e;
	out->nodes = nodes;
	out->stage = s;
	free(out->name);
	out->name = s ? mem_fmt("%s %s", graph, s->name) : mem_str(graph);
}

static const char *short_name(const struct entry *e, const struct stage *s)
{
	int i;

	for (i = 0; i < e->made.ngraphs; i++)
		if (!strcmp(e->made.graph[i].full, s->graph))
			return e->made.graph[i].name;
	return s->graph;
}

/* The graph that inductor's code was made of. */
static const struct nodes *lowered(const struct entry *e, const struct stage *code)
{
	const char *name = strstr(code->name, "backward") ? "post-grad-backward" : "post-grad";
	const struct stage *s;

	for (s = e->made.stages; s; s = s->next)
		if (!strcmp(s->graph, code->graph) && !strcmp(s->name, name))
			return s->copy;
	return NULL;
}

/* Is this file's text the stage's? */
static bool same_text(const char *file, const char *text)
{
	const char *s;
	size_t n;
	int line;

	for (line = 1; (s = host->source_line(file, line)); line++) {
		n = strcspn(text, "\n");
		if (strlen(s) != n || strncmp(s, text, n))
			return false;
		text += n + (text[n] == '\n');
	}
	return line > 1 && !*text;
}

static bool is_code(const struct stage *s, const char *file)
{
	return s->text && file && !strncmp(s->name, "kernel", 6) && same_text(file, s->text);
}

bool running_stage_find(const struct graph_lines *l, struct running_stage *out)
{
	const char *file = utf8_of(l->co->co_filename);
	const struct stage *s;
	struct entry *e;
	int i;

	memset(out, 0, sizeof(*out));
	for (e = model_entries; e; e = e->next) { /* the newest counts */
		for (s = e->made.stages; s; s = s->next)
			if (l->call ? is_code(s, file) : lines_are_nodes(s->copy, l))
				running_stage_set(out, e, l->call ? lowered(e, s) : s->copy, s, short_name(e, s));
		for (i = 0; !l->call && i < e->made.ngraphs; i++)
			if (lines_are_nodes(e->made.graph[i].copy, l) && (!out->nodes || out->entry != e))
				running_stage_set(out, e, e->made.graph[i].copy, NULL, e->made.graph[i].name);
	}
	return out->entry != NULL;
}

const struct node *running_stage_node(const struct running_stage *g, const struct graph_lines *l, const char *variable)
{
	int i;

	if (!l->call)
		return node_named(g->nodes, variable);
	for (i = 0; g->stage && i < g->stage->norigins; i++)
		if (!strcmp(g->stage->origin[i].buffer, variable) && g->stage->origin[i].node)
			return node_named(g->nodes, g->stage->origin[i].node);
	return NULL;
}
