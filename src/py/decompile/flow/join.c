/* SPDX-License-Identifier: BSD-3-Clause */
/* Blocks of the flow graph that are one in the text: conditions joined by `and` and `or`, a loop's test at its end with
   the one at its beginning.  Knows of expressions only whether a condition is one. */
#include <Python.h>
#include <string.h>
#include "py/decompile/flow/flow.h"

/* ---- short circuits ----------------------------------------------------------------------------- */

static void set_ways(struct dec *d, struct block *b)
{
	enum jump_if how = (enum jump_if)d->ins[b->end - 1].arg;

	/* IF_NONE: the condition is `is None`, and so on */
	if (how == IF_FALSE) {
		b->yes = b->succ[0];
		b->no = b->succ[1];
	} else {
		b->yes = b->succ[1];
		b->no = b->succ[0];
	}
}

/* Does this block compute its condition and nothing else? */
static bool only_condition(struct dec *d, const struct block *b)
{
	return condition_trial_alone(d, b->first, b->end - 1);
}

static void drop_pred(struct block *b, int k)
{
	int i;

	for (i = 0; i < b->npred && b->pred[i] != k; i++)
		;
	if (i < b->npred)
		b->pred[i] = b->pred[--b->npred];
}

/* `a and b or c`, and `a or b and c`: b is kept, or c follows where a is enough to know. */
static bool join_kept(struct dec *d, int k, bool is_and)
{
	struct block *b = &d->block[k], *m;
	int at = is_and ? b->yes : b->no, other = is_and ? b->no : b->yes, i, join;
	struct more *more;

	if (at < 0 || at == k)
		return false;
	m = &d->block[at];
	if (m->gone || m->kind != B_OR_POP || m->or_true != is_and || m->npred != 1 || m->pred[0] != k ||
	    m->handler != b->handler || m->succ[0] != other || m->succ[1] == other || !only_condition(d, m))
		return false;
	more = dec_alloc(d, sizeof(*more));
	more->is_and = is_and;
	more->block = at;
	*b->more_end = more;
	b->more_end = &more->next;
	join = m->succ[1];
	b->kind = B_OR_POP;
	b->or_true = is_and;
	b->yes = b->no = -1;
	b->succ[0] = other;
	b->succ[1] = join;
	drop_pred(&d->block[other], at);
	for (i = 0; i < d->block[join].npred; i++)
		if (d->block[join].pred[i] == at)
			d->block[join].pred[i] = k;
	m->gone = true;
	m->npred = 0;
	m->succ[0] = m->succ[1] = -1;
	m->handler = -1;
	return true;
}

/* One block, or two copies of the same end, which CPython makes of short ones. */
static bool same_block(struct dec *d, int x, int y)
{
	const struct block *a, *b;

	if (x == y || x < 0 || y < 0)
		return x == y;
	a = &d->block[x];
	b = &d->block[y];
	return a->kind == B_END && b->kind == B_END && a->handler == b->handler &&
	       a->end - a->first == b->end - b->first &&
	       ins_same(d->ins + a->first, d->ins + b->first, a->end - a->first);
}

/* Block x, of the same instructions, comes in the place of both. */
static void join_loads(struct dec *d, int x, int y)
{
	if (x != y)
		ins_join_loads(d->ins + d->block[x].first, d->ins + d->block[y].first,
			       d->block[x].end - d->block[x].first);
}

/* Is this block's end a copy of that one, made because the end of the function has no line of its own? */
static bool same_exit(struct dec *d, int x, int y)
{
	return x >= 0 && y >= 0 && same_block(d, x, y) &&
	       d->c->instr[d->ins[d->block[x].first].index].line == d->c->instr[d->ins[d->block[y].first].index].line;
}

/* A way of block at that leads to a copy of block `other` leads to that. */
static void lead_to(struct dec *d, int at, int other)
{
	struct block *m = &d->block[at], *to = &d->block[other];
	int *way = same_exit(d, m->no, other) ? &m->no : same_exit(d, m->yes, other) ? &m->yes : NULL, *pred, i;

	if (!way || *way == other)
		return;
	join_loads(d, other, *way);
	drop_pred(&d->block[*way], at);
	for (i = 0; i < 2; i++)
		m->succ[i] = m->succ[i] == *way ? other : m->succ[i];
	*way = other;
	pred = dec_alloc(d, (size_t)(to->npred + 2) * sizeof(*pred));
	dec_copy(pred, to->pred, (size_t)to->npred * sizeof(*pred));
	pred[to->npred++] = at;
	to->pred = pred;
}

static bool join_condition(struct dec *d, int k, bool is_and)
{
	struct block *b = &d->block[k], *m;
	int at = is_and ? b->yes : b->no, other = is_and ? b->no : b->yes, rest, i;
	struct more *more;

	if (at < 0 || at == k)
		return false;
	m = &d->block[at];
	if (m->gone || m->kind != B_COND || m->npred != 1 || m->pred[0] != k || m->handler != b->handler ||
	    m->yes == m->no ||
	    (m->yes != other && m->no != other && !same_exit(d, m->no, other) && !same_exit(d, m->yes, other)) ||
	    !only_condition(d, m))
		return false;
	lead_to(d, at, other);
	more = dec_alloc(d, sizeof(*more));
	more->is_and = is_and;
	more->negated = is_and ? m->no != other : m->yes != other;
	more->block = at;
	*b->more_end = more;
	b->more_end = &more->next;
	rest = m->no == other ? m->yes : m->no;
	if (is_and) {
		b->yes = rest;
		b->no = other;
	} else {
		b->no = rest;
		b->yes = other;
	}
	b->succ[0] = b->yes;
	b->succ[1] = b->no;
	drop_pred(&d->block[other], at);
	for (i = 0; i < d->block[rest].npred; i++)
		if (d->block[rest].pred[i] == at)
			d->block[rest].pred[i] = k;
	m->gone = true;
	m->npred = 0;
	m->succ[0] = m->succ[1] = -1;
	m->handler = -1;
	return true;
}

void join_conditions(struct dec *d)
{
	bool changed = true;
	int k;

	for (k = 0; k < d->nblock; k++)
		if (!d->block[k].gone && d->block[k].kind == B_COND)
			set_ways(d, &d->block[k]);
	while (changed) {
		changed = false;
		for (k = d->nblock; k-- > 0;)
			while (!d->block[k].gone && d->block[k].kind == B_COND &&
			       (join_condition(d, k, true) || join_condition(d, k, false)))
				changed = true;
		for (k = d->nblock; k-- > 0;)
			if (!d->block[k].gone && d->block[k].kind == B_COND &&
			    (join_kept(d, k, true) || join_kept(d, k, false)))
				changed = true;
		dec_poll();
	}
}

/* ---- loops that test at their end: CPython compiles `while c` as `if c: do ... while c` --------- */

/* The same condition, whichever way it jumps. */
static bool same_code(struct dec *d, const struct block *a, const struct block *b)
{
	int n = a->end - a->first;

	return b->end - b->first == n && ins_same(d->ins + a->first, d->ins + b->first, n - 1) &&
	       d->ins[a->end - 1].arg / 2 == d->ins[b->end - 1].arg / 2;
}

/* Do both compute the same condition, and lead to the same places? */
static bool same_condition(struct dec *d, const struct block *a, const struct block *b)
{
	const struct more *x = a->more, *y = b->more;

	if (!same_block(d, a->yes, b->yes) || !same_block(d, a->no, b->no) || a->handler != b->handler ||
	    !same_code(d, a, b))
		return false;
	for (; x && y; x = x->next, y = y->next)
		if (x->is_and != y->is_and || x->negated != y->negated ||
		    !same_code(d, &d->block[x->block], &d->block[y->block]) || d->block[x->block].more ||
		    d->block[y->block].more)
			return false;
	return !x && !y;
}

static void join_loads_of_tests(struct dec *d, int k, int j)
{
	const struct block *a = &d->block[k], *b = &d->block[j];
	const struct more *x = a->more, *y = b->more;

	join_loads(d, k, j);
	join_loads(d, a->yes, b->yes);
	join_loads(d, a->no, b->no);
	for (; x && y; x = x->next, y = y->next)
		join_loads(d, x->block, y->block);
}

/* What leads to block j leads to block k. */
static void redirect(struct dec *d, int j, int k)
{
	struct block *from = &d->block[j], *to = &d->block[k], *p;
	int *pred = dec_alloc(d, (size_t)(from->npred + to->npred + 1) * sizeof(*pred)), i, e;

	dec_copy(pred, to->pred, (size_t)to->npred * sizeof(*pred));
	dec_copy(pred + to->npred, from->pred, (size_t)from->npred * sizeof(*pred));
	for (i = 0; i < from->npred; i++) {
		p = &d->block[from->pred[i]];
		for (e = 0; e < 2; e++)
			p->succ[e] = p->succ[e] == j ? k : p->succ[e];
		p->yes = p->yes == j ? k : p->yes;
		p->no = p->no == j ? k : p->no;
	}
	to->pred = pred;
	to->npred += from->npred;
	from->npred = 0;
	from->gone = true;
	for (e = 0; e < 2; e++)
		if (from->succ[e] >= 0)
			drop_pred(&d->block[from->succ[e]], j);
}

/* The test at the end is the one at the beginning: what leads to the later leads to the earlier. */
void join_tests(struct dec *d)
{
	struct block *a, *b;
	bool changed = false;
	int k, j, i;

	for (k = 0; k < d->nblock; k++) {
		a = &d->block[k];
		if (a->gone || a->kind != B_COND || a->yes < 0)
			continue;
		for (i = 0; i < d->block[a->yes].npred; i++) {
			j = d->block[a->yes].pred[i];
			b = &d->block[j];
			if (j <= k || b->gone || b->kind != B_COND || !same_condition(d, a, b))
				continue;
			join_loads_of_tests(d, k, j);
			redirect(d, j, k);
			a->tested = true;
			changed = true;
			i = -1;
		}
	}
	if (changed)
		flow_reach(d);
}
