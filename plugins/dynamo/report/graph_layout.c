/* SPDX-License-Identifier: BSD-3-Clause */
/* Layers by the longest path, their order by the mean of the neighbours, then places that move towards them: see
   graph_layout.h. */
#include "report/graph_layout.h"
#include "torch/cdbg_host.h"
#include <stdlib.h>
#include <string.h>

enum { SWEEPS = 6 };

/* Neighbours of each node, those above and those below, as ranges of one array. */
struct near {
	int *first, *of; /* owned: n + 1, and nedges */
};

struct work {
	struct graph_layout *l;
	struct near up, down;
	int *order, *start, layers; /* owned: nodes by layer, and where each layer begins */
	double *want;		    /* owned */
};

static void find_near(const struct graph_layout *l, int down, struct near *out)
{
	int i, *fill = mem_alloc(((size_t)l->n + 1) * sizeof(*fill));

	out->first = mem_alloc(((size_t)l->n + 2) * sizeof(*out->first));
	out->of = mem_alloc(((size_t)l->nedges + 1) * sizeof(*out->of));
	for (i = 0; i < l->nedges; i++)
		out->first[(down ? l->edge[i].from : l->edge[i].to) + 1]++;
	for (i = 0; i < l->n; i++)
		out->first[i + 1] += out->first[i];
	memcpy(fill, out->first, (size_t)l->n * sizeof(*fill));
	for (i = 0; i < l->nedges; i++)
		out->of[fill[down ? l->edge[i].from : l->edge[i].to]++] = down ? l->edge[i].to : l->edge[i].from;
	free(fill);
}

/* The longest path from an input; a node without inputs is placed right above its first user. */
static void find_layers(struct work *w)
{
	struct graph_layout *l = w->l;
	int i, k, least;

	for (i = 0; i < l->n; i++)
		for (k = w->up.first[i], l->node[i].layer = 0; k < w->up.first[i + 1]; k++)
			if (l->node[w->up.of[k]].layer >= l->node[i].layer)
				l->node[i].layer = l->node[w->up.of[k]].layer + 1;
	for (i = 0; i < l->n; i++) {
		if (w->up.first[i] != w->up.first[i + 1] || w->down.first[i] == w->down.first[i + 1])
			continue;
		for (least = -1, k = w->down.first[i]; k < w->down.first[i + 1]; k++)
			if (least < 0 || l->node[w->down.of[k]].layer < least)
				least = l->node[w->down.of[k]].layer;
		l->node[i].layer = least > 0 ? least - 1 : 0;
	}
	for (i = 0; i < l->n; i++)
		if (l->node[i].layer >= w->layers)
			w->layers = l->node[i].layer + 1;
}

static void fill_layers(struct work *w)
{
	int i, *fill;

	w->start = mem_alloc(((size_t)w->layers + 2) * sizeof(*w->start));
	for (i = 0; i < w->l->n; i++)
		w->start[w->l->node[i].layer + 1]++;
	for (i = 0; i < w->layers; i++)
		w->start[i + 1] += w->start[i];
	fill = mem_alloc(((size_t)w->layers + 1) * sizeof(*fill));
	memcpy(fill, w->start, (size_t)w->layers * sizeof(*fill));
	for (i = 0; i < w->l->n; i++)
		w->order[fill[w->l->node[i].layer]++] = i;
	free(fill);
}

static double center(const struct graph_layout_node *n)
{
	return n->x + n->width / 2.0;
}

/* The position of a node that its neighbours alone determine. */
static double mean(const struct work *w, const struct near *near, int i)
{
	double sum = 0;
	int k;

	for (k = near->first[i]; k < near->first[i + 1]; k++)
		sum += center(&w->l->node[near->of[k]]);
	return k > near->first[i] ? sum / (k - near->first[i]) : center(&w->l->node[i]);
}

static const double *wanted; /* for by_want(), which has no argument for it; the GIL is held */

static int by_want(const void *a, const void *b)
{
	double x = wanted[*(const int *)a], y = wanted[*(const int *)b];

	return x < y ? -1 : x > y ? 1 : *(const int *)a - *(const int *)b;
}

/* In their order, as near to the place of its neighbours as the ones before allow; then the row towards its mean. */
static void place_row(struct work *w, int layer)
{
	int i, n, from = w->start[layer], to = w->start[layer + 1], right = 0;
	double off = 0;

	for (i = from; i < to; i++) {
		n = w->order[i];
		w->l->node[n].x = (int)(w->want[n] - w->l->node[n].width / 2.0);
		if (i > from && w->l->node[n].x < right)
			w->l->node[n].x = right;
		right = w->l->node[n].x + w->l->node[n].width + w->l->gap;
	}
	for (i = from; i < to; i++)
		off += center(&w->l->node[w->order[i]]) - w->want[w->order[i]];
	for (i = from; i < to; i++)
		w->l->node[w->order[i]].x -= (int)(off / (to - from));
}

static void sweep(struct work *w, int down)
{
	int layer, i, k;

	wanted = w->want;
	for (k = 0; k < w->layers; k++) {
		layer = down ? k : w->layers - 1 - k;
		for (i = w->start[layer]; i < w->start[layer + 1]; i++)
			w->want[w->order[i]] = mean(w, down ? &w->up : &w->down, w->order[i]);
		qsort(w->order + w->start[layer], (size_t)(w->start[layer + 1] - w->start[layer]), sizeof(*w->order),
		      by_want);
		place_row(w, layer);
	}
}

static void finish_layout(struct graph_layout *l)
{
	int i, least = l->n ? l->node[0].x : 0;

	for (i = 0; i < l->n; i++)
		if (l->node[i].x < least)
			least = l->node[i].x;
	l->total_width = l->total_height = 0;
	for (i = 0; i < l->n; i++) {
		l->node[i].x += l->gap - least;
		l->node[i].y = l->gap + l->node[i].layer * l->row;
		if (l->node[i].x + l->node[i].width + l->gap > l->total_width)
			l->total_width = l->node[i].x + l->node[i].width + l->gap;
		if (l->node[i].y + l->height + l->gap > l->total_height)
			l->total_height = l->node[i].y + l->height + l->gap;
	}
}

void graph_layout_place(struct graph_layout *l)
{
	struct work w = { .l = l };
	int i;

	w.order = mem_alloc(((size_t)l->n + 1) * sizeof(*w.order));
	w.want = mem_alloc(((size_t)l->n + 1) * sizeof(*w.want));
	find_near(l, 0, &w.up);
	find_near(l, 1, &w.down);
	find_layers(&w);
	fill_layers(&w);
	for (i = 0; i < w.layers; i++)
		place_row(&w, i);
	for (i = 0; i < SWEEPS; i++)
		sweep(&w, i % 2 == 0);
	finish_layout(l);
	free(w.up.first);
	free(w.up.of);
	free(w.down.first);
	free(w.down.of);
	free(w.order);
	free(w.start);
	free(w.want);
}
