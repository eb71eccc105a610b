/* SPDX-License-Identifier: BSD-3-Clause */
/* try and with statements, from the ranges of the exception table: which blocks are the body, which the handler, and
   where both go on. */
#include <Python.h>
#include <string.h>
#include "py/decompile/dec.h"

struct trying {
	struct dec *d;
	int handler; /* block */
	int depth;
	bool lasti, with;
	uint8_t *region; /* a set */
	struct outs {
		int *block, n, cap;
	} body, clause; /* blocks that they leave to */
};

/* Is this block, or what handles its exceptions, covered by the handler? */
bool flow_covered(struct dec *d, int k, int handler)
{
	int h, most = d->nblock;

	for (h = d->block[k].handler; h >= 0 && most--; h = d->block[h].handler)
		if (h == handler)
			return true;
	return false;
}

/* The outermost handler of block k inside the one that covers already. */
static int outermost(struct dec *d, int k, int cover)
{
	int h = d->block[k].handler, most = d->nblock;

	if (cover >= 0 && !flow_covered(d, k, cover))
		return h;
	while (d->block[h].handler >= 0 && d->block[h].handler != cover && most--)
		h = d->block[h].handler;
	return h;
}

static bool has(struct dec *d, const struct block *b, enum dop op)
{
	int i;

	for (i = b->first; i < b->end; i++)
		if (d->ins[i].op == op)
			return true;
	return false;
}

static bool may_raise(struct dec *d, const struct block *b)
{
	int i;

	for (i = b->first; i < b->end; i++)
		switch (d->ins[i].op) {
		case D_NOP:
		case D_CONST:
		case D_FAST:
		case D_RETURN:
		case D_JUMP:
		case D_POP:
		case D_STORE_FAST:
		case D_SWAP:
		case D_POP_EXCEPT:
		case D_COPY:
		case D_DELETE_FAST:
		case D_END_FOR: break;
		default: return true;
		}
	return false;
}

/* The end of a with statement's body: __exit__(None, None, None), and nothing else but leaving. */
bool shape_leaves_with(struct dec *d, const struct block *b)
{
	int i, n = 0;

	for (i = b->first; i < b->end; i++) {
		enum dop op = d->ins[i].op;

		if (op == D_NOP || op == D_SWAP)
			continue;
		if (n < 3 && op == D_CONST && d->ins[i].obj == Py_None)
			n++;
		else if (n == 3 && op == D_CALL && d->ins[i].arg == 2)
			n++;
		else if (n == 4 && op == D_POP)
			n++;
		else if (n < 5 || (op != D_CONST && op != D_FAST && op != D_RETURN && op != D_JUMP && op != D_POP &&
					  op != D_STORE_FAST))
			return false;
	}
	return n == 5;
}

static void push(struct dec *d, struct outs *o, int k)
{
	int *more;

	if (o->n == o->cap) {
		more = dec_alloc(d, (size_t)(o->cap = 2 * o->cap + 8) * sizeof(*more));
		dec_copy(more, o->block, (size_t)o->n * sizeof(*more));
		o->block = more;
	}
	o->block[o->n++] = k;
}

static void leave_to(struct dec *d, struct outs *o, int k)
{
	int i;

	for (i = 0; i < o->n; i++)
		if (o->block[i] == k)
			return;
	push(d, o, k);
}

static void find_body(struct trying *t, int first)
{
	struct dec *d = t->d;
	struct outs todo = { NULL, 0, 0 };
	int k, i;

	push(d, &todo, first);
	while (todo.n) {
		const struct block *b = &d->block[k = todo.block[--todo.n]];
		bool goes_on;

		if (set_has(t->region, k))
			continue;
		goes_on = flow_covered(d, k, t->handler) || (t->with && k != first && shape_leaves_with(d, b)) ||
			  (b->kind == B_FALL && !may_raise(d, b) && b->npred == 1);
		if (!goes_on && !(b->kind == B_END && !may_raise(d, b))) {
			leave_to(d, &t->body, k);
			continue;
		}
		set_add(t->region, k);
		for (i = 0; i < 2; i++)
			if (b->succ[i] >= 0 && !set_has(t->region, b->succ[i]))
				push(d, &todo, b->succ[i]);
	}
}

static void find_handler(struct trying *t)
{
	struct dec *d = t->d;
	uint8_t *seen = set_new(d);
	struct outs todo = { NULL, 0, 0 }, level = { NULL, 0, 0 };
	int k, i, l;

	push(d, &todo, t->handler);
	push(d, &level, 0);
	while (todo.n) {
		const struct block *b = &d->block[k = todo.block[--todo.n]], *s;

		l = level.block[--level.n];
		if (set_has(seen, k))
			continue;
		set_add(seen, k);
		for (i = b->first; i < b->end; i++)
			l += (d->ins[i].op == D_PUSH_EXC) - (d->ins[i].op == D_POP_EXCEPT);
		for (i = 0; i < 2; i++) {
			if (b->succ[i] < 0)
				continue;
			s = &d->block[b->succ[i]];
			if (l <= 0 && s->kind == B_END && !may_raise(d, s))
				continue;
			if (l <= 0 && !(s->kind == B_FALL && !may_raise(d, s) && s->npred == 1)) {
				leave_to(d, &t->clause, b->succ[i]);
				continue;
			}
			push(d, &todo, b->succ[i]);
			push(d, &level, l > 0 ? l : 0);
		}
	}
}

/* The block of these that the context does not know; -1: none. */
static int own_exit(struct trying *t, const struct outs *o, const struct ctx *c)
{
	struct dec *d = t->d;
	int own = -1, i, k;

	for (i = 0; i < o->n; i++) {
		k = o->block[i];
		if (k == c->fall || k == c->brk || k == c->cont || set_has(t->region, k))
			continue;
		if (own >= 0)
			dec_refuse(
				d, d->ins[d->block[k].first].index, "a try statement that is left to several places");
		own = k;
	}
	return own;
}

static bool leaves_to(const struct outs *o, int k)
{
	int i;

	for (i = 0; i < o->n; i++)
		if (o->block[i] == k)
			return true;
	return false;
}

/* Where body and clauses go on: *after, -1: nowhere of their own; *other: what follows the body alone, its `else`. */
static void goes_on(struct trying *t, const struct ctx *c, int *after, int *other)
{
	int body = own_exit(t, &t->body, c), clause = own_exit(t, &t->clause, c);

	*other = -1;
	*after = clause;
	if (body >= 0 && body != clause) {
		if (clause < 0 && (c->fall < 0 || !leaves_to(&t->clause, c->fall)))
			*after = body;
		else
			*other = body;
	}
	if (*after >= 0 && set_has(c->claimed, *after))
		dec_refuse(
			t->d, t->d->ins[t->d->block[*after].first].index, "a try statement that is left further out");
}

static void write_with(struct trying *t, int k, struct run *r, const struct ctx *inner, struct body *out)
{
	struct dec *d = t->d;
	struct item *enter, *manager, **base;
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
	dec_body_add(out, &r->out);
	base = dec_alloc(d, (size_t)(r->n + 2) * sizeof(*base));
	for (i = 0; i < r->n; i++)
		base[i] = r->stack[i];
	base[i] = run_item(r, I_VALUE, s->target, true);
	shape_tree(d, k, base, r->n + 1, inner, &s->body);
}

static void write_try(struct trying *t, int k, struct run *r, const struct ctx *inner, const struct ctx *c, int other,
	struct body *out)
{
	struct dec *d = t->d;
	struct ctx hctx = *inner, bctx = *inner;
	struct item **stack;
	struct stmt *s, *clause;
	int n = 0;

	list_name_all(r);
	dec_body_add(out, &r->out);
	s = dec_stmt(out, d, S_TRY, NULL, NULL, r->index);
	if (other >= 0) {
		bctx.fall = other;
		bctx.claimed = shape_claim(d, inner->claimed, &other, 1);
	}
	shape_tree(d, k, r->stack, r->n, &bctx, &s->body);
	if (other >= 0) {
		if (!d->block[other].entry)
			dec_refuse(d, r->index, "a try statement with an else clause that is not reached");
		bctx = *inner;
		bctx.cover = c->cover;
		shape_tree(d, other, d->block[other].entry, d->block[other].n_entry, &bctx, &s->last);
	}
	if (t->depth > r->n)
		dec_refuse(d, r->index, "a handler that needs more on the stack than there is");
	stack = dec_alloc(d, (size_t)(r->n + 4) * sizeof(*stack));
	for (; n < t->depth; n++)
		stack[n] = r->stack[n];
	if (t->lasti)
		stack[n++] = run_item(r, I_EXC, NULL, true);
	clause = dec_stmt(&s->other, d, S_CLAUSE, dec_temp_use(d, dec_temp(d)), dec_bound(d, PyExc_BaseException),
		d->ins[d->block[t->handler].first].index);
	stack[n++] = run_item(r, I_VALUE, clause->target, true);
	hctx.cover = d->block[t->handler].handler;
	shape_tree(d, t->handler, stack, n, &hctx, &clause->body);
}

void shape_try(struct dec *d, int k, struct item *const *stack, int n, const struct ctx *c, struct body *out)
{
	struct trying t = { .d = d, .handler = outermost(d, k, c->cover) };
	struct ctx inner = *c;
	struct run r;
	int i, after, other;

	for (i = 0; i < d->nblock; i++)
		if (!d->block[i].gone && d->block[i].handler == t.handler) {
			t.depth = d->block[i].depth;
			t.lasti = d->block[i].lasti;
			break;
		}
	t.with = has(d, &d->block[t.handler], D_WITH_EXCEPT);
	t.region = set_new(d);
	find_body(&t, k);
	find_handler(&t);
	goes_on(&t, c, &after, &other);
	if (after >= 0)
		inner.fall = after;
	inner.cover = t.handler;
	inner.claimed = shape_claim(d, c->claimed, &after, 1);
	run_init(&r, d, stack, n);
	r.index = d->ins[d->block[k].first].index;
	if (t.with && other >= 0)
		dec_refuse(d, r.index, "a with statement that is left to several places");
	if (t.with)
		write_with(&t, k, &r, &inner, out);
	else
		write_try(&t, k, &r, &inner, c, other, out);
	if (after < 0)
		return;
	if (!d->block[after].entry)
		dec_refuse(d, r.index, "a try statement with an end that is not reached");
	shape_tree(d, after, d->block[after].entry, d->block[after].n_entry, c, out);
}
