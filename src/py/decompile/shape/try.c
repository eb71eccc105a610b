/* SPDX-License-Identifier: BSD-3-Clause */
/* try and with statements, from the ranges of the exception table: which blocks are the body, which the handler, and
   where both go on. */
#include <Python.h>
#include <string.h>
#include "py/decompile/shape/shape.h"

enum { FOLLOW = 12 };

struct trying {
	struct dec *d;
	int handler; /* block */
	int depth;
	bool lasti, with;
	uint8_t *region, *handling; /* sets: blocks of the body, and of the clauses */
	struct outs inside;	    /* the same blocks */
	struct outs body, clause;   /* blocks that they leave to */
};

/* The block, k itself or what handles its exceptions, that the outermost handler inside `cover` handles those of. */
static int outermost(struct dec *d, int k, int cover)
{
	int most = d->nblock, h;

	if (cover >= 0 && !flow_covered(d, k, cover))
		return k;
	for (h = d->block[k].handler; d->block[h].handler >= 0 && d->block[h].handler != cover && most--;) {
		k = h;
		h = d->block[h].handler;
	}
	return k;
}

static bool has(struct dec *d, const struct block *b, enum dop op)
{
	int i;

	for (i = b->first; i < b->end; i++)
		if (d->ins[i].op == op)
			return true;
	return false;
}

static void leave_to(struct dec *d, struct outs *o, int k)
{
	int i;

	for (i = 0; i < o->n; i++)
		if (o->block[i] == k)
			return;
	outs_push(d, o, k);
}

/* A return from within several with statements leaves one after the other: each is its own block, and belongs to the
   innermost one. */
static bool leaves_more(struct trying *t, int k)
{
	struct dec *d = t->d;
	const struct block *b = &d->block[k];
	int most = d->nblock;

	if (!t->with || b->npred != 1 || !set_has(t->region, b->pred[0]) || !with_ends(d, &d->block[b->pred[0]]))
		return false;
	while (with_ends(d, b) && most--) {
		if (b->kind == B_END)
			return true;
		if (b->kind != B_FALL || d->block[b->succ[0]].npred != 1)
			return false;
		b = &d->block[b->succ[0]];
	}
	return false;
}

/* The block does the same within the body.  A change of a variable does not: __exit__() may raise before it. */
static bool may_be_inside(const struct trying *t, const struct block *b)
{
	return !flow_may_raise(t->d, b) && !finally_copies_before(t->d, (int)(b - t->d->block), t->handler) &&
	       !(t->with && (has(t->d, b, D_STORE_FAST) || has(t->d, b, D_DELETE_FAST)));
}

/* A jump out of the statement that leaves with statements around it, one after the other. */
static bool leaves_from(const struct trying *t, int k)
{
	return with_ends_around(t->d, k, t->handler) && !finally_copies_before(t->d, k, t->handler);
}

static void find_body(struct trying *t, int first)
{
	struct dec *d = t->d;
	struct outs todo = { NULL, 0, 0 };
	int k, i, h, around = d->block[t->handler].handler;

	outs_push(d, &todo, first);
	while (todo.n) {
		const struct block *b = &d->block[k = todo.block[--todo.n]];
		bool goes_on;

		if (set_has(t->region, k))
			continue;
		goes_on = flow_covered(d, k, t->handler) ||
			  (t->with && k != first && b->handler == around && with_ends(d, b)) || leaves_more(t, k) ||
			  leaves_from(t, k) || (b->kind == B_FALL && may_be_inside(t, b) && b->npred == 1);
		if (!goes_on && !(b->kind == B_END && may_be_inside(t, b))) {
			leave_to(d, &t->body, k);
			continue;
		}
		set_add(t->region, k);
		outs_push(d, &t->inside, k);
		for (i = 0; i < 2; i++)
			if (b->succ[i] >= 0 && !set_has(t->region, b->succ[i]))
				outs_push(d, &todo, b->succ[i]);
		h = b->handler;
		if (h >= 0 && h != t->handler && flow_covered(d, h, t->handler))
			outs_push(d, &todo, h);
	}
}

/* The clauses: all that the handler leads to while an exception more is being handled than before the statement. */
static void find_handler(struct trying *t, int first)
{
	struct dec *d = t->d;
	struct outs todo = { NULL, 0, 0 };
	int k, i, h, base = d->block[first].exc;
	bool raises;

	outs_push(d, &todo, t->handler);
	while (todo.n) {
		const struct block *b = &d->block[k = todo.block[--todo.n]], *s;

		if (set_has(t->handling, k))
			continue;
		set_add(t->handling, k);
		outs_push(d, &t->inside, k);
		for (i = 0; i < 2; i++) {
			if (b->succ[i] < 0)
				continue;
			s = &d->block[b->succ[i]];
			raises = flow_may_raise(d, s) ||
				 finally_copies_opens(d, b->succ[i], d->block[t->handler].handler);
			if (s->exc <= base && s->kind == B_END && !raises &&
			    !finally_copies_before(d, b->succ[i], t->handler))
				continue;
			if (s->exc <= base && !(s->kind == B_FALL && !raises && s->npred == 1) &&
			    !leaves_from(t, b->succ[i]))
				leave_to(d, &t->clause, b->succ[i]);
			else
				outs_push(d, &todo, b->succ[i]);
		}
		h = b->handler;
		if (h >= 0 && h != d->block[t->handler].handler && flow_covered(d, k, h) && k != t->handler)
			outs_push(d, &todo, h);
	}
}

/* The only block of these that the context does not know; -1: none, or several. */
static int own_exit(struct trying *t, const struct outs *o, const struct ctx *c)
{
	int own = -1, i, k, n = 0;

	for (i = 0; i < o->n; i++) {
		k = o->block[i];
		if (k == c->fall || k == c->brk || k == c->cont || set_has(t->region, k) || set_has(c->claimed, k) ||
		    level_knows(c, k))
			continue;
		n++;
		own = k;
	}
	return n == 1 ? own : -1;
}

static bool leaves_to(const struct outs *o, int k)
{
	int i;

	for (i = 0; i < o->n; i++)
		if (o->block[i] == k)
			return true;
	return false;
}

/* What follows the body alone: its `else`.  -1: nothing. */
static int find_else(struct trying *t, const struct ctx *c)
{
	int body = own_exit(t, &t->body, c), clause = own_exit(t, &t->clause, c);

	if (t->with || body < 0 || body == clause || leaves_to(&t->clause, body))
		return -1;
	return clause >= 0 || (c->fall >= 0 && leaves_to(&t->clause, c->fall)) ? body : -1;
}

/* The blocks that follow the statement: what it is left to, and the joins of these that nothing else writes. */
static int find_follow(struct trying *t, int k, const struct ctx *c, int *out, int most)
{
	struct dec *d = t->d;
	struct outs all = { NULL, 0, 0 };
	const struct block *b;
	int n = 0, i, e;

	for (i = 0; i < t->body.n; i++)
		outs_push(d, &all, t->body.block[i]);
	for (i = 0; i < t->clause.n; i++)
		leave_to(d, &all, t->clause.block[i]);
	for (i = 0; i < t->inside.n; i++)
		for (b = &d->block[t->inside.block[i]], e = 0; e < b->nkid; e++)
			if (d->block[b->kid[e]].merge && d->ins[d->block[b->kid[e]].end - 1].op != D_RERAISE &&
			    !set_has(t->region, b->kid[e]) && !set_has(t->handling, b->kid[e]))
				leave_to(d, &all, b->kid[e]);
	for (e = 0; e < all.n; e++) {
		const int x = all.block[e];

		b = &d->block[x];
		if (b->gone || b->order < 0 || set_has(t->region, x) || set_has(t->handling, x) ||
		    b->exc != d->block[k].exc || ctx_knows(c, x) || set_has(c->claimed, x) || level_knows(c, x))
			continue;
		if (n == most)
			dec_refuse(d, d->ins[b->first].index, "a try statement that is left to many places");
		for (i = n++; i > 0 && d->block[out[i - 1]].order > b->order; i--)
			out[i] = out[i - 1];
		out[i] = x;
	}
	return n;
}

/* What happens after __exit__ has swallowed an exception: the code after the statement, as this text. */
static void swallowed(struct trying *t, struct run *r, const struct ctx *c, struct body *out)
{
	struct dec *d = t->d;
	struct item **stack = dec_alloc(d, (size_t)(r->n + 4) * sizeof(*stack));
	int k, n, most = d->nblock;

	for (k = d->nblock, n = 0; n < t->inside.n; n++) {
		const int x = t->inside.block[n];

		if (x < k && set_has(t->handling, x) && has(d, &d->block[x], D_WITH_EXCEPT))
			k = x;
	}
	while (k < d->nblock && d->block[k].kind == B_FALL && most--)
		k = d->block[k].succ[0];
	if (k >= d->nblock || d->block[k].kind != B_COND || d->block[k].yes < 0 || t->depth != r->n)
		dec_refuse(d, r->index, "a handler of a with statement");
	for (n = 0; n < r->n; n++)
		stack[n] = r->stack[n];
	if (t->lasti)
		stack[n++] = run_item(r, I_HELD, NULL, true);
	stack[n++] = run_item(r, I_EXC, NULL, true);
	stack[n++] = run_item(r, I_VALUE, dec_none(d), true);
	shape_tree(d, d->block[k].yes, stack, n, c, out);
}

/* The last statement of the body does what follows anyway. */
static void drop_return(struct body *b, const struct stmt *tail)
{
	struct stmt **at;

	for (at = &b->first; *at && (*at)->next; at = &(*at)->next)
		;
	if (!*at || (*at)->kind != S_RETURN || tail->kind != S_RETURN || tail->value->kind != E_CONST ||
	    (*at)->value->kind != E_CONST || (*at)->value->obj != tail->value->obj || at == &b->first)
		return;
	*at = NULL;
	b->end = at;
}

static void write_with(struct trying *t, int k, struct run *r, const struct ctx *inner, const struct ctx *c,
		       struct body *out)
{
	struct dec *d = t->d;
	struct item *enter, *manager, **base;
	struct ctx bctx = *inner, after = *inner;
	struct level *lv = dec_alloc(d, sizeof(*lv));
	struct body tail;
	struct stmt *s;
	int i;

	enter = run_pop(r);
	if (enter->kind != I_ENTER || !r->n || run_top(r, 1)->kind != I_EXIT)
		dec_refuse(d, r->index, "a with statement without its beginning");
	manager = enter->data;
	for (i = 0; i < r->n; i++)
		if (!r->stack[i]->pure && !manager->pure && r->stack[i]->seq > manager->seq)
			dec_refuse(d, r->index, "a context manager that is made before something else that waits");
	run_flush(r, NULL, 0);
	s = dec_stmt(&r->out, d, S_WITH, dec_temp_use(d, dec_temp(d)), item_expr(r, manager), r->index);
	s->text = enter->async ? "async " : NULL;
	s->astray = d->made.astray && d->made.astray[d->ins[d->block[t->handler].first].index];
	dec_body_add(out, &r->out);
	base = dec_alloc(d, (size_t)(r->n + 2) * sizeof(*base));
	for (i = 0; i < r->n; i++)
		base[i] = r->stack[i];
	base[i] = run_item(r, I_VALUE, s->target, true);
	dec_body_init(&tail);
	after.cover = c->cover;
	swallowed(t, r, &after, &tail);
	if (tail.first) {
		bctx.fall = -1;
		level_open(&bctx, lv, -1, -1, level_handling(d, k, r->stack, r->n));
	}
	shape_tree(d, k, base, r->n + 1, &bctx, &s->body);
	if (!tail.first)
		return;
	drop_return(&s->body, tail.first);
	level_close(d, lv, &tail, out);
}

/* The handler raises in the end, whatever it does: it uses nothing that was on the stack before. */
static bool handler_raises(const struct trying *t)
{
	const struct dec *d = t->d;
	int i, k;

	for (i = 0; i < t->inside.n; i++) {
		k = t->inside.block[i];
		if (set_has(t->handling, k) && d->block[k].kind == B_END && d->ins[d->block[k].end - 1].op != D_RERAISE)
			return false;
	}
	return !t->clause.n;
}

static void write_try(struct trying *t, int k, struct run *r, const struct ctx *inner, const struct ctx *c, int other,
		      struct body *out)
{
	struct dec *d = t->d;
	struct ctx hctx = *inner, bctx = *inner;
	struct item **stack;
	struct stmt *s, *clause;
	struct level *lv = dec_alloc(d, sizeof(*lv));
	int n = 0, exc = level_handling(d, k, r->stack, r->n), end, i;

	virtual_list_name(r, !dec_follows_lists(d) ? r->n :
			     handler_raises(t)	   ? 0 :
						     t->depth); /* those that the handler may use */
	dec_body_add(out, &r->out);
	s = dec_stmt(out, d, S_TRY, NULL, NULL, r->index);
	if (other >= 0) {
		bctx.fall = other;
		bctx.claimed = shape_claim(d, inner->claimed, &other, 1);
		level_open(&bctx, lv, other, -1, exc);
	}
	shape_tree(d, k, r->stack, r->n, &bctx, &s->body);
	if (other >= 0) {
		bctx = *inner;
		bctx.cover = c->cover;
		level_follow(d, lv, &bctx, &s->last);
	}
	if (t->depth > r->n)
		dec_refuse(d, r->index, "a handler that needs more on the stack than there is");
	stack = dec_alloc(d, (size_t)(r->n + 4) * sizeof(*stack));
	for (; n < t->depth; n++)
		stack[n] = r->stack[n]->kind == I_LIST ? run_item(r, I_HELD, NULL, true) : r->stack[n];
	if (t->lasti)
		stack[n++] = run_item(r, I_HELD, NULL, true);
	clause = dec_stmt(&s->other, d, S_CLAUSE, dec_temp_use(d, dec_temp(d)), dec_bound(d, PyExc_BaseException),
			  d->ins[d->block[t->handler].first].index);
	clause->target->temp->caught = true;
	end = finally_copies_end(d, t->handler);
	stack[n++] = end >= 0 ? run_item(r, I_HELD, NULL, true) : run_item(r, I_VALUE, clause->target, true);
	hctx.cover = d->block[t->handler].handler;
	hctx.exc = d->block[t->handler].exc + 1;
	if (end >= 0) {
		for (i = 0; i < r->n; i++) /* the clause may change what it is read from */
			if (!shape_keeps(r->stack[i]) &&
			    !(r->stack[i]->kind == I_VALUE &&
			      (r->stack[i]->e->kind == E_TEMP || r->stack[i]->e->kind == E_CONST)))
				dec_refuse(d, r->index, "a value that waits while a finally clause runs");
		clause->text = "finally";
		clause->target = clause->value = NULL;
		hctx.fall = end;
		hctx.claimed = shape_claim(d, hctx.claimed, &end, 1);
		level_open(&hctx, lv, end, -1, exc + 1);
	}
	shape_tree(d, t->handler, stack, n, &hctx, &clause->body);
	if (end >= 0)
		level_again(d, lv, &clause->body);
}

/* The blocks that follow, each with what it leads to. */
static void write_follow(struct dec *d, struct level *lv, const int *follow, int n, const struct ctx *c,
			 struct body *out)
{
	struct ctx each;
	int i;

	for (i = 0; i < n; i++) {
		each = *c;
		each.claimed = shape_claim(d, c->claimed, follow + i + 1, n - i - 1);
		each.fall = i + 1 < n ? follow[i + 1] : c->fall;
		each.level = lv[i].out;
		level_follow(d, &lv[i], &each, out);
	}
}

void shape_try(struct dec *d, int k, struct item *const *stack, int n, const struct ctx *c, struct body *out)
{
	const struct block *in = &d->block[outermost(d, k, c->cover)];
	struct trying t = { .d = d, .handler = in->handler, .depth = in->depth, .lasti = in->lasti };
	struct ctx inner = *c;
	struct level *lv;
	struct run r;
	int i, other, follow[FOLLOW], nfollow;

	t.with = has(d, &d->block[t.handler], D_WITH_EXCEPT);
	t.region = set_new(d);
	t.handling = set_new(d);
	find_body(&t, k);
	find_handler(&t, k);
	nfollow = find_follow(&t, k, c, follow, FOLLOW);
	other = find_else(&t, c);
	if (other >= 0 && shape_turned(d))
		other = -1;
	for (i = 0; i < nfollow && follow[i] != other; i++)
		;
	if (i < nfollow)
		memmove(follow + i, follow + i + 1, (size_t)(--nfollow - i) * sizeof(*follow));
	else
		other = -1;
	lv = dec_alloc(d, (size_t)(nfollow + 1) * sizeof(*lv));
	for (i = nfollow; i-- > 0;)
		level_open(&inner, &lv[i], follow[i], -1, level_handling(d, k, stack, n));
	if (nfollow)
		inner.fall = follow[0];
	inner.cover = t.handler;
	inner.claimed = shape_claim(d, c->claimed, follow, nfollow);
	run_init(&r, d, stack, n);
	r.index = d->ins[d->block[k].first].index;
	if (t.with)
		write_with(&t, k, &r, &inner, c, out);
	else
		write_try(&t, k, &r, &inner, c, other, out);
	write_follow(d, lv, follow, nfollow, c, out);
}
