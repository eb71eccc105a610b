/* SPDX-License-Identifier: BSD-3-Clause */
/* for and while statements from loops of the flow graph: what the body is, where `break` leads, what `else` is. */
#include <Python.h>
#include <string.h>
#include "py/decompile/dec.h"

/* The entries that a loop's exit begins with: 3.13 and later take the iterator off there. */
static bool exit_pops(struct dec *d, const struct block *x)
{
	return x->end - x->first >= 2 && d->ins[x->first].op == D_END_FOR && d->ins[x->first + 1].op == D_POP;
}

/* The one block outside of the loop, its normal exit apart, that its body jumps to and that goes on; -1: none, or
   several. */
static int other_exit(struct dec *d, const struct block *b, int x)
{
	int found = -1, i, j, e;

	for (i = 0; i < d->nblock; i++) {
		if (!b->loop[i] || d->block[i].gone)
			continue;
		for (j = 0; j < 2; j++) {
			e = d->block[i].succ[j];
			if (e < 0 || e == x || b->loop[e] || d->block[e].kind == B_END)
				continue;
			if (found >= 0 && found != e)
				return -1;
			found = e;
		}
	}
	return found;
}

static void for_loop(struct dec *d, int k, struct item *const *stack, int n, const struct ctx *c, struct body *out)
{
	const struct block *b = &d->block[k];
	int x = b->succ[1], after = x, i, claim[2];
	struct ctx inner = *c;
	struct run r, z;
	struct item *it, **body;
	struct expr *iter, *target;
	struct stmt *s;

	for (i = b->nkid; i-- > 0;) /* the first join behind the loop, where its normal exit is another block */
		if (!d->block[x].merge && d->block[b->kid[i]].merge && !b->loop[b->kid[i]] && b->kid[i] != x &&
			!c->claimed[b->kid[i]])
			after = b->kid[i];
	/* its end is a jump of the loop around it: `else` says that, and `break` leads to what follows */
	if (after == x && x != c->fall && ctx_knows(c, x)) {
		i = other_exit(d, b, x);
		if (i >= 0 && !ctx_knows(c, i) && !c->claimed[i])
			after = i;
	}
	run_init(&r, d, stack, n);
	r.index = d->ins[b->first].index;
	it = run_pop(&r);
	if (item_special(it) || it->kind == I_LIST)
		dec_refuse(d, r.index, "a loop whose iterator is not known");
	iter = it->kind == I_ITERABLE ? it->e->kid[1] : it->e;
	for (i = 0; i < r.n; i++)
		if (!it->pure && !r.stack[i]->pure && r.stack[i]->seq > it->seq)
			dec_refuse(d, r.index, "an iterator that is made before something else that waits");
	list_name_all(&r);
	dec_body_add(out, &r.out);
	target = dec_temp_use(d, dec_temp(d));
	s = dec_stmt(out, d, S_FOR, target, iter, r.index);
	claim[0] = x;
	claim[1] = after;
	inner.fall = inner.cont = k;
	inner.brk = after;
	inner.claimed = shape_claim(d, c->claimed, claim, 2);
	body = dec_alloc(d, (size_t)(r.n + 3) * sizeof(*body));
	memcpy(body, r.stack, (size_t)r.n * sizeof(*body));
	body[r.n] = run_item(&r, I_ITER, NULL, true);
	body[r.n + 1] = run_item(&r, I_VALUE, target, true);
	if (b->succ[0] == k || d->block[b->succ[0]].merge)
		dec_refuse(d, r.index, "the body of a loop that is entered from elsewhere");
	shape_tree(d, b->succ[0], body, r.n + 2, &inner, &s->body);
	run_init(&z, d, body, r.n + exit_pops(d, &d->block[x]));
	if (after != x) {
		inner = *c;
		inner.fall = after;
		inner.claimed = shape_claim(d, c->claimed, &after, 1);
		shape_go(d, x, &z, &inner, k, &s->other);
		if (!d->block[after].entry)
			dec_refuse(d, r.index, "a loop whose exit is not come to");
		shape_tree(d, after, d->block[after].entry, d->block[after].n_entry, c, out);
		return;
	}
	if (ctx_knows(c, x) || d->block[x].idom != k) {
		shape_go(d, x, &z, c, k, out);
		return;
	}
	if (d->block[x].entry) {
		shape_slots(d, x, &z, out);
		shape_tree(d, x, d->block[x].entry, d->block[x].n_entry, c, out);
	} else {
		shape_tree(d, x, z.stack, z.n, c, out);
	}
}

/* Where a loop without an iterator is left to; -1: nowhere of its own. */
static int while_exit(struct dec *d, int k, const struct ctx *c, bool *fall_too)
{
	const struct block *b = &d->block[k];
	int best = -1, rank = 0, i, j, x, r;

	*fall_too = false;
	for (i = 0; i < d->nblock; i++) {
		if (!b->loop[i] || d->block[i].gone)
			continue;
		for (j = 0; j < 2; j++) {
			x = d->block[i].succ[j];
			if (x < 0 || b->loop[x])
				continue;
			if (x == c->fall || d->block[x].succ[0] == c->fall || d->block[x].succ[1] == c->fall)
				*fall_too = c->fall >= 0;
			if (!flow_dominates(d, k, x) || ctx_knows(c, x) || c->claimed[x])
				continue;
			r = d->block[x].merge ? 3 : d->block[x].kind != B_END ? 2 : 1;
			if (r > rank || (r == rank && d->block[x].order > d->block[best].order)) {
				rank = r;
				best = x;
			}
		}
	}
	return best;
}

static void while_loop(struct dec *d, int k, struct item *const *stack, int n, const struct ctx *c, struct body *out)
{
	struct block *b = &d->block[k];
	struct ctx inner = *c;
	struct expr *yes = dec_const(d, Py_True);
	struct run r;
	struct stmt *s;
	bool fall_too;
	int after = while_exit(d, k, c, &fall_too);

	run_init(&r, d, stack, n);
	r.index = d->ins[b->first].index;
	shape_slots(d, k, &r, out);
	inner.fall = inner.cont = k;
	inner.brk = after >= 0 ? after : fall_too ? c->fall : -1;
	inner.claimed = shape_claim(d, c->claimed, &after, 1);
	s = dec_stmt(out, d, S_WHILE, NULL, yes, r.index);
	shape_sequence(d, k, b->entry, b->n_entry, &inner, &s->body);
	if (after < 0)
		return;
	if (!d->block[after].entry)
		dec_refuse(d, r.index, "a loop whose exit is not come to");
	shape_tree(d, after, d->block[after].entry, d->block[after].n_entry, c, out);
}

void shape_loop(struct dec *d, int k, struct item *const *stack, int n, const struct ctx *c, struct body *out)
{
	if (d->block[k].kind == B_FOR)
		for_loop(d, k, stack, n, c, out);
	else
		while_loop(d, k, stack, n, c, out);
}
