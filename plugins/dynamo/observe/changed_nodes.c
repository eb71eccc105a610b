/* SPDX-License-Identifier: BSD-3-Clause */
/* What the nodes of a graph stand for that a backend made of the captured one by passes of its own: see
   dynamo_observe.h.  Reads no object of torch. */
#include "model/graph.h"
#include "model/node_match.h"
#include "observe/dynamo_observe.h"
#include "torch/py_text.h"

/* A captured node, and those before it that are gone, too, nearest first. */
static void add_gone(const struct node_match *m, const struct node *n, struct buf *names)
{
	const struct node *a;
	int k;

	buf_addf(names, "%s%s", names->len ? " " : "", n->name);
	for (k = 0; k < n->nin; k++) {
		a = &m->a->node[n->in[k]];
		if (graphs_computes(a) && !m->used[n->in[k]] && !py_text_lists(names->s, a->name))
			add_gone(m, a, names);
	}
}

static void note_origin(const struct node_match *m, struct node *n, int i)
{
	struct buf names = { 0 };

	if (n->from || m->of[i] < 0 || !graphs_computes(n))
		return;
	if (m->instead[i])
		add_gone(m, &m->a->node[m->of[i]], &names);
	else
		buf_adds(&names, m->a->node[m->of[i]].name);
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
static void place_node(struct node_match *m, struct nodes *now, int i)
{
	struct node *n = &now->node[i];
	const struct source_line *at = NULL;
	int user;

	if (!graphs_computes(n) || graphs_line(now, n))
		return;
	if (m->of[i] >= 0) {
		at = graphs_line(m->a, &m->a->node[m->of[i]]);
	} else if (graphs_users(now, i, &user, 1) && m->instead[user]) {
		at = graphs_line(now, &now->node[user]);
		m->instead[i] = true;
	}
	if (at)
		give_line(now, n, *at);
}

void changed_nodes_trace(struct nodes *now, const struct nodes *captured)
{
	struct node_match m;
	int i;

	node_match_find(&m, captured, now, NODE_MATCH_CHANGED);
	for (i = now->n - 1; i >= 0; i--) {
		note_origin(&m, &now->node[i], i);
		place_node(&m, now, i);
	}
	node_match_release(&m);
}
