/* SPDX-License-Identifier: BSD-3-Clause */
/* Dominators and loops of the flow graph, and how many exceptions are being handled where a block begins.  Knows no
   expressions. */
#include <Python.h>
#include <string.h>
#include "py/decompile/flow/flow.h"

int flow_edges(const struct block *b, int out[3])
{
	int n = 0;

	if (b->succ[0] >= 0)
		out[n++] = b->succ[0];
	if (b->succ[1] >= 0)
		out[n++] = b->succ[1];
	if (b->handler >= 0)
		out[n++] = b->handler;
	return n;
}

struct order {
	int *block, n;	    /* reverse postorder */
	int *pre, *parent;  /* preorder, and the number in it of each one's parent */
	int *number;	    /* of a block, in preorder */
	int **pred, *npred; /* over jumps and handlers */
	int *todo;
};

static void number_blocks(struct dec *d, struct order *o)
{
	struct {
		int block, next;
	} *stack = dec_alloc(d, (size_t)(d->nblock + 1) * sizeof(*stack));
	int *post = dec_alloc(d, (size_t)(d->nblock + 1) * sizeof(*post)), n = 0, depth = 0, k, i, out[3], ne;
	int reached = 0;
	uint8_t *seen = dec_alloc(d, (size_t)d->nblock + 1);

	o->pre = dec_alloc(d, (size_t)(d->nblock + 1) * sizeof(int));
	o->parent = dec_alloc(d, (size_t)(d->nblock + 1) * sizeof(int));
	o->number = dec_alloc(d, (size_t)(d->nblock + 1) * sizeof(int));
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
			o->pre[++reached] = k;
			o->parent[reached] = o->number[stack[depth - 1].block];
			o->number[k] = reached;
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

/* Lengauer and Tarjan's semidominators, by numbers in preorder.  Blocks from `linked` on are in the forest. */
struct semi {
	int parent, idom, semi, label;
};

static int lowest_label(struct semi *s, int v, int linked, int *path)
{
	int n = 0, p;

	if (s[v].parent < linked)
		return s[v].label;
	do {
		path[n++] = v;
		v = s[v].parent;
	} while (s[v].parent >= linked);
	for (p = v; n; p = v) {
		v = path[--n];
		s[v].parent = s[p].parent;
		if (s[s[p].label].semi < s[s[v].label].semi)
			s[v].label = s[p].label;
	}
	return s[v].label;
}

static void find_dominators(struct dec *d, const struct order *o)
{
	struct semi *s = dec_alloc(d, (size_t)(o->n + 1) * sizeof(*s));
	int *path = dec_alloc(d, (size_t)(o->n + 1) * sizeof(*path)), i, k, p, u;

	for (i = 0; i < o->n; i++)
		s[i] = (struct semi){ .parent = o->parent[i], .idom = o->parent[i], .semi = i, .label = i };
	for (i = o->n; i-- > 1;) {
		k = o->pre[i];
		s[i].semi = s[i].parent;
		for (p = 0; p < o->npred[k]; p++) {
			u = s[lowest_label(s, o->number[o->pred[k][p]], i + 1, path)].semi;
			if (u < s[i].semi)
				s[i].semi = u;
		}
	}
	for (k = 0; k < d->nblock; k++)
		d->block[k].idom = -1;
	d->block[0].idom = 0;
	for (i = 1; i < o->n; i++) {
		while (s[i].idom > s[i].semi)
			s[i].idom = s[s[i].idom].idom;
		d->block[o->pre[i]].idom = o->pre[s[i].idom];
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

static bool join_loop(struct dec *d, struct block *header, int k)
{
	if (set_has(header->loop, k))
		return false;
	set_add(header->loop, k);
	outs_push(d, &header->in_loop, k);
	return true;
}

static void add_loop(struct dec *d, const struct order *o, int header, int from)
{
	struct block *h = &d->block[header];
	int *todo = o->todo, n = 0, k, p;

	if (!flow_dominates(d, header, from))
		dec_refuse(d, d->ins[h->first].index, "a loop that is entered in its middle");
	if (!h->loop) {
		h->loop = set_new(d);
		join_loop(d, h, header);
	}
	if (join_loop(d, h, from))
		todo[n++] = from;
	while (n) {
		k = todo[--n];
		for (p = 0; p < o->npred[k]; p++)
			if (join_loop(d, h, o->pred[k][p]))
				todo[n++] = o->pred[k][p];
	}
}

/* A `for` whose body never gets to its end: its loop is all that only the body leads to. */
static void add_for(struct dec *d, const struct order *o, int k)
{
	struct block *b = &d->block[k];
	int *todo = o->todo, n = 0, i;

	b->loop = set_new(d);
	join_loop(d, b, k);
	if (b->succ[0] < 0 || d->block[b->succ[0]].idom != k)
		return;
	for (todo[n++] = b->succ[0]; n;) {
		const struct block *in = &d->block[todo[--n]];

		join_loop(d, b, todo[n]);
		for (i = 0; i < in->nkid; i++)
			todo[n++] = in->kid[i];
	}
}

void dominators_find(struct dec *d)
{
	struct order o;

	number_blocks(d, &o);
	find_dominators(d, &o);
}

void dominators_build(struct dec *d)
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
	}
	for (i = 0; i < o.n; i++) {
		k = o.block[i];
		if (d->block[k].kind == B_FOR && !d->block[k].loop)
			add_for(d, &o, k);
		for (forward = 0, e = 0; e < d->block[k].npred; e++)
			forward += d->block[d->block[k].pred[e]].order < i && d->block[d->block[k].pred[e]].order >= 0;
		d->block[k].merge = forward > 1;
	}
}

/* ---- exceptions that are being handled where a block begins ------------------------------------- */

void dominators_exceptions(struct dec *d)
{
	bool changed = true;
	int k, i, n, out[3], ne, after;

	for (k = 0; k < d->nblock; k++)
		d->block[k].exc = d->nblock;
	d->block[0].exc = 0;
	while (changed) {
		changed = false;
		for (k = 0; k < d->nblock; k++) {
			const struct block *b = &d->block[k];

			if (b->gone || b->exc >= d->nblock)
				continue;
			for (after = b->exc, i = b->first; i < b->end; i++)
				after += (d->ins[i].op == D_PUSH_EXC) - (d->ins[i].op == D_POP_EXCEPT);
			ne = flow_edges(b, out);
			for (i = 0; i < ne; i++) {
				n = i == ne - 1 && b->handler >= 0 ? b->exc : after;
				if (n >= 0 && n < d->block[out[i]].exc) {
					d->block[out[i]].exc = n;
					changed = true;
				}
			}
		}
	}
}

/* ---- loops around a try statement --------------------------------------------------------------- */

/* A loop that begins in a try statement and continues in its handler is around the statement: its header becomes an
   empty block before that one. */
static bool split_header(struct dec *d, int k)
{
	struct block *b = &d->block[k], *new;
	int h = b->handler, p, i;

	if (d->block[k].gone || h < 0 || !b->loop || !set_has(b->loop, h))
		return false;
	d->ins[d->n] = (struct ins){ .op = D_NOP, .target = -1, .index = d->ins[b->first].index };
	new = &d->block[d->nblock];
	*new = (struct block){ .first = d->n, .end = d->n + 1, .kind = B_FALL, .yes = -1, .no = -1, .handler = h };
	new->more_end = &new->more;
	while (new->handler >= 0 && set_has(b->loop, new->handler)) {
		new->depth = d->block[new->handler].depth;
		new->lasti = d->block[new->handler].lasti;
		new->handler = d->block[new->handler].handler;
	}
	for (p = 0; p < d->nblock; p++) {
		for (i = 0; i < 2; i++)
			if (d->block[p].succ[i] == k)
				d->block[p].succ[i] = d->nblock;
		d->block[p].yes = d->block[p].yes == k ? d->nblock : d->block[p].yes;
		d->block[p].no = d->block[p].no == k ? d->nblock : d->block[p].no;
	}
	new->succ[0] = k;
	new->succ[1] = -1;
	d->n++;
	d->nblock++;
	return true;
}

void dominators_split_headers(struct dec *d)
{
	struct block *more;
	struct ins *ins;
	int k, n = d->nblock, all = 0;

	for (k = 0; k < n; k++)
		all += d->block[k].loop != NULL && d->block[k].handler >= 0;
	if (!all)
		return;
	more = dec_alloc(d, (size_t)(n + all + 1) * sizeof(*more));
	memcpy(more, d->block, (size_t)n * sizeof(*more));
	for (k = 0; k < n; k++)
		if (!more[k].more)
			more[k].more_end = &more[k].more;
	d->block = more;
	ins = dec_alloc(d, (size_t)(d->n + all + 1) * sizeof(*ins));
	memcpy(ins, d->ins, (size_t)d->n * sizeof(*ins));
	d->ins = ins;
	for (all = 0, k = 0; k < n; k++)
		all += split_header(d, k);
	if (!all)
		return;
	for (k = 0; k < d->nblock; k++) {
		d->block[k].loop = NULL;
		d->block[k].in_loop.n = 0;
		d->block[k].nkid = 0;
	}
	flow_reach(d);
	dominators_build(d);
}
