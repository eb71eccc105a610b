/* SPDX-License-Identifier: BSD-3-Clause */
/* What the nodes of a graph stand for that a backend made of the captured one by passes of its own: see
   changed_nodes.h.  Reads no object of torch. */
#include "observe/changed_nodes.h"
#include "model/graph.h"
#include "torch/py_text.h"
#include <stdlib.h>
#include <string.h>

static const struct node *same_name(const struct nodes *g, const struct node *n)
{
	return graphs_own_node(g, n->name, strlen(n->name));
}

/* The captured node that is gone, in whose place a node which both graphs have takes the node i.  NULL: there is
   none. */
static const struct node *stands_for(const struct nodes *now, int i, const struct nodes *captured)
{
	const struct node *user, *before, *gone;
	int u, k;

	for (u = i + 1; u < now->n; u++) {
		user = &now->node[u];
		before = same_name(captured, user);
		if (!before || strcmp(before->target, user->target) || before->nin != user->nin)
			continue;
		for (k = 0; k < user->nin; k++) {
			gone = &captured->node[before->in[k]];
			if (user->in[k] == i && graphs_computes(gone) && !same_name(now, gone))
				return gone;
		}
	}
	return NULL;
}

/* A captured node, and those before it that are gone, too, nearest first. */
static void add_gone(const struct nodes *now, const struct nodes *captured, const struct node *n, struct buf *names)
{
	const struct node *a;
	int k;

	buf_addf(names, "%s%s", names->len ? " " : "", n->name);
	for (k = 0; k < n->nin; k++) {
		a = &captured->node[n->in[k]];
		if (graphs_computes(a) && !same_name(now, a) && !text_lists(names->s, a->name))
			add_gone(now, captured, a, names);
	}
}

static void find_origin(struct nodes *now, int i, const struct nodes *captured)
{
	struct node *n = &now->node[i];
	const struct node *own = same_name(captured, n);
	struct buf names = { 0 };

	if (n->from || !graphs_computes(n))
		return;
	if (!own)
		own = stands_for(now, i, captured);
	if (!own)
		return;
	if (same_name(now, own))
		buf_adds(&names, own->name);
	else
		add_gone(now, captured, own, &names);
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

/* That of the captured node, else that of the first node that takes it. */
static void place_by_origin(struct nodes *now, int i, const struct nodes *captured)
{
	struct node *n = &now->node[i];
	const struct node *own = n->from ? graphs_own_node(captured, n->from, strcspn(n->from, " ")) : NULL;
	const struct source_line *at = own ? graphs_line(captured, own) : NULL;
	int user;

	if (!graphs_computes(n) || graphs_line(now, n))
		return;
	if (!at && graphs_users(now, i, &user, 1))
		at = graphs_line(now, &now->node[user]);
	if (at)
		give_line(now, n, *at);
}

void changed_nodes_trace(struct nodes *now, const struct nodes *captured)
{
	int i;

	for (i = now->n - 1; i >= 0; i--) {
		find_origin(now, i, captured);
		place_by_origin(now, i, captured);
	}
}
