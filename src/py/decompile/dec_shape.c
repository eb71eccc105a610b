/* SPDX-License-Identifier: BSD-3-Clause */
/* Statements from the flow graph, by its dominator tree: a block's own text, then the text of each join that it
   dominates; each falls into the next.  Gives up where a jump does not fit a statement of Python. */
#include <Python.h>
#include <stdlib.h>
#include <string.h>
#include "py/decompile/dec.h"

enum { WORK_MAX = 200000, SHORT = 12, TRIAL = 64 };

/* ---- joins --------------------------------------------------------------------------------------- */

const uint8_t *shape_claim(struct dec *d, const uint8_t *claimed, const int *blocks, int n)
{
	uint8_t *more = dec_alloc(d, (size_t)d->nblock + 1);
	int i;

	memcpy(more, claimed, (size_t)d->nblock);
	for (i = 0; i < n; i++)
		if (blocks[i] >= 0)
			more[blocks[i]] = 1;
	return more;
}

static bool keeps_kind(const struct item *i)
{
	switch (i->kind) {
	case I_NULL:
	case I_ITER:
	case I_EXC:
	case I_HELD:
	case I_EXIT:
	case I_ENTER:
	case I_CODE:
	case I_CELL:
	case I_CELLS: return true;
	default: return false;
	}
}

static void entry_make(struct dec *d, int k, struct run *r)
{
	struct block *b = &d->block[k];
	struct item *i;
	int j;

	b->entry = dec_alloc(d, (size_t)(r->n + 1) * sizeof(*b->entry));
	b->n_entry = r->n;
	for (j = 0; j < r->n; j++) {
		if (keeps_kind(r->stack[j])) {
			b->entry[j] = r->stack[j];
			continue;
		}
		i = run_item(r, I_VALUE, dec_temp_use(d, dec_temp(d)), true);
		b->entry[j] = i;
	}
	if (d->nentered == d->entered_cap) {
		int *more = dec_alloc(d, (size_t)(d->entered_cap = 2 * d->entered_cap + 16) * sizeof(int));

		memcpy(more, d->entered, (size_t)d->nentered * sizeof(int));
		d->entered = more;
	}
	d->entered[d->nentered++] = k;
}

static bool only_top_waits(const struct run *r)
{
	int i;

	for (i = 0; i < r->n - 1; i++)
		if (r->stack[i]->kind != I_HELD && (!r->stack[i]->pure || r->stack[i]->kind == I_LIST))
			return false;
	return r->n > 0 && r->stack[r->n - 1]->kind != I_LIST;
}

void shape_slots(struct dec *d, int k, struct run *r, struct body *out)
{
	struct block *b = &d->block[k];
	struct expr **target, **value;
	int n = 0, j;

	if (!only_top_waits(r))
		run_flush(r, NULL, 0);
	if (!b->entry)
		entry_make(d, k, r);
	if (b->n_entry != r->n)
		dec_refuse(d, r->index, "ways that meet with stacks of different depth");
	target = dec_alloc(d, (size_t)(r->n + 1) * sizeof(*target));
	value = dec_alloc(d, (size_t)(r->n + 1) * sizeof(*value));
	for (j = 0; j < r->n; j++) {
		struct item *want = b->entry[j], *is = r->stack[j];

		if (keeps_kind(want) || keeps_kind(is)) {
			if (want->kind != is->kind)
				dec_refuse(d, r->index, "ways that meet with different kinds of things on the stack");
			continue;
		}
		if (is->kind == I_VALUE && is->e->kind == E_TEMP && is->e->temp == want->e->temp)
			continue;
		target[n] = want->e;
		value[n++] = item_expr(r, is);
	}
	if (n == 1)
		run_stmt(r, S_ASSIGN, target[0], value[0]);
	else if (n)
		run_stmt(
			r, S_ASSIGN, dec_expr_n(d, E_TUPLE, NULL, target, n), dec_expr_n(d, E_TUPLE, NULL, value, n));
	dec_body_add(out, &r->out);
}

/* ---- jumps --------------------------------------------------------------------------------------- */

static void leave(struct dec *d, int k, struct run *r, const struct ctx *c, struct body *out)
{
	shape_slots(d, k, r, out);
	if (k != c->fall)
		dec_stmt(out, d, k == c->cont ? S_CONTINUE : S_BREAK, NULL, NULL, r->index);
}

bool ctx_knows(const struct ctx *c, int k)
{
	return k >= 0 && (k == c->fall || k == c->brk || k == c->cont);
}

void shape_go(struct dec *d, int k, struct run *r, const struct ctx *c, int from, struct body *out)
{
	const struct block *b = &d->block[k];

	if (++d->work > WORK_MAX)
		dec_refuse(d, r->index, "code with too many branches");
	if (ctx_knows(c, k)) {
		leave(d, k, r, c, out);
		return;
	}
	if (!b->merge && b->idom == from && !c->claimed[k]) {
		dec_body_add(out, &r->out);
		shape_tree(d, k, r->stack, r->n, c, out);
		return;
	}
	/* a short end is written again */
	if (b->end - b->first <= SHORT &&
		(b->kind == B_END || (b->kind == B_FALL && b->handler < 0 && ctx_knows(c, b->succ[0])))) {
		struct run again;

		run_flush(r, NULL, 0);
		dec_body_add(out, &r->out);
		run_init(&again, d, r->stack, r->n);
		run_code(&again, b->first, b->end);
		if (b->kind == B_END)
			dec_body_add(out, &again.out);
		else
			leave(d, b->succ[0], &again, c, out);
		return;
	}
	dec_refuse(d, d->ins[b->first].index, "a jump that fits no statement");
}

/* ---- conditions ---------------------------------------------------------------------------------- */

static struct expr *condition(struct dec *d, const struct block *b, struct expr *e)
{
	struct item one = { .kind = I_HELD, .pure = true }, *held[8];
	const struct more *m;
	enum jump_if how = (enum jump_if)d->ins[b->end - 1].arg;
	int i;

	if (how == IF_NONE || how == IF_NOT_NONE)
		e = dec_expr(d, E_COMPARE, how == IF_NONE ? "is" : "is not", 2, e, dec_none(d));
	for (i = 0; i < 8; i++)
		held[i] = &one;
	for (m = b->more; m; m = m->next) {
		struct block *mb = &d->block[m->block];
		struct run r;
		struct item *it;
		struct expr *right, **kid;
		const char *word = m->is_and ? "and" : "or";

		run_init(&r, d, held, 8);
		run_code(&r, mb->first, mb->end - 1);
		it = run_pop(&r);
		right = condition(d, mb, run_use(&r, &it, 1)[0]);
		if (m->negated)
			right = dec_not(d, right);
		if (e->kind == E_BOOL && !strcmp(e->text, word)) {
			kid = dec_alloc(d, (size_t)(e->n + 2) * sizeof(*kid));
			memcpy(kid, e->kid, (size_t)e->n * sizeof(*kid));
			kid[e->n] = right;
			e = dec_expr_n(d, E_BOOL, word, kid, e->n + 1);
		} else {
			e = dec_expr(d, E_BOOL, word, 2, e, right);
		}
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
	case D_POP_EXCEPT: return true;
	default: return false;
	}
}

/* May what lies between block k and the join `to` be one expression?  A quick look that spares trials. */
static bool looks_like_value(struct dec *d, int k, int to, int *left)
{
	const struct block *b = &d->block[k];
	int i;

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

	if (!s || s->next || s->kind != S_ASSIGN || s->target->kind != E_TEMP || !j->entry || !j->n_entry)
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

static struct expr *as_expression(
	struct dec *d, int k, const struct block *b, struct run *r, struct expr *cond, const struct ctx *c)
{
	struct ctx inner = { .fall = c->fall, .brk = -1, .cont = -1, .cover = c->cover };
	struct item **held = dec_alloc(d, (size_t)(r->n + 2) * sizeof(*held));
	const int keep[2] = { c->brk, c->cont };
	struct body one, two;
	struct expr *p, *q;
	int i;

	inner.claimed = shape_claim(d, c->claimed, keep, 2);
	for (i = 0; i < r->n; i++) {
		held[i] = r->stack[i];
		if (!keeps_kind(held[i])) {
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
		return dec_expr(d, E_BOOL, d->ins[b->end - 1].arg == IF_FALSE ? "and" : "or", 2, cond, p);
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
static struct expr *try_expression(
	struct dec *d, int k, struct run *r, struct expr *cond, const struct ctx *c, int *ways)
{
	const struct block *b = &d->block[k];
	struct block *join = c->fall >= 0 ? &d->block[c->fall] : NULL;
	struct item **volatile entry;
	volatile int n_entry, nentered = d->nentered;
	struct temp *temps = d->temps;
	volatile int ntemps = d->ntemps;
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
		return NULL;
	}
	for (*ways = 0, i = 0; i < join->npred; i++)
		*ways += flow_dominates(d, k, join->pred[i]);
	return e;
}

static bool ends(const struct body *b)
{
	const struct stmt *s;

	for (s = b->first; s && s->next; s = s->next)
		;
	return s && (s->kind == S_RETURN || s->kind == S_RAISE || s->kind == S_CONTINUE || s->kind == S_BREAK);
}

static void write_if(
	struct dec *d, struct expr *test, struct body *one, struct body *two, int index, struct body *out)
{
	struct stmt *s;

	if (!one->first && two->first) {
		test = dec_not(d, test);
		dec_body_add(one, two);
	}
	s = dec_stmt(out, d, S_IF, NULL, test, index);
	dec_body_add(&s->body, one);
	if (ends(&s->body))
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
	test = it->kind == I_LIST ? list_expr(r, it) : it->e;
	stack = r->stack;
	arm(d, b->succ[1], stack, r->n, c, k, &one);
	arm(d, b->succ[0], stack, r->n - 1, c, k, &two);
	if (d->ins[b->end - 1].arg == IF_FALSE)
		test = dec_not(d, test);
	write_if(d, test, &one, &two, r->index, out);
}

static void branch(struct dec *d, int k, struct run *r, const struct ctx *c, int own, struct body *out)
{
	const struct block *b = &d->block[k];
	struct item *it = run_pop(r);
	struct expr *cond, *e;
	struct body one, two;
	int ways, i;

	cond = item_expr(r, it);
	if (b->kind == B_COND)
		cond = condition(d, b, cond);
	r->index = d->ins[b->end - 1].index;
	e = it->kind == I_LIST ? NULL : try_expression(d, k, r, cond, c, &ways);
	if (e && own >= 0 && !d->block[own].entry && d->block[own].npred == ways) {
		run_push(r, e, false);
		dec_body_add(out, &r->out);
		/* the join begins with it on the stack, still waiting */
		d->block[own].entry = dec_alloc(d, (size_t)(r->n + 1) * sizeof(*r->stack));
		memcpy(d->block[own].entry, r->stack, (size_t)r->n * sizeof(*r->stack));
		d->block[own].n_entry = r->n;
		if (d->nentered == d->entered_cap) {
			int *more = dec_alloc(d, (size_t)(d->entered_cap = 2 * d->entered_cap + 16) * sizeof(int));

			memcpy(more, d->entered, (size_t)d->nentered * sizeof(int));
			d->entered = more;
		}
		d->entered[d->nentered++] = own;
		return;
	}
	if (e) {
		run_push(r, e, false);
		leave(d, c->fall, r, c, out);
		return;
	}
	if (!it->pure) {
		bool later = false;

		for (i = 0; i < r->n; i++)
			later = later || (!r->stack[i]->pure && r->stack[i]->seq > it->seq);
		if (later) {
			if (b->more)
				dec_refuse(
					d, r->index, "a condition that is computed before something else that waits");
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
	if (b->yes == b->no)
		dec_refuse(d, r->index, "a condition with one way out");
	arm(d, b->yes, r->stack, r->n, c, k, &one);
	arm(d, b->no, r->stack, r->n, c, k, &two);
	write_if(d, cond, &one, &two, r->index, out);
}

/* ---- blocks in a row ----------------------------------------------------------------------------- */

static void node(
	struct dec *d, int k, struct item *const *stack, int n, const struct ctx *c, int own, struct body *out)
{
	const struct block *b = &d->block[k];
	struct run r;

	run_init(&r, d, stack, n);
	run_code(&r, b->first, flow_body_end(b));
	switch (b->kind) {
	case B_END: dec_body_add(out, &r.out); break;
	case B_FALL: shape_go(d, b->succ[0], &r, c, k, out); break;
	case B_COND:
	case B_OR_POP: branch(d, k, &r, c, own, out); break;
	default: dec_refuse(d, r.index, "a loop within a loop's header");
	}
}

void shape_sequence(struct dec *d, int k, struct item *const *stack, int n, const struct ctx *c, struct body *out)
{
	const struct block *b = &d->block[k];
	int *merge = dec_alloc(d, (size_t)(b->nkid + 1) * sizeof(*merge)), m = 0, i;
	struct ctx inner = *c, each;

	for (i = 0; i < b->nkid; i++) { /* kids come in order */
		int x = b->kid[i];

		if (d->block[x].merge && !c->claimed[x] && !ctx_knows(c, x) && (!b->loop || b->loop[x]))
			merge[m++] = x;
	}
	inner.claimed = shape_claim(d, c->claimed, merge, m);
	if (m)
		inner.fall = merge[0];
	node(d, k, stack, n, &inner, m ? merge[0] : -1, out);
	for (i = 0; i < m; i++) {
		const struct block *j = &d->block[merge[i]];

		if (!j->entry)
			dec_refuse(d, d->ins[j->first].index, "a join that is not come to");
		each = *c;
		each.claimed = shape_claim(d, c->claimed, merge + i + 1, m - i - 1);
		each.fall = i + 1 < m ? merge[i + 1] : c->fall;
		shape_tree(d, merge[i], j->entry, j->n_entry, &each, out);
	}
}

void shape_tree(struct dec *d, int k, struct item *const *stack, int n, const struct ctx *c, struct body *out)
{
	const struct block *b = &d->block[k];

	/* the end of a with statement's body is covered by what is around it, and done by the statement itself */
	bool left =
		c->cover >= 0 && b->handler >= 0 && flow_covered(d, c->cover, b->handler) && shape_leaves_with(d, b);

	if (b->handler >= 0 && b->handler != c->cover && !left)
		shape_try(d, k, stack, n, c, out);
	else if (b->loop && c->cont != k)
		shape_loop(d, k, stack, n, c, out);
	else
		shape_sequence(d, k, stack, n, c, out);
}

void shape_code(struct dec *d, struct body *out)
{
	struct ctx c = { .fall = -1, .brk = -1, .cont = -1, .cover = -1 };

	c.claimed = dec_alloc(d, (size_t)d->nblock + 1);
	d->nentered = 0;
	d->entered = NULL;
	d->entered_cap = 0;
	shape_tree(d, 0, NULL, 0, &c, out);
}
