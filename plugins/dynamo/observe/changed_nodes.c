/* SPDX-License-Identifier: BSD-3-Clause */
/* What the nodes of a graph stand for that a backend made of the captured one by passes of its own: see
   dynamo_observe.h.  Reads no object of torch. */
#include "model/graph.h"
#include "observe/dynamo_observe.h"
#include "torch/py_text.h"
#include <stdlib.h>
#include <string.h>

/* What is known while a graph is traced. */
struct tracing {
	struct nodes *now;
	const struct nodes *captured;
	int *to;       /* for each node the captured one that it stands for, -1: none */
	bool *instead; /* ... it is new, and stands for one that is gone, or is computed for such a one only */
	bool *claimed; /* for each captured node: one stands for it */
};

static void pair_nodes(struct tracing *t, int i, int to)
{
	t->to[i] = to;
	t->claimed[to] = true;
}

/* By torch's notes, else by name: a pass may change the operation of a node, which keeps its line then. */
static void match_by_name(struct tracing *t, int i)
{
	const struct node *n = &t->now->node[i], *own;
	const char *name = n->from ? n->from : n->name;
	int to = graphs_index(t->captured, name, strcspn(name, " "));

	if (to < 0)
		return;
	own = &t->captured->node[to];
	if (n->from || (!strcmp(n->op, own->op) && !strcmp(n->target, own->target)) ||
	    (graphs_computes(n) && graphs_same_line(t->now, n, t->captured, own)))
		pair_nodes(t, i, to);
}

/* What node i takes that no name tells stands for what its captured node took in the same place. */
static void match_taken(struct tracing *t, int i)
{
	const struct node *n = &t->now->node[i], *own = t->to[i] < 0 ? NULL : &t->captured->node[t->to[i]];
	int k;

	for (k = 0; own && own->nin == n->nin && k < n->nin; k++)
		if (t->to[n->in[k]] < 0 && !t->claimed[own->in[k]] && graphs_computes(&t->now->node[n->in[k]]) &&
		    graphs_computes(&t->captured->node[own->in[k]])) {
			pair_nodes(t, n->in[k], own->in[k]);
			t->instead[n->in[k]] = true;
		}
}

/* A captured node, and those before it that are gone, too, nearest first. */
static void add_gone(const struct tracing *t, const struct node *n, struct buf *names)
{
	const struct node *a;
	int k;

	buf_addf(names, "%s%s", names->len ? " " : "", n->name);
	for (k = 0; k < n->nin; k++) {
		a = &t->captured->node[n->in[k]];
		if (graphs_computes(a) && !t->claimed[n->in[k]] && !py_text_lists(names->s, a->name))
			add_gone(t, a, names);
	}
}

static void note_origin(const struct tracing *t, int i)
{
	struct node *n = &t->now->node[i];
	struct buf names = { 0 };

	if (n->from || t->to[i] < 0 || !graphs_computes(n))
		return;
	if (t->instead[i])
		add_gone(t, &t->captured->node[t->to[i]], &names);
	else
		buf_adds(&names, t->captured->node[t->to[i]].name);
	n->from = mem_str(names.s);
	buf_release(&names);
}

static void give_line(struct nodes *now, struct node *n, struct source_line at)
{
	now->spot = mem_grow(now->spot, &now->spots_cap, (size_t)now->nspots + 1, sizeof(*now->spot));
	now->spot[now->nspots] = at;
	n->spot = now->nspots++;
	n->nspots = 1;
	n->user = 0;
}

/* That of the captured node; of a node that is computed for one that stands for a gone one, the line of that. */
static void place_node(struct tracing *t, int i)
{
	struct node *n = &t->now->node[i];
	const struct source_line *at = NULL;
	int user;

	if (!graphs_computes(n) || graphs_line(t->now, n))
		return;
	if (t->to[i] >= 0) {
		at = graphs_line(t->captured, &t->captured->node[t->to[i]]);
	} else if (graphs_users(t->now, i, &user, 1) && t->instead[user]) {
		at = graphs_line(t->now, &t->now->node[user]);
		t->instead[i] = true;
	}
	if (at)
		give_line(t->now, n, *at);
}

void changed_nodes_trace(struct nodes *now, const struct nodes *captured)
{
	struct tracing t = { .now = now, .captured = captured };
	int i;

	t.to = mem_alloc((size_t)now->n * sizeof(*t.to) + 1);
	t.instead = mem_alloc((size_t)now->n + 1);
	t.claimed = mem_alloc((size_t)captured->n + 1);
	for (i = 0; i < now->n; i++) {
		t.to[i] = -1;
		match_by_name(&t, i);
	}
	for (i = now->n - 1; i >= 0; i--)
		match_taken(&t, i);
	for (i = now->n - 1; i >= 0; i--) {
		note_origin(&t, i);
		place_node(&t, i);
	}
	free(t.to);
	free(t.instead);
	free(t.claimed);
}
