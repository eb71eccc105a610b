/* SPDX-License-Identifier: BSD-3-Clause */
/* Dominators and loops of the flow graph.  Knows no instructions. */
#include <Python.h>
#include <string.h>
#include "py/decompile/dec.h"

struct order {
	int *block, n;      /* reverse postorder */
	int **pred, *npred; /* over jumps and handlers */
	int *todo;
};

static void number_blocks(struct dec *d, struct order *o)
{
	struct {
		int block, next;
	} *stack = dec_alloc(d, (size_t)(d->nblock + 1) * sizeof(*stack));
	int *post = dec_alloc(d, (size_t)(d->nblock + 1) * sizeof(*post)), n = 0, depth = 0, k, i, out[3], ne;
	uint8_t *seen = dec_alloc(d, (size_t)d->nblock + 1);

	stack[depth].block = 0;
	stack[depth++].next = 0;
	seen[0] = 1;
	while (depth) {
		ne = flow_edges(&d->block[stack[depth - 1].block], out);
		if (stack[depth - 1].next == ne) {
			post[n++] = stack[--depth].block;
			continue;
		}
		k = out[stack[depth - 1].next++];
		if (!seen[k]) {
			seen[k] = 1;
			stack[depth].block = k;
			stack[depth++].next = 0;
		}
	}
	o->n = n;
	o->block = dec_alloc(d, (size_t)(n + 1) * sizeof(int));
	for (k = 0; k < d->nblock; k++)
		d->block[k].order = -1;
	for (i = 0; i < n; i++) {
		o->block[i] = post[n - 1 - i];
		d->block[o->block[i]].order = i;
	}
	o->npred = dec_alloc(d, (size_t)(d->nblock + 1) * sizeof(int));
	o->pred = dec_alloc(d, (size_t)(d->nblock + 1) * sizeof(int *));
	for (i = 0; i < n; i++) {
		ne = flow_edges(&d->block[o->block[i]], out);
		while (ne)
			o->npred[out[--ne]]++;
	}
	for (k = 0; k < d->nblock; k++) {
		o->pred[k] = dec_alloc(d, (size_t)(o->npred[k] + 1) * sizeof(int));
		o->npred[k] = 0;
	}
	for (i = 0; i < n; i++) {
		ne = flow_edges(&d->block[o->block[i]], out);
		for (k = 0; k < ne; k++)
			o->pred[out[k]][o->npred[out[k]]++] = o->block[i];
	}
}

bool flow_dominates(struct dec *d, int a, int b)
{
	while (d->block[b].order > d->block[a].order)
		b = d->block[b].idom;
	return a == b;
}

static void find_dominators(struct dec *d, const struct order *o)
{
	bool changed = true;
	int i, k, p, new, a, b;

	for (k = 0; k < d->nblock; k++)
		d->block[k].idom = -1;
	d->block[0].idom = 0;
	while (changed) {
		changed = false;
		for (i = 1; i < o->n; i++) {
			k = o->block[i];
			new = -1;
			for (p = 0; p < o->npred[k]; p++) {
				b = o->pred[k][p];
				if (d->block[b].idom < 0)
					continue;
				for (a = b, b = new < 0 ? a : new; a != b;) {
					while (d->block[a].order > d->block[b].order)
						a = d->block[a].idom;
					while (d->block[b].order > d->block[a].order)
						b = d->block[b].idom;
				}
				new = a;
			}
			if (d->block[k].idom != new) {
				d->block[k].idom = new;
				changed = true;
			}
		}
	}
	for (i = 1; i < o->n; i++)
		d->block[d->block[o->block[i]].idom].nkid++;
	for (k = 0; k < d->nblock; k++) {
		d->block[k].kid = dec_alloc(d, (size_t)(d->block[k].nkid + 1) * sizeof(int));
		d->block[k].nkid = 0;
	}
	for (i = 1; i < o->n; i++) {
		struct block *parent = &d->block[d->block[o->block[i]].idom];

		parent->kid[parent->nkid++] = o->block[i];
	}
}

static void add_loop(struct dec *d, const struct order *o, int header, int from)
{
	struct block *h = &d->block[header];
	int *todo = o->todo, n = 0, k, p;

	if (!flow_dominates(d, header, from))
		dec_refuse(d, d->ins[h->first].index, "a loop that is entered in its middle");
	if (!h->loop)
		h->loop = set_new(d);
	set_add(h->loop, header);
	if (!set_has(h->loop, from)) {
		set_add(h->loop, from);
		todo[n++] = from;
	}
	while (n) {
		k = todo[--n];
		for (p = 0; p < o->npred[k]; p++)
			if (!set_has(h->loop, o->pred[k][p])) {
				set_add(h->loop, o->pred[k][p]);
				todo[n++] = o->pred[k][p];
			}
	}
}

void dom_build(struct dec *d)
{
	struct order o;
	int i, k, e, out[3], ne, forward;

	number_blocks(d, &o);
	find_dominators(d, &o);
	o.todo = dec_alloc(d, (size_t)(o.n + 1) * sizeof(int));
	for (i = 0; i < o.n; i++) {
		k = o.block[i];
		ne = flow_edges(&d->block[k], out);
		for (e = 0; e < ne; e++)
			if (d->block[out[e]].order <= i)
				add_loop(d, &o, out[e], k);
		for (forward = 0, e = 0; e < d->block[k].npred; e++)
			forward +=
				d->block[d->block[k].pred[e]].order < i && d->block[d->block[k].pred[e]].order >= 0;
		d->block[k].merge = forward > 1;
	}
}
