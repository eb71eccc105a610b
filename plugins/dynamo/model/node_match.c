/* SPDX-License-Identifier: BSD-3-Clause */
/* Pairs the nodes of two graphs: see node_match.h. */
#include "model/graph.h"
#include "model/node_match.h"
#include <stdlib.h>
#include <string.h>

int node_match_noted(const struct nodes *a, const char **names)
{
	int i = -1;
	size_t len;

	while (i < 0 && *names && **names) {
		len = strcspn(*names, " ");
		i = graphs_index(a, *names, len);
		*names += len + ((*names)[len] == ' ');
	}
	return i;
}

/* AOTAutograd detaches a result that backward needs, and torch says that this was made from the result's node. */
static bool is_detached_result(const struct node *n, const struct node *of)
{
	return !strcmp(n->target, "aten.detach.default") && !strstr(of->target, "detach");
}

/* ", 1", which tells the part of a tuple from its other parts; NULL: not a part. */
static const char *part_of(const struct node *n)
{
	return !strcmp(n->target, "operator.getitem") && n->nin == 1 ? strchr(n->args, ',') : NULL;
}

/* Of node i of graph a, the part that has the number of the part n; i itself: a has no such node. */
static int same_part(const struct nodes *a, int i, const struct node *n)
{
	const char *number = part_of(&a->node[i]) ? NULL : part_of(n), *part;
	int k;

	for (k = i + 1; number && k < a->n; k++) {
		part = part_of(&a->node[k]);
		if (part && a->node[k].in[0] == i && !strcmp(part, number))
			return k;
	}
	return i;
}

/* The nearest node of graph a that a node was made from, and that it stands for; -1: there is none. */
static int counterpart_in(const struct nodes *a, const struct node *n)
{
	const char *names = n->from;
	int i = node_match_noted(a, &names);

	return i < 0 || is_detached_result(n, &a->node[i]) ? -1 : same_part(a, i, n);
}

/* Has a node that was made from node k of graph b that node's value, by type and shape?  A captured value may require a
   gradient, which later stages do not say. */
static bool has_value_of(const struct nodes *b, int k, const struct node *n)
{
	const char *own = n->value, *value = b->node[k].value;
	size_t len = strcspn(own, " ");
	int i;

	for (i = k + 1; i < b->n; i++)
		if (part_of(&b->node[i]) && b->node[i].in[0] == k) /* several tensors */
			return !part_of(n);
	return len == strcspn(value, " ") && !strncmp(own, value, len);
}

static bool is_same_call(const struct node *n, const struct node *of)
{
	return !strcmp(n->op, of->op) && !strcmp(n->target, of->target);
}

/* call: the node of that name must call the same. */
static int same_name_in(const struct node_match *m, const struct node *n, enum node_match_kind kind, bool call)
{
	int i = graphs_index(m->a, n->name, strlen(n->name));
	const struct node *of = i >= 0 ? &m->a->node[i] : NULL;
	bool line = of && graphs_same_line(m->a, of, m->b, n);

	if (!of || (call && !is_same_call(n, of)))
		return -1;
	if (kind == NODE_MATCH_CHANGED)
		return is_same_call(n, of) || (graphs_computes(n) && line) ? i : -1;
	if (kind == NODE_MATCH_LOWERED && !line && (graphs_line(m->a, of) || graphs_line(m->b, n)))
		return -1;
	return !strcmp(n->op, of->op) ? i : -1;
}

static void match_names(struct node_match *m, enum node_match_kind kind, bool call)
{
	int i;

	for (i = 0; i < m->b->n; i++) {
		if (m->of[i] < 0)
			m->of[i] = same_name_in(m, &m->b->node[i], kind, call);
		if (m->of[i] >= 0)
			m->used[m->of[i]] = true;
	}
}

/* Nodes of a that were made of nodes of b. */
static void match_made(struct node_match *m, bool lowered)
{
	int i, k;

	for (i = 0; i < m->a->n; i++) {
		k = m->used[i] ? -1 : counterpart_in(m->b, &m->a->node[i]);
		if (k < 0 || (!lowered && m->of[k] >= 0))
			continue;
		m->used[i] = true;
		/* of several that were made of it the last one has its value, apart from what backward needs */
		if (m->of[k] < 0 || has_value_of(m->b, k, &m->a->node[i]) ||
		    !has_value_of(m->b, k, &m->a->node[m->of[k]]))
			m->of[k] = i;
	}
}

/* What node i takes that has no node in a stands for what the node of i took in the same place. */
static void match_taken(struct node_match *m, int i)
{
	const struct node *n = &m->b->node[i], *own = m->of[i] < 0 ? NULL : &m->a->node[m->of[i]];
	int k;

	for (k = 0; own && own->nin == n->nin && k < n->nin; k++)
		if (m->of[n->in[k]] < 0 && !m->used[own->in[k]] && graphs_computes(&m->b->node[n->in[k]]) &&
		    graphs_computes(&m->a->node[own->in[k]])) {
			m->of[n->in[k]] = own->in[k];
			m->used[own->in[k]] = m->instead[n->in[k]] = true;
		}
}

void node_match_find(struct node_match *m, const struct nodes *a, const struct nodes *b, enum node_match_kind kind)
{
	int i, k;

	*m = (struct node_match){ .a = a, .b = b };
	m->of = mem_alloc(((size_t)b->n + 1) * sizeof(*m->of));
	m->used = mem_alloc((size_t)a->n + 1);
	m->instead = mem_alloc((size_t)b->n + 1);
	for (i = 0; i < b->n; i++)
		m->of[i] = -1;
	if (kind == NODE_MATCH_STAGES)
		match_names(m, kind, true);
	for (i = 0; i < b->n; i++) {
		k = m->of[i] < 0 ? counterpart_in(a, &b->node[i]) : -1;
		if (k >= 0 && !m->used[k])
			m->of[i] = k;
	}
	if (kind != NODE_MATCH_CHANGED)
		match_made(m, kind == NODE_MATCH_LOWERED);
	match_names(m, kind, false);
	for (i = b->n - 1; kind == NODE_MATCH_CHANGED && i >= 0; i--)
		match_taken(m, i);
}

void node_match_release(struct node_match *m)
{
	free(m->of);
	free(m->used);
	free(m->instead);
}
