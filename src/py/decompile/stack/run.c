/* SPDX-License-Identifier: BSD-3-Clause */
/* The symbolic value stack: when an expression may wait there, and when it must be written before something else is
   evaluated.  Knows no instructions. */
#include <Python.h>
#include <stdlib.h>
#include <string.h>
#include "py/decompile/stack/definitions.h"
#include "py/decompile/stack/run.h"

static struct virtual *virtual_copy(struct dec *d, struct virtual *v);

static struct item *item_copy(struct dec *d, const struct item *i)
{
	struct item *copy = dec_alloc(d, sizeof(*copy));

	*copy = *i;
	if (i->list)
		copy->list = virtual_copy(d, i->list);
	return copy;
}

/* Lists stay one and the same where several entries are it: the caller clears `copy` before. */
static struct virtual *virtual_copy(struct dec *d, struct virtual *v)
{
	struct virtual *n;
	int i;

	dec_deep();
	if (v->copy)
		return v->copy;
	n = v->copy = dec_alloc(d, sizeof(*n));
	n->n = n->cap = v->n;
	n->tuple = v->tuple;
	n->item = dec_alloc(d, (size_t)(v->n + 1) * sizeof(*n->item));
	for (i = 0; i < v->n; i++)
		n->item[i] = item_copy(d, v->item[i]);
	return n;
}

static void virtual_clear(struct virtual *v)
{
	int i;

	dec_deep();
	if (!v || !v->copy)
		return;
	v->copy = NULL;
	for (i = 0; i < v->n; i++)
		virtual_clear(v->item[i]->list);
}

/* Each way through the code has a stack of its own: what one does to an entry is not seen by another. */
void run_init(struct run *r, struct dec *d, struct item *const *stack, int n)
{
	int i;

	*r = (struct run){ .d = d, .index = -1, .seq = 1 };
	dec_body_init(&r->out);
	r->cap = n + 16;
	r->stack = dec_alloc(d, (size_t)r->cap * sizeof(*r->stack));
	for (i = 0; i < n; i++) {
		r->stack[i] = stack[i]->kind == I_HELD ? stack[i] : item_copy(d, stack[i]);
		if (stack[i]->seq > r->seq)
			r->seq = stack[i]->seq;
	}
	for (i = 0; i < n; i++)
		virtual_clear(stack[i]->list);
	r->n = n;
}

void run_push_item(struct run *r, struct item *i)
{
	if (r->n == r->cap) {
		struct item **more = dec_alloc(r->d, (size_t)r->cap * 2 * sizeof(*more));

		dec_copy(more, r->stack, (size_t)r->n * sizeof(*more));
		r->stack = more;
		r->cap *= 2;
	}
	r->stack[r->n++] = i;
}

struct item *run_item(struct run *r, enum ikind kind, struct expr *e, bool pure)
{
	struct item *i = dec_alloc(r->d, sizeof(*i));

	i->kind = kind;
	i->e = e;
	i->pure = pure;
	i->end = r->index;
	i->seq = pure ? 0 : ++r->seq;
	if (e && e->index < 0)
		e->index = r->index;
	return i;
}

void run_push(struct run *r, struct expr *e, bool pure)
{
	run_push_item(r, run_item(r, I_VALUE, e, pure));
}

struct item *run_pop(struct run *r)
{
	if (!r->n)
		dec_refuse(r->d, r->index, "the value stack is empty");
	return r->stack[--r->n];
}

struct item **run_pop_n(struct run *r, int n)
{
	struct item **items = dec_alloc(r->d, (size_t)(n + 1) * sizeof(*items));

	if (n > r->n || n < 0)
		dec_refuse(r->d, r->index, "the value stack is empty");
	r->n -= n;
	dec_copy(items, r->stack + r->n, (size_t)n * sizeof(*items));
	return items;
}

struct item *run_top(struct run *r, int k)
{
	if (k < 1 || k > r->n)
		dec_refuse(r->d, r->index, "the value stack is empty");
	return r->stack[r->n - k];
}

bool item_special(const struct item *i)
{
	switch (i->kind) {
	case I_VALUE:
	case I_LIST:
	case I_SLICE:
	case I_ITERABLE:
	case I_AWAIT:
	case I_CELL:
	case I_CELLS:
	case I_CODE:
		return false;
	default:
		return true;
	}
}

/* ---- evaluating what waits ---------------------------------------------------------------------- */

struct pending {
	struct item **item;
	int n, cap;
};

static void pending_add(struct run *r, struct pending *p, struct item *i)
{
	int k;

	dec_deep();
	if (i->kind == I_LIST) {
		for (k = 0; k < i->list->n; k++)
			pending_add(r, p, i->list->item[k]);
		return;
	}
	if (i->pure || i->kind == I_HELD)
		return;
	for (k = 0; k < p->n; k++)
		if (p->item[k] == i)
			return;
	if (p->n == p->cap) {
		struct item **more = dec_alloc(r->d, (size_t)(p->cap = 2 * p->cap + 8) * sizeof(*more));

		if (p->n)
			dec_copy(more, p->item, (size_t)p->n * sizeof(*more));
		p->item = more;
	}
	p->item[p->n++] = i;
}

static int by_seq(const void *a, const void *b)
{
	return (*(struct item *const *)a)->seq - (*(struct item *const *)b)->seq;
}

static void spill(struct run *r, struct item *i)
{
	struct temp *t;
	struct stmt *s;

	dec_deep();
	if (item_special(i) || (i->kind == I_VALUE && expr_has_unpacked(i->e)))
		dec_refuse(r->d, r->index, "a value that cannot be named waits on the stack");
	if (walrus_spill(r, i))
		return;
	i->e = item_expr(r, i);
	t = dec_temp(r->d);
	s = dec_stmt(&r->out, r->d, S_ASSIGN, dec_temp_use(r->d, t), i->e, r->index);
	s->from = i->e->index >= 0 ? i->e->index : r->index;
	if (i->end >= s->from && i->end < s->to)
		s->to = i->end;
	i->e = dec_temp_use(r->d, t);
	i->e->index = s->from;
	i->pure = true;
	i->seq = 0;
	i->kind = I_VALUE;
	i->data = NULL;
}

void run_flush(struct run *r, struct item **extra, int n)
{
	struct pending p = { NULL, 0, 0 };
	int i;

	dec_deep();
	for (i = 0; i < r->n; i++)
		pending_add(r, &p, r->stack[i]);
	for (i = 0; i < n; i++)
		pending_add(r, &p, extra[i]);
	if (p.n > 1)
		qsort(p.item, (size_t)p.n, sizeof(*p.item), by_seq);
	for (i = 0; i < p.n; i++)
		spill(r, p.item[i]);
}

/* Number of the first and the last evaluation in this entry that can be observed; none: 0. */
static void span(const struct item *i, int *first, int *last)
{
	int k, f, l;

	dec_deep();
	*first = *last = 0;
	if (i->kind != I_LIST) {
		*first = *last = i->pure ? 0 : i->seq;
		return;
	}
	for (k = 0; k < i->list->n; k++) {
		span(i->list->item[k], &f, &l);
		if (f && !*first)
			*first = f;
		if (l > *last)
			*last = l;
	}
}

int run_last(const struct item *i)
{
	int first, last;

	span(i, &first, &last);
	return last;
}

bool run_ordered(struct item **items, int n)
{
	int i, first, last, before = 0;

	for (i = 0; i < n; i++) {
		span(items[i], &first, &last);
		if (first && first <= before)
			return false;
		if (last)
			before = last;
	}
	return true;
}

struct expr *item_expr(struct run *r, struct item *i)
{
	struct dec *d = r->d;

	if (item_special(i))
		dec_refuse(d, r->index, "an entry of the value stack that is not a value is used as one");
	if (i->kind == I_LIST)
		return virtual_list_expr(r, i);
	return i->kind == I_SLICE ? expr_slice_call(d, i->e) : i->e;
}

static struct expr **expressions(struct run *r, struct item **items, int n)
{
	struct expr **e = dec_alloc(r->d, (size_t)(n + 1) * sizeof(*e));
	int i;

	virtual_list_share(r, items, n);
	for (i = 0; i < n; i++)
		e[i] = item_expr(r, items[i]);
	return e;
}

struct expr **run_use(struct run *r, struct item **items, int n)
{
	if (!run_ordered(items, n))
		run_flush(r, items, n);
	return expressions(r, items, n);
}

/* Push an expression of these operands: it is evaluated where the last of them is. */
void run_push_of(struct run *r, enum ekind kind, const char *text, struct item **items, int n)
{
	struct expr **e = run_use(r, items, n);

	run_push(r, dec_expr_n(r->d, kind, text, e, n), false);
}

struct expr **run_before(struct run *r, struct item **items, int n)
{
	int i, first, last, rest = 0, begin = 0;
	bool ordered = run_ordered(items, n);

	for (i = 0; i < r->n; i++) {
		span(r->stack[i], &first, &last);
		rest = last > rest ? last : rest;
	}
	for (i = 0; i < n && !begin; i++)
		span(items[i], &begin, &last);
	if (!ordered || (begin && rest > begin))
		run_flush(r, items, n);
	else
		run_flush(r, NULL, 0);
	return expressions(r, items, n);
}

struct stmt *run_stmt(struct run *r, enum skind kind, struct expr *target, struct expr *value)
{
	return dec_stmt(&r->out, r->d, kind, target, value, r->index);
}

static void written(struct run *r, struct item *i, PyObject *name)
{
	int k;

	dec_deep();
	if (i->kind == I_LIST) {
		for (k = 0; k < i->list->n; k++)
			written(r, i->list->item[k], name);
		return;
	}
	if (i->pure && i->e && dec_reads(i->e, name))
		spill(r, i);
}

void run_written(struct run *r, PyObject *name)
{
	int i;

	for (i = 0; i < r->n; i++)
		written(r, r->stack[i], name);
}

void run_settle(struct run *r, struct item *i)
{
	int first, last;

	span(i, &first, &last);
	if (last)
		run_flush(r, &i, 1);
}

bool item_has_temp(const struct item *i)
{
	return i && i->e && dec_has_temp(i->e);
}
