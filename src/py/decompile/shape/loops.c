/* SPDX-License-Identifier: BSD-3-Clause */
/* for and while statements from loops of the flow graph: what the body is, where `break` leads, what `else` is. */
#include <Python.h>
#include <string.h>
#include "py/asm/asm_impl.h"
#include "py/decompile/shape/shape.h"

enum { MORE = 8 };

/* The entries that a loop's exit begins with: 3.13 and later take the iterator off there. */
static bool exit_pops(struct dec *d, const struct block *x)
{
	return x->end - x->first >= 2 && d->ins[x->first].op == D_END_FOR && d->ins[x->first].arg;
}

/* The one block outside of the loop, apart from its normal exit, that its body jumps to and that continues; -1: none,
   or several. */
static int other_exit(struct dec *d, const struct block *b, int x)
{
	int found = -1, n, j, e;

	for (n = 0; n < b->in_loop.n; n++) {
		const struct block *i = &d->block[b->in_loop.block[n]];

		for (j = 0; j < 2 && !i->gone; j++) {
			e = i->succ[j];
			if (e < 0 || e == x || set_has(b->loop, e) || d->block[e].kind == B_END ||
			    d->block[e].exc != b->exc)
				continue;
			if (found >= 0 && found != e)
				return -1;
			found = e;
		}
	}
	return found;
}

/* Every way back to the header finds the stack as it is now. */
static void header_entry(struct dec *d, int k, struct item **stack, int n)
{
	struct block *b = &d->block[k];

	b->entry = stack;
	b->n_entry = n;
}

/* Blocks after the loop that several paths in it lead to, and no other pass writes: those after block `least`. */
static int joins_behind(struct dec *d, int k, int least, int not, const struct ctx *c, int *out, int most)
{
	const struct block *b = &d->block[k], *in;
	int n = 0, i, e, l;

	for (l = 0; l < b->in_loop.n; l++)
		for (in = &d->block[b->in_loop.block[l]], e = 0; e < in->nkid; e++) {
			const int x = in->kid[e];
			const struct block *j = &d->block[x];

			if (j->gone || set_has(b->loop, x) || x == least || x == not || !j->merge || j->exc != b->exc ||
			    ctx_knows(c, x) || set_has(c->claimed, x) || d->ins[j->end - 1].op == D_RERAISE ||
			    (least >= 0 && j->order < d->block[least].order))
				continue;
			for (i = n < most ? n++ : n; i > 0 && d->block[out[i - 1]].order > j->order; i--)
				if (i < most)
					out[i] = out[i - 1];
			if (i < most)
				out[i] = x;
		}
	return n;
}

/* Levels for blocks that follow one another; the first is the innermost. */
static struct level *open_levels(struct dec *d, struct ctx *c, const int *after, int n, int exc)
{
	struct level *lv = dec_alloc(d, (size_t)(n + 1) * sizeof(*lv));
	int i;

	for (i = n; i-- > 0;)
		level_open(c, &lv[i], after[i], -1, exc);
	return lv;
}

/* Their text, from the first or the second on. */
static void followers(struct dec *d, struct level *lv, bool first, const int *after, int n, const struct ctx *c,
		      struct body *out)
{
	struct ctx each;
	int i;

	dec_deep();
	for (i = !first; i < n; i++) {
		each = *c;
		each.claimed = shape_claim(d, c->claimed, after + i + 1, n - i - 1);
		each.fall = i + 1 < n ? after[i + 1] : c->fall;
		each.level = lv[i].out;
		level_follow(d, &lv[i], &each, out);
	}
}

/* The block that a loop's normal exit is. */
static void after_loop(struct dec *d, int k, int x, struct run *z, const struct ctx *c, struct body *out)
{
	dec_deep();
	if (ctx_knows(c, x) || d->block[x].idom != k) {
		shape_go(d, x, z, c, k, out);
	} else if (d->block[x].entry) {
		shape_slots(d, x, z, out);
		shape_tree(d, x, d->block[x].entry, d->block[x].n_entry, c, out);
	} else {
		shape_tree(d, x, z->stack, z->n, c, out);
	}
}

static void for_loop(struct dec *d, int k, struct item *const *stack, int n, const struct ctx *c, struct body *out)
{
	const struct block *b = &d->block[k];
	const bool pair = py_iterator_slots > 1 && !d->ins[b->end - 1].arg; /* the iterator is two entries */
	int x = b->succ[1], after = x, i, claim[2 + MORE], *more = claim + 2, n_more;
	struct level *levels, *loop = dec_alloc(d, sizeof(*loop)); /* not on the stack: loops in a row nest here */
	struct body text;
	struct ctx inner = *c;
	struct run r, z;
	struct item *it, **body;
	struct expr *iter, *target;
	struct stmt *s;

	for (i = b->nkid; i-- > 0;) /* the first join after the loop, if its normal exit is another block */
		if (!d->block[x].merge && d->block[b->kid[i]].merge && !set_has(b->loop, b->kid[i]) && b->kid[i] != x &&
		    !set_has(c->claimed, b->kid[i]))
			after = b->kid[i];
	/* its end is a jump of the loop around it: `else` says that, and `break` leads to what follows */
	if (after == x && x != c->fall && ctx_knows(c, x)) {
		i = other_exit(d, b, x);
		if (i >= 0 && !ctx_knows(c, i) && !set_has(c->claimed, i))
			after = i;
	}
	run_init(&r, d, stack, n);
	r.index = d->ins[b->first].index;
	it = run_pop(&r);
	if (pair && it->kind == I_NULL)
		it = run_pop(&r);
	if (item_special(it) || it->kind == I_LIST)
		dec_refuse(d, r.index, "a loop whose iterator is not known");
	iter = it->kind == I_ITERABLE ? it->e->kid[1] : it->e;
	for (i = 0; i < r.n; i++)
		if (!it->pure && !r.stack[i]->pure && r.stack[i]->seq > it->seq)
			dec_refuse(d, r.index, "an iterator that is made before something else that waits");
	virtual_list_loop(&r);
	dec_body_add(out, &r.out);
	target = dec_temp_use(d, dec_temp(d));
	s = dec_stmt(out, d, S_FOR, target, iter, r.index);
	s->text = d->ins[b->end - 1].arg ? "async " : NULL;
	claim[0] = x;
	claim[1] = after;
	n_more = joins_behind(d, k, after, x, c, more, MORE);
	/* `break` may lead to what follows all of this: the loop's end is its `else` then */
	if (!n_more && after == x && !ctx_knows(c, x) && c->fall >= 0 && shape_turned(d)) {
		after = c->fall;
		claim[1] = -1;
	}
	levels = open_levels(d, &inner, claim + 1, 1 + n_more, level_handling(d, k, stack, n));
	level_open(&inner, loop, -1, k, 0);
	inner.fall = inner.cont = k;
	inner.brk = after;
	inner.claimed = shape_claim(d, c->claimed, claim, 2 + n_more);
	body = dec_alloc(d, (size_t)(r.n + 4) * sizeof(*body));
	dec_copy(body, r.stack, (size_t)r.n * sizeof(*body));
	body[r.n] = run_item(&r, I_ITER, NULL, true);
	body[r.n + 1] = run_item(&r, I_NULL, NULL, true);
	body[r.n + 1 + pair] = run_item(&r, I_VALUE, target, true);
	header_entry(d, k, body, r.n + 1 + pair);
	if (b->succ[0] == k || d->block[b->succ[0]].merge)
		dec_refuse(d, r.index, "the body of a loop that is entered from elsewhere");
	shape_tree(d, b->succ[0], body, r.n + 2 + pair, &inner, &s->body);
	level_again(d, loop, &s->body);
	run_init(&z, d, body, r.n + exit_pops(d, &d->block[x]) * (1 + pair));
	level_leave(d, loop, out);
	inner = *c;
	if (after != x) {
		inner.fall = after;
		inner.claimed = shape_claim(d, c->claimed, claim + 1, 1 + n_more);
		inner.level = levels;
		shape_go(d, x, &z, &inner, k, &s->other);
	} else {
		inner.fall = n_more ? more[0] : c->fall;
		inner.claimed = shape_claim(d, c->claimed, more, n_more);
		inner.level = levels->out;
		dec_body_init(&text);
		after_loop(d, k, x, &z, &inner, &text);
		level_close(d, levels, &text, out);
	}
	followers(d, levels, after != x && claim[1] >= 0, claim + 1, 1 + n_more, c, out);
}

static int depth_before(const struct dec *d, const struct block *b)
{
	return d->c->depth_ok ? d->c->instr[d->ins[b->first].index].depth : 0;
}

/* A return from within a statement in the loop: its value, or a context manager's __exit__(), waits on the stack. */
static bool returns_from_within(const struct dec *d, const struct block *loop, const struct block *x)
{
	return x->kind == B_END && depth_before(d, x) > depth_before(d, loop);
}

/* Where a loop without an iterator is left to; -1: nowhere of its own. */
static int while_exit(struct dec *d, int k, const struct ctx *c, bool *fall_too)
{
	const struct block *b = &d->block[k];
	int best = -1, rank = 0, n, j, x, r;

	*fall_too = false;
	for (n = 0; n < b->in_loop.n; n++) {
		const struct block *i = &d->block[b->in_loop.block[n]];

		for (j = 0; j < 2 && !i->gone; j++) {
			x = i->succ[j];
			if (x < 0 || set_has(b->loop, x))
				continue;
			if (x == c->fall || d->block[x].succ[0] == c->fall || d->block[x].succ[1] == c->fall)
				*fall_too = c->fall >= 0;
			if (d->block[x].exc != b->exc || !flow_dominates(d, k, x) || ctx_knows(c, x) ||
			    set_has(c->claimed, x) || d->ins[d->block[x].end - 1].op == D_RERAISE ||
			    returns_from_within(d, b, &d->block[x]))
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
	int after = while_exit(d, k, c, &fall_too), follow[1 + MORE], n_follow;
	struct level *levels, loop;
	const bool tests_once = py_facts.function_parts >= 16; /* since 3.14 no copy of a test says what it is */

	/* what only one way out leads to may be in the loop, before its `break` */
	if (after >= 0 && !d->block[after].merge && shape_turned(d))
		after = -1;
	run_init(&r, d, stack, n);
	r.index = d->ins[b->first].index;
	shape_slots(d, k, &r, out);
	follow[0] = after;
	n_follow = after >= 0;
	n_follow += joins_behind(d, k, after, -1, c, follow + n_follow, MORE);
	levels = open_levels(d, &inner, follow, n_follow, level_handling(d, k, stack, n));
	level_open(&inner, &loop, -1, k, 0);
	inner.fall = inner.cont = k;
	inner.brk = n_follow ? follow[0] : fall_too ? c->fall : -1;
	inner.claimed = shape_claim(d, c->claimed, follow, n_follow);
	s = dec_stmt(out, d, S_WHILE, NULL, yes, r.index);
	s->tested = b->tested || (b->kind == B_COND && tests_once);
	shape_sequence(d, k, b->entry, b->n_entry, &inner, &s->body);
	level_again(d, &loop, &s->body);
	level_leave(d, &loop, out);
	followers(d, levels, true, follow, n_follow, c, out);
}

void shape_loop(struct dec *d, int k, struct item *const *stack, int n, const struct ctx *c, struct body *out)
{
	if (d->block[k].kind == B_FOR)
		for_loop(d, k, stack, n, c, out);
	else
		while_loop(d, k, stack, n, c, out);
}
