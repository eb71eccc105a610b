/* SPDX-License-Identifier: BSD-3-Clause */
/* Costs of compiles added up by line, by module and by operator, with the nodes of the graphs.  Does not depend on
   views. */
#include "show/line_times.h"
#include "model/entry.h"
#include "model/graph.h"
#include "model/source_line.h"
#include "model/timing.h"
#include "torch/py_text.h"
#include <stdlib.h>
#include <string.h>

/* The row with this name (a module, an operator) or this file and line; texts of the model have one address each. */
static struct line_sum *sum_of(struct line_sum **list, size_t *n, size_t *cap, const char *name, const char *file,
			       int line)
{
	struct line_sum *s;

	for (s = *list; s && s < *list + *n; s++)
		if (s->name == name && s->file == file && s->line == line)
			return s;
	*list = mem_grow(*list, cap, *n + 1, sizeof(**list));
	s = &(*list)[(*n)++];
	memset(s, 0, sizeof(*s));
	s->name = name;
	s->file = file;
	s->line = line;
	return s;
}

static struct line_sum *of_line(struct line_sums *s, const char *file, int line)
{
	return sum_of(&s->line, &s->nlines, &s->lines_cap, NULL, file, line);
}

static struct line_sum *of_module(struct line_sums *s, const char *name)
{
	return sum_of(&s->module, &s->nmodules, &s->modules_cap, name, NULL, 0);
}

static struct line_sum *of_operator(struct line_sums *s, const char *target)
{
	return sum_of(&s->op, &s->nops, &s->ops_cap, target, NULL, 0);
}

static void add_cost(struct line_sum *s, const struct line_cost *c)
{
	s->trace += c->trace;
	s->lowering += c->lowering;
	s->starts += c->starts;
	s->lowered += c->lowered;
}

static void add_nodes(struct line_sums *s, const struct nodes *g)
{
	const struct source_line *line;
	const struct node *n;

	for (n = g->node; n < g->node + g->n; n++) {
		if (!py_text_begins_with(n->op, "call_"))
			continue;
		line = graphs_line(g, n);
		if (line)
			of_line(s, line->file, line->line)->nodes++;
		if (n->module)
			of_module(s, n->module)->nodes++;
		of_operator(s, n->target)->nodes++;
	}
}

void line_sums_add(struct line_sums *s, const struct timing *t)
{
	const struct entry *e = t->backward ? NULL : t->entry;
	struct line_sum *op;
	size_t i;
	int k;

	for (i = 0; i < t->lines.n; i++) {
		add_cost(of_line(s, t->lines.line[i].file, t->lines.line[i].line), &t->lines.line[i]);
		if (t->lines.line[i].module)
			add_cost(of_module(s, t->lines.line[i].module), &t->lines.line[i]);
	}
	for (i = 0; i < t->ops.n; i++) {
		op = of_operator(s, t->ops.op[i].target);
		op->trace += t->ops.op[i].fake;
		op->lowering += t->ops.op[i].lowering;
		op->lowered += t->ops.op[i].lowered;
	}
	for (k = 0; e && k < e->made.ngraphs; k++)
		if (e->made.graph[k].copy && !e->made.graph[k].part)
			add_nodes(s, e->made.graph[k].copy);
}

static int slower(const void *a, const void *b)
{
	const struct line_sum *x = a, *y = b;
	double of_x = x->trace + x->lowering, of_y = y->trace + y->lowering;

	return of_x < of_y ? 1 : of_x > of_y ? -1 : x->nodes < y->nodes ? 1 : x->nodes > y->nodes ? -1 : 0;
}

static void sort(struct line_sum *list, size_t n)
{
	if (n)
		qsort(list, n, sizeof(*list), slower);
}

void line_sums_sort(struct line_sums *s)
{
	sort(s->line, s->nlines);
	sort(s->module, s->nmodules);
	sort(s->op, s->nops);
}

void line_sums_release(struct line_sums *s)
{
	free(s->line);
	free(s->module);
	free(s->op);
	memset(s, 0, sizeof(*s));
}
