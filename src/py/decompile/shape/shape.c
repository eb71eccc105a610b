/* SPDX-License-Identifier: BSD-3-Clause */
/* Statements from the flow graph, by its dominator tree: a block's own text, then the text of each join that it
   dominates; each falls into the next.  Gives up where a jump does not fit a statement of Python. */
#include <Python.h>
#include <stdlib.h>
#include <string.h>
#include "py/decompile/shape/shape.h"

enum { TRIAL = 64 };

/* ---- conditions --------------------------------------------------------------------------------- */

/* `a and b`, where each may be one of the same word already. */
static struct expr *both(struct dec *d, const char *word, struct expr *a, struct expr *b)
{
	struct expr *side[2] = { a, b }, **kid = dec_alloc(d, (size_t)(a->n + b->n + 3) * sizeof(*kid));
	int i, n = 0;

	for (i = 0; i < 2; i++)
		if (side[i]->kind == E_BOOL && !strcmp(side[i]->text, word)) {
			dec_copy(kid + n, side[i]->kid, (size_t)side[i]->n * sizeof(*kid));
			n += side[i]->n;
		} else {
			kid[n++] = side[i];
		}
	return dec_expr_n(d, E_BOOL, word, kid, n);
}

static struct expr *condition(struct dec *d, const struct block *b, struct expr *e)
{
	struct item one = { .kind = I_HELD, .pure = true }, *held[8];
	const struct more *m;
	enum jump_if how = (enum jump_if)d->ins[b->end - 1].arg;
	int i;

	dec_deep();
	if (how == IF_NONE || how == IF_NOT_NONE)
		e = dec_expr(d, E_COMPARE, how == IF_NONE ? "is" : "is not", 2, e, dec_none(d));
	for (i = 0; i < 8; i++)
		held[i] = &one;
	for (m = b->more; m; m = m->next) {
		struct block *mb = &d->block[m->block];
		struct run r;
		struct item *it;
		struct expr *right;
		const char *word = m->is_and ? "and" : "or";

		run_init(&r, d, held, 8);
		run_code(&r, mb->first, mb->end - 1);
		if (r.out.first) /* unlike when the blocks were joined */
			dec_refuse(d, d->ins[mb->first].index, "a condition that needs a statement");
		it = run_pop(&r);
		right = condition(d, mb, run_use(&r, &it, 1)[0]);
		if (m->negated)
			right = dec_not(d, right);
		e = both(d, word, e, right);
	}
	return e;
}

static bool writes(enum dop op)
{
	switch (op) {
	case D_STORE_FAST:
	case D_STORE_GLOBAL:
	case D_STORE_DEREF:
	case D_STORE_NAME:
	case D_STORE_ATTR:
	case D_STORE_SUBSCR:
	case D_STORE_SLICE:
	case D_DELETE_FAST:
	case D_DELETE_GLOBAL:
	case D_DELETE_DEREF:
	case D_DELETE_NAME:
	case D_DELETE_ATTR:
	case D_DELETE_SUBSCR:
	case D_RETURN:
	case D_RAISE:
	case D_RERAISE:
	case D_INPLACE:
	case D_FOR_ITER:
	case D_WITH:
	case D_PUSH_EXC:
	case D_POP_EXCEPT:
	case D_BYTECODE:
		return true;
	default:
		return false;
	}
}

/* Can the code between block k and the join `to` be one expression?  A quick check that avoids attempts. */
static bool looks_like_value(struct dec *d, int k, int to, int *left)
{
	const struct block *b = &d->block[k];
	int i;

	dec_deep();
	if (k == to)
		return true;
	if (--*left < 0 || b->kind == B_END || b->loop)
		return false;
	for (i = b->first; i < b->end; i++)
		if (writes(d->ins[i].op))
			return false;
	for (i = 0; i < 2; i++)
		if (b->succ[i] >= 0 &&
		    (d->block[b->succ[i]].order <= b->order || !looks_like_value(d, b->succ[i], to, left)))
			return false;
	return true;
}

/* What an arm of a conditional expression does: its only statement fills the entry of the join with this value. */
static struct expr *only_value(struct dec *d, const struct body *b, int join)
{
	const struct block *j = &d->block[join];
	const struct stmt *s = b->first;

	if (!s || s->next || s->kind != S_ASSIGN || s->target->kind != E_TEMP || !j->entry || !j->n_entry || j->passed)
		return NULL;
	return s->target->temp == j->entry[j->n_entry - 1]->e->temp ? s->value : NULL;
}

static void arm(struct dec *d, int k, struct item **stack, int n, const struct ctx *c, int from, struct body *out)
{
	struct run r;

	run_init(&r, d, stack, n);
	dec_body_init(out);
	shape_go(d, k, &r, c, from, out);
}

static struct expr *as_expression(struct dec *d, int k, const struct block *b, struct run *r, struct expr *cond,
				  const struct ctx *c)
{
	struct ctx inner = { .fall = c->fall, .brk = -1, .cont = -1, .cover = c->cover, .exc = c->exc };
	struct item **held = dec_alloc(d, (size_t)(r->n + 2) * sizeof(*held));
	const int keep[2] = { c->brk, c->cont };
	struct body one, two;
	struct expr *p, *q;
	int i;

	inner.claimed = shape_claim(d, c->claimed, keep, 2);
	for (i = 0; i < r->n; i++) {
		held[i] = r->stack[i];
		if (!shape_keeps(held[i])) {
			held[i] = dec_alloc(d, sizeof(**held));
			*held[i] = (struct item){ .kind = I_HELD, .pure = true };
		}
	}
	if (b->kind == B_OR_POP) {
		if (b->succ[1] != c->fall)
			return NULL;
		arm(d, b->succ[0], held, r->n, &inner, k, &one);
		p = only_value(d, &one, c->fall);
		if (!p)
			return NULL;
		return dec_expr(d, E_BOOL, b->or_true ? "or" : "and", 2, cond, p);
	}
	arm(d, b->yes, held, r->n, &inner, k, &one);
	p = only_value(d, &one, c->fall);
	if (!p)
		return NULL;
	arm(d, b->no, held, r->n, &inner, k, &two);
	q = only_value(d, &two, c->fall);
	return q ? dec_expr(d, E_IF, NULL, 3, cond, p, q) : NULL;
}

/* Both ways make a value for the join and do nothing else: the value, and how many ways into the join it stands for. */
static struct expr *try_expression(struct dec *d, int k, struct run *r, struct expr *cond, const struct ctx *c,
				   int *ways)
{
	const struct block *b = &d->block[k];
	struct block *join = c->fall >= 0 ? &d->block[c->fall] : NULL;
	struct item **volatile entry;
	volatile int n_entry, nentered = d->nentered;
	struct temp *temps = d->temps;
	volatile int ntemps = d->ntemps;
	struct temp *next = d->jumps.next;
	struct expr *volatile e = NULL;
	jmp_buf trap, *before = d->trap;
	int left = TRIAL, i;

	if (!join || !looks_like_value(d, b->succ[0], c->fall, &left) ||
	    !looks_like_value(d, b->succ[1], c->fall, &left))
		return NULL;
	entry = join->entry;
	n_entry = join->n_entry;
	join->entry = NULL;
	d->trap = &trap;
	if (!setjmp(trap))
		e = as_expression(d, k, b, r, cond, c);
	d->trap = before;
	while (d->nentered > nentered)
		d->block[d->entered[--d->nentered]].entry = NULL;
	join->entry = entry;
	join->n_entry = n_entry;
	if (!e) {
		d->temps = temps;
		d->ntemps = ntemps;
		d->jumps.next = next;
		return NULL;
	}
	for (*ways = 0, i = 0; i < join->npred; i++)
		*ways += flow_dominates(d, k, join->pred[i]);
	return e;
}

/* later: the code of `one` comes after that of `two`, which a person wrote first then. */
static void write_if(struct dec *d, struct expr *test, struct body *one, struct body *two, bool later, int index,
		     struct body *out)
{
	struct stmt *s;

	if (!one->first && two->first) {
		test = dec_not(d, test);
		dec_body_add(one, two);
	}
	later = later && two->first && dec_body_leaves(one) == dec_body_leaves(two);
	/* what continues needs no `else` */
	if (later || (dec_body_leaves(two) && !dec_body_leaves(one))) {
		struct body *const swap = one;

		test = dec_not(d, test);
		one = two;
		two = swap;
	}
	s = dec_stmt(out, d, S_IF, NULL, test, index);
	dec_body_add(&s->body, one);
	if (dec_body_leaves(&s->body))
		dec_body_add(out, two);
	else
		dec_body_add(&s->other, two);
}

static void or_pop(struct dec *d, int k, struct run *r, struct item *it, const struct ctx *c, struct body *out)
{
	const struct block *b = &d->block[k];
	struct body one, two;
	struct expr *test;
	struct item **stack;

	run_push_item(r, it);
	run_settle(r, it);
	dec_body_add(out, &r->out);
	test = it->kind == I_LIST ? virtual_list_expr(r, it) : it->e;
	stack = r->stack;
	arm(d, b->succ[1], stack, r->n, c, k, &one);
	arm(d, b->succ[0], stack, r->n - 1, c, k, &two);
	if (!b->or_true)
		test = dec_not(d, test);
	write_if(d, test, &one, &two, false, r->index, out);
}

static void branch(struct dec *d, int k, struct run *r, const struct ctx *c, int own, struct body *out)
{
	const struct block *b = &d->block[k];
	struct item *it = run_pop(r);
	struct expr *cond, *e;
	struct body one, two;
	int ways, i;

	dec_deep();
	cond = item_expr(r, it);
	if (b->kind == B_COND || b->more)
		cond = condition(d, b, cond);
	if (b->kind == B_OR_POP && b->more)
		it = run_item(r, I_VALUE, cond, false);
	walrus_written(r, cond);
	r->index = d->ins[b->end - 1].index;
	e = it->kind == I_LIST ? NULL : try_expression(d, k, r, cond, c, &ways);
	if (e && own >= 0 && !d->block[own].entry && !d->block[own].loop && d->block[own].npred == ways) {
		run_push(r, e, false);
		dec_body_add(out, &r->out);
		/* the join begins with it on the stack, still waiting */
		d->block[own].entry = dec_alloc(d, (size_t)(r->n + 1) * sizeof(*r->stack));
		dec_copy(d->block[own].entry, r->stack, (size_t)r->n * sizeof(*r->stack));
		d->block[own].n_entry = r->n;
		if (d->nentered == d->entered_cap) {
			int *more = dec_alloc(d, (size_t)(d->entered_cap = 2 * d->entered_cap + 16) * sizeof(int));

			dec_copy(more, d->entered, (size_t)d->nentered * sizeof(int));
			d->entered = more;
		}
		d->entered[d->nentered++] = own;
		return;
	}
	if (e) {
		run_push(r, e, false);
		shape_leave(d, c->fall, r, c, out);
		return;
	}
	if (!it->pure) {
		bool later = false;

		for (i = 0; i < r->n; i++)
			later = later || (!r->stack[i]->pure && r->stack[i]->seq > it->seq);
		if (later) {
			if (b->more)
				dec_refuse(d, r->index,
					   "a condition that is computed before something else that waits");
			run_flush(r, &it, 1);
			cond = b->kind == B_COND ? condition(d, b, it->e) : it->e;
		}
	}
	if (b->kind == B_OR_POP) {
		or_pop(d, k, r, it, c, out);
		return;
	}
	run_flush(r, NULL, 0);
	dec_body_add(out, &r->out);
	if (b->yes == b->no) { /* both ways are the same: only the evaluation of the value matters */
		dec_stmt(out, d, S_IF, NULL, cond, r->index);
		arm(d, b->yes, r->stack, r->n, c, k, &one);
		dec_body_add(out, &one);
		return;
	}
	arm(d, b->yes, r->stack, r->n, c, k, &one);
	arm(d, b->no, r->stack, r->n, c, k, &two);
	write_if(d, cond, &one, &two, d->block[b->yes].first > d->block[b->no].first, r->index, out);
}

/* ---- blocks in a row ---------------------------------------------------------------------------- */

static void node(struct dec *d, int k, struct item *const *stack, int n, const struct ctx *c, int own, struct body *out)
{
	const struct block *b = &d->block[k];
	struct run r;

	dec_deep();
	run_init(&r, d, stack, n);
	run_code(&r, b->first, flow_body_end(b));
	switch (b->kind) {
	case B_END:
		dec_body_add(out, &r.out);
		break;
	case B_FALL:
		shape_go(d, b->succ[0], &r, c, k, out);
		break;
	case B_COND:
	case B_OR_POP:
		branch(d, k, &r, c, own, out);
		break;
	default:
		dec_refuse(d, r.index, "a loop within a loop's header");
	}
}

void shape_sequence(struct dec *d, int k, struct item *const *stack, int n, const struct ctx *c, struct body *out)
{
	const struct block *b = &d->block[k];
	int *merge = dec_alloc(d, (size_t)(b->nkid + 1) * sizeof(*merge)), m = 0, i, exc;
	struct ctx inner = *c, each;
	struct level *lv;

	dec_deep();
	for (i = 0; i < b->nkid; i++) { /* kids come in order */
		int x = b->kid[i];

		if (d->block[x].merge && !set_has(c->claimed, x) && !ctx_knows(c, x) &&
		    (!b->loop || set_has(b->loop, x)))
			merge[m++] = x;
	}
	inner.claimed = shape_claim(d, c->claimed, merge, m);
	if (m)
		inner.fall = merge[0];
	lv = dec_alloc(d, (size_t)(m + 1) * sizeof(*lv));
	exc = m ? level_handling(d, k, stack, n) : 0;
	for (i = m; i-- > 0;)
		level_open(&inner, &lv[i], merge[i], -1, exc);
	node(d, k, stack, n, &inner, m ? merge[0] : -1, out);
	for (i = 0; i < m; i++) {
		each = *c;
		each.claimed = shape_claim(d, c->claimed, merge + i + 1, m - i - 1);
		each.fall = i + 1 < m ? merge[i + 1] : c->fall;
		each.level = lv[i].out;
		level_follow(d, &lv[i], &each, out);
	}
}

void shape_tree(struct dec *d, int k, struct item *const *stack, int n, const struct ctx *c, struct body *out)
{
	const struct block *b = &d->block[k];

	dec_deep();
	/* the end of a with statement's body is covered by what is around it, and done by the statement itself; so may
	   be what cannot raise */
	bool left = c->cover >= 0 && b->handler >= 0 && flow_covered(d, c->cover, b->handler) &&
		    (with_ends(d, b) || !flow_may_raise(d, b));

	if (c->cover >= 0 && !with_ends(d, b) && !flow_covered(d, k, c->cover) && flow_may_raise(d, b))
		dec_refuse(d, d->ins[b->first].index, "a statement in a try statement that does not cover it");
	if (b->handler >= 0 && b->handler != c->cover && !left)
		shape_try(d, k, stack, n, c, out);
	else if (b->loop && c->cont != k)
		shape_loop(d, k, stack, n, c, out);
	else
		shape_sequence(d, k, stack, n, c, out);
}

void shape_code(struct dec *d, struct item *const *stack, int n, struct body *out)
{
	struct ctx c = { .fall = -1, .brk = -1, .cont = -1, .cover = -1 };

	c.claimed = set_new(d);
	d->nentered = 0;
	d->entered = NULL;
	d->entered_cap = 0;
	shape_tree(d, 0, stack, n, &c, out);
}
