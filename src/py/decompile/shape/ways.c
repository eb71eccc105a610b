/* SPDX-License-Identifier: BSD-3-Clause */
/* Where statements lead to: falling through, `break`, `continue`, and, where none of these reaches it, a variable that
   holds the next block and tests that skip the code in between.  Knows no statement but these. */
#include <Python.h>
#include <string.h>
#include "py/decompile/shape/shape.h"

enum { WORK_MAX = 200000, SHORT = 12 };

/* ---- joins -------------------------------------------------------------------------------------- */

const uint8_t *shape_claim(struct dec *d, const uint8_t *claimed, const int *blocks, int n)
{
	uint8_t *more;
	int i;

	if (!n || (n == 1 && blocks[0] < 0))
		return claimed;
	more = set_new(d);
	dec_copy(more, claimed, set_size(d));
	for (i = 0; i < n; i++)
		if (blocks[i] >= 0)
			set_add(more, blocks[i]);
	return more;
}

bool shape_keeps(const struct item *i)
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
	case I_CELLS:
	case I_CLASS:
		return true;
	default:
		return false;
	}
}

static bool is_caught(const struct item *i)
{
	return i->kind == I_VALUE && i->e->kind == E_TEMP && i->e->temp->caught;
}

/* One way leads to the block, and is written once: lists are followed on it. */
static bool has_one_way(const struct dec *d, const struct block *b)
{
	return dec_follows_lists(d) && b->npred == 1 && d->block[b->pred[0]].npred <= 1;
}

static bool is_settled(const struct item *i)
{
	if (i->kind != I_VALUE || !i->pure || is_caught(i))
		return i->kind == I_LIST;
	return i->e->kind == E_TEMP || i->e->kind == E_CONST || i->e->kind == E_BOUND;
}

static bool has_list(const struct run *r)
{
	int i;

	for (i = 0; i < r->n && r->stack[i]->kind != I_LIST; i++)
		;
	return i < r->n;
}

static void entry_make(struct dec *d, int k, struct run *r)
{
	struct block *b = &d->block[k];
	struct item *i;
	int j;

	b->entry = dec_alloc(d, (size_t)(r->n + 1) * sizeof(*b->entry));
	b->n_entry = r->n;
	b->passed = has_one_way(d, b) && has_list(r);
	for (j = 0; j < r->n; j++) {
		if (shape_keeps(r->stack[j]) || is_caught(r->stack[j]) || (b->passed && is_settled(r->stack[j]))) {
			b->entry[j] = r->stack[j];
			continue;
		}
		i = run_item(r, I_VALUE, dec_temp_use(d, dec_temp(d)), true);
		b->entry[j] = i;
	}
	if (d->nentered == d->entered_cap) {
		int *more = dec_alloc(d, (size_t)(d->entered_cap = 2 * d->entered_cap + 16) * sizeof(int));

		dec_copy(more, d->entered, (size_t)d->nentered * sizeof(int));
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
	return r->n > 0 && run_ordered(r->stack + r->n - 1, 1);
}

void shape_slots(struct dec *d, int k, struct run *r, struct body *out)
{
	struct block *b = &d->block[k];
	struct expr **target, **value;
	int n = 0, j;

	if (!only_top_waits(r) || (has_one_way(d, b) && has_list(r)))
		run_flush(r, NULL, 0);
	if (b->entry && b->passed)
		dec_refuse(d, r->index, "a second way to where one was expected");
	if (!b->entry)
		entry_make(d, k, r);
	if (b->n_entry != r->n)
		dec_refuse(d, r->index, "ways that meet with stacks of different depth");
	target = dec_alloc(d, (size_t)(r->n + 1) * sizeof(*target));
	value = dec_alloc(d, (size_t)(r->n + 1) * sizeof(*value));
	for (j = 0; j < r->n; j++) {
		struct item *want = b->entry[j], *is = r->stack[j];

		if (want == is)
			continue;
		if (shape_keeps(want) || shape_keeps(is)) {
			if (want->kind != is->kind)
				dec_refuse(d, r->index, "ways that meet with different kinds of things on the stack");
			continue;
		}
		if (virtual_list_same(is, want))
			continue;
		if (want->kind != I_VALUE || want->e->kind != E_TEMP || is_caught(want))
			dec_refuse(d, r->index, "ways that meet with different values on the stack");
		target[n] = want->e;
		value[n++] = item_expr(r, is);
	}
	if (n == 1)
		run_stmt(r, S_ASSIGN, target[0], value[0]);
	else if (n)
		run_stmt(r, S_ASSIGN, dec_expr_n(d, E_TUPLE, NULL, target, n), dec_expr_n(d, E_TUPLE, NULL, value, n));
	dec_body_add(out, &r->out);
}

/* ---- jumps -------------------------------------------------------------------------------------- */

void shape_leave(struct dec *d, int k, struct run *r, const struct ctx *c, struct body *out)
{
	shape_slots(d, k, r, out);
	if (k != c->fall)
		dec_stmt(out, d, k == c->cont ? S_CONTINUE : S_BREAK, NULL, NULL, r->index);
}

bool ctx_knows(const struct ctx *c, int k)
{
	return k >= 0 && (k == c->fall || k == c->brk || k == c->cont);
}

/* ---- jumps over code in between ----------------------------------------------------------------- */

static struct expr *next_variable(struct dec *d)
{
	if (!d->jumps.next) {
		d->jumps.next = dec_temp(d);
		d->jumps.next->jumps = true;
	}
	return dec_temp_use(d, d->jumps.next);
}

static struct expr *number_expr(struct dec *d, int n)
{
	PyObject *v = PyLong_FromLong(n);
	struct expr *e = dec_const(d, v ? v : Py_None);

	if (v && PyList_Append(d->bound, v) < 0)
		PyErr_Clear();
	Py_XDECREF(v); /* d->bound has it */
	return e;
}

void level_open(struct ctx *c, struct level *lv, int after, int header, int exc)
{
	*lv = (struct level){ .out = c->level, .after = after, .header = header, .exc = exc };
	c->level = lv;
}

static int handling(struct item *const *stack, int n)
{
	int i, k = 0;

	for (i = 0; i < n; i++)
		k += stack[i]->kind == I_EXC;
	return k;
}

int level_handling(struct dec *d, int k, struct item *const *stack, int n)
{
	int i, more = 0;

	for (i = d->block[k].first; i < d->block[k].end; i++)
		more += d->ins[i].op == D_PUSH_EXC;
	return handling(stack, n) + more;
}

static void crosses(struct dec *d, struct level *loop, int k)
{
	int i;

	for (i = 0; i < loop->ncross; i++)
		if (loop->cross[i] == k)
			return;
	if (loop->ncross == LEVEL_CROSS)
		dec_refuse(d, d->ins[d->block[k].first].index, "a loop that is left to many places");
	loop->cross[loop->ncross++] = k;
}

bool level_knows(const struct ctx *c, int k)
{
	const struct level *lv;

	for (lv = c->level; lv; lv = lv->out)
		if (k >= 0 && (lv->after == k || lv->header == k))
			return true;
	return false;
}

static bool jump_far(struct dec *d, int k, struct run *r, const struct ctx *c, struct body *out)
{
	struct level *in, *loop = NULL, *to;

	for (to = c->level; to && to->after != k && to->header != k; to = to->out)
		;
	if (!to)
		return false;
	shape_slots(d, k, r, out);
	dec_stmt(out, d, S_ASSIGN, next_variable(d), number_expr(d, k + 1), r->index);
	for (in = c->level; in != to; in = in->out) {
		if (in->header < 0) {
			in->guard = true;
			continue;
		}
		if (!loop)
			dec_stmt(out, d, S_BREAK, NULL, NULL, r->index);
		else
			crosses(d, loop, k);
		loop = in;
	}
	to->target = true;
	return true;
}

static struct expr *is_next(struct dec *d, int k)
{
	d->jumps.ntests++;
	return dec_expr(d, E_COMPARE, "==", 2, next_variable(d), number_expr(d, k + 1));
}

/* What follows a level's text: after a loop, first of all the jumps that leave the loop around it, too. */
void level_leave(struct dec *d, const struct level *loop, struct body *out)
{
	struct stmt *s;
	int i;

	for (i = 0; i < loop->ncross; i++) {
		s = dec_stmt(out, d, S_IF, NULL, is_next(d, loop->cross[i]), -1);
		dec_stmt(&s->body, d, S_BREAK, NULL, NULL, -1);
	}
}

void level_close(struct dec *d, const struct level *lv, struct body *text, struct body *out)
{
	struct expr *zero, *test;
	struct body b;
	struct stmt *s;

	dec_body_init(&b);
	if (lv->target)
		dec_stmt(&b, d, S_ASSIGN, next_variable(d), number_expr(d, 0), -1);
	dec_body_add(&b, text);
	if (!lv->guard) {
		dec_body_add(out, &b);
		return;
	}
	zero = is_next(d, -1);
	test = lv->target ? dec_expr(d, E_BOOL, "or", 2, zero, is_next(d, lv->after)) : zero;
	if (!b.first)
		return;
	s = dec_stmt(out, d, S_IF, NULL, test, -1);
	dec_body_add(&s->body, &b);
}

bool shape_turned(struct dec *d)
{
	return d->jumps.ndecisions < 64 && d->jumps.turned >> d->jumps.ndecisions++ & 1;
}

/* The variable is not needed where nothing tests it: all that it would skip is skipped anyway. */
static void drop_jumps(struct body *b, const struct temp *next)
{
	struct stmt **at = &b->first, *s;

	dec_deep();
	while ((s = *at)) {
		if (s->kind == S_ASSIGN && s->target->kind == E_TEMP && s->target->temp == next) {
			*at = s->next;
			continue;
		}
		drop_jumps(&s->body, next);
		drop_jumps(&s->other, next);
		drop_jumps(&s->last, next);
		at = &s->next;
	}
	b->end = at;
}

/* A function's body: nothing has jumped yet. */
void shape_begin(struct dec *d, struct body *f)
{
	struct body b;

	if (!d->jumps.next)
		return;
	if (!d->jumps.ntests) {
		drop_jumps(f, d->jumps.next);
		return;
	}
	dec_body_init(&b);
	dec_stmt(&b, d, S_ASSIGN, next_variable(d), number_expr(d, 0), -1);
	dec_body_add(&b, f);
	dec_body_add(f, &b);
}

/* The body of a loop that something inside another one continues: its end, as the loop may be over then. */
void level_again(struct dec *d, const struct level *lv, struct body *loop)
{
	if (lv->target)
		dec_stmt(loop, d, S_ASSIGN, next_variable(d), number_expr(d, 0), -1);
}

/* The block that follows, and all that it leads to. */
void level_follow(struct dec *d, const struct level *lv, const struct ctx *c, struct body *out)
{
	struct block *b = &d->block[lv->after];
	struct body text;

	dec_deep();
	if (!b->entry) /* what leads there has written it again */
		return;
	if (handling(b->entry, b->n_entry) > lv->exc)
		dec_refuse(d, d->ins[b->first].index, "a handler that continues after its statement");
	dec_body_init(&text);
	shape_tree(d, lv->after, b->entry, b->n_entry, c, &text);
	level_close(d, lv, &text, out);
}

static bool has_op(struct dec *d, const struct block *b, enum dop op)
{
	int i;

	for (i = b->first; i < b->end && d->ins[i].op != op; i++)
		;
	return i < b->end;
}

/* Variables change in it, and a with statement around here does not cover it: its __exit__() comes first. */
static bool after_with(struct dec *d, int k, const struct ctx *c)
{
	const struct block *b = &d->block[k];
	int h, most = d->nblock;

	if (c->cover < 0 || (!has_op(d, b, D_STORE_FAST) && !has_op(d, b, D_DELETE_FAST)))
		return false;
	for (h = c->cover; h >= 0 && most--; h = d->block[h].handler)
		if (has_op(d, &d->block[h], D_WITH_EXCEPT) && !flow_covered(d, k, h))
			return true;
	return false;
}

void shape_go(struct dec *d, int k, struct run *r, const struct ctx *c, int from, struct body *out)
{
	const struct block *b = &d->block[k];
	bool behind;

	dec_deep();
	if (++d->work > WORK_MAX)
		dec_refuse(d, r->index, "code with too many branches");
	if (ctx_knows(c, k)) {
		shape_leave(d, k, r, c, out);
		return;
	}
	/* no statement says that a finally clause ends */
	if (d->ins[b->first].op == D_RERAISE && d->ins[b->first].target >= 0) {
		if (!jump_far(d, k, r, c, out))
			dec_refuse(d, d->ins[b->first].index, "a jump to the end of a finally clause");
		return;
	}
	/* what follows a clause does not belong into it: what it raises would get a context */
	behind = (b->exc < c->exc && (flow_may_raise(d, b) || finally_copies_opens(d, k, c->cover)) &&
		  !with_ends_around(d, k, c->cover)) ||
		 after_with(d, k, c) || finally_copies_before(d, k, c->cover);
	if (!behind && !b->merge && b->idom == from && !set_has(c->claimed, k)) {
		dec_body_add(out, &r->out);
		shape_tree(d, k, r->stack, r->n, c, out);
		return;
	}
	/* a short end is written again */
	if (b->end - b->first <= SHORT && !behind && (b->handler == c->cover || !flow_may_raise(d, b)) &&
	    (b->kind == B_END || (b->kind == B_FALL && b->handler < 0 && ctx_knows(c, b->succ[0])))) {
		struct run again;

		run_flush(r, NULL, 0);
		dec_body_add(out, &r->out);
		run_init(&again, d, r->stack, r->n);
		run_code(&again, b->first, b->end);
		if (b->kind == B_END)
			dec_body_add(out, &again.out);
		else
			shape_leave(d, b->succ[0], &again, c, out);
		return;
	}
	if (!jump_far(d, k, r, c, out))
		dec_refuse(d, d->ins[b->first].index, "a jump that fits no statement");
}
