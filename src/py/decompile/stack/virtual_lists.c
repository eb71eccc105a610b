/* SPDX-License-Identifier: BSD-3-Clause */
/* Lists that are made and taken apart again within the code, as generated code does to pass a frame's values on: as
   long as nobody else has such a list, its items are known here and the text needs none of it. */
#include <Python.h>
#include <string.h>
#include "py/decompile/stack/run.h"

struct item *virtual_list_new(struct run *r, struct item **items, int n, bool tuple)
{
	struct item *i = run_item(r, I_LIST, NULL, true);

	i->list = dec_alloc(r->d, sizeof(*i->list));
	i->list->item = dec_alloc(r->d, (size_t)(n + 4) * sizeof(*i->list->item));
	dec_copy(i->list->item, items, (size_t)n * sizeof(*items));
	i->list->n = n;
	i->list->cap = n + 4;
	i->list->tuple = tuple;
	return i;
}

static int item_uses(const struct item *i, const struct virtual *v)
{
	int k, n = 0;

	dec_deep();
	if (i->kind != I_LIST)
		return 0;
	if (i->list == v)
		return 1;
	for (k = 0; k < i->list->n; k++)
		n += item_uses(i->list->item[k], v);
	return n;
}

static void give_name(struct item *i, const struct virtual *v, struct expr *name)
{
	int k;

	dec_deep();
	if (i->kind != I_LIST)
		return;
	if (i->list != v) {
		for (k = 0; k < i->list->n; k++)
			give_name(i->list->item[k], v, name);
		return;
	}
	i->kind = I_VALUE;
	i->list = NULL;
	i->e = name;
	i->pure = true;
}

static struct expr *display(struct run *r, struct virtual *v)
{
	struct expr **kid = dec_alloc(r->d, (size_t)(v->n + 1) * sizeof(*kid));
	int i;

	dec_deep();
	for (i = 0; i < v->n; i++)
		kid[i] = item_expr(r, v->item[i]);
	return dec_expr_n(r->d, v->tuple ? E_TUPLE : E_LIST, NULL, kid, v->n);
}

/* Lists that are found twice, the inner ones first. */
struct shared {
	struct virtual **list;
	int n, cap;
};

static void find_shared(struct run *r, const struct item *i, struct shared *found)
{
	struct virtual *v = i->kind == I_LIST ? i->list : NULL, **more;
	int k;

	dec_deep();
	if (v && v->look == r->d->made.looks) {
		v->uses++;
		return;
	}
	if (!v)
		return;
	v->look = r->d->made.looks;
	v->uses = 1;
	for (k = 0; k < v->n; k++)
		find_shared(r, v->item[k], found);
	if (v->tuple)
		return;
	if (found->n == found->cap) {
		more = dec_alloc(r->d, (size_t)(found->cap = 2 * found->cap + 8) * sizeof(*more));
		if (found->n)
			dec_copy(more, found->list, (size_t)found->n * sizeof(*more));
		found->list = more;
	}
	found->list[found->n++] = v;
}

void virtual_list_share(struct run *r, struct item **items, int n)
{
	struct shared found = { NULL, 0, 0 };
	struct temp *t;
	int i, k;

	r->d->made.looks++;
	for (k = 0; k < n; k++)
		find_shared(r, items[k], &found);
	for (i = 0; i < found.n; i++) {
		if (found.list[i]->uses < 2)
			continue;
		run_flush(r, items, n);
		t = dec_temp(r->d);
		run_stmt(r, S_ASSIGN, dec_temp_use(r->d, t), display(r, found.list[i]));
		for (k = 0; k < r->n; k++)
			give_name(r->stack[k], found.list[i], dec_temp_use(r->d, t));
		for (k = 0; k < n; k++)
			give_name(items[k], found.list[i], dec_temp_use(r->d, t));
	}
}

struct expr *virtual_list_expr(struct run *r, struct item *i)
{
	struct virtual *v = i->list;
	struct expr *e;
	struct temp *t;
	int k, others = 0;

	dec_deep();
	virtual_list_share(r, &i, 1);
	for (k = 0; k < r->n; k++)
		if (r->stack[k] != i)
			others += item_uses(r->stack[k], v);
	e = display(r, v);
	if (!others || v->tuple)
		return e;
	/* Somebody else has it, too: it is one and the same object. */
	run_flush(r, &i, 1);
	t = dec_temp(r->d);
	run_stmt(r, S_ASSIGN, dec_temp_use(r->d, t), display(r, v));
	for (k = 0; k < r->n; k++)
		give_name(r->stack[k], v, dec_temp_use(r->d, t));
	e = dec_temp_use(r->d, t);
	give_name(i, v, e);
	return e;
}

/* A constant number among the items: true, in *at. */
static bool constant_number(const struct item *key, int n, int *at)
{
	long i;

	if (key->kind != I_VALUE || key->e->kind != E_CONST || !PyLong_CheckExact(key->e->obj))
		return false;
	i = PyLong_AsLong(key->e->obj);
	if (i == -1 && PyErr_Occurred()) {
		PyErr_Clear();
		return false;
	}
	if (i < 0)
		i += n;
	if (i < 0 || i >= n)
		return false;
	*at = (int)i;
	return true;
}

static bool bound_of(const struct expr *e, int n, int absent, int *at)
{
	long i;

	if (!e || dec_is_none(e)) {
		*at = absent;
		return true;
	}
	if (e->kind != E_CONST || !PyLong_CheckExact(e->obj))
		return false;
	i = PyLong_AsLong(e->obj);
	if (i == -1 && PyErr_Occurred()) {
		PyErr_Clear();
		return false;
	}
	if (i < 0)
		i += n;
	*at = i < 0 ? 0 : i > n ? n : (int)i;
	return true;
}

/* A slice of constants, without a step. */
static bool constant_slice(const struct item *key, int n, int *from, int *to)
{
	if (key->kind != I_SLICE || (key->e->kid[2] && !dec_is_none(key->e->kid[2])))
		return false;
	if (!bound_of(key->e->kid[0], n, 0, from) || !bound_of(key->e->kid[1], n, n, to))
		return false;
	if (*to < *from)
		*to = *from;
	return true;
}

/* it gets out where it was made */
/* list[key] is pushed.  false: the list must be written out first. */
static struct item *virtual_list_display(struct run *r, struct item *i)
{
	struct item *out = run_item(r, I_VALUE, virtual_list_expr(r, i), true);
	int k;

	for (k = 0; k < i->list->n; k++)
		if (run_last(i->list->item[k]) > out->seq)
			out->seq = run_last(i->list->item[k]);
	out->pure = !out->seq;
	return out;
}

bool virtual_list_subscr(struct run *r, struct item *list, struct item *key)
{
	struct virtual *v = list->list;
	struct item *i, *copy;
	int from, to;

	if (constant_number(key, v->n, &from)) {
		i = v->item[from];
		run_settle(r, i);
		copy = dec_alloc(r->d, sizeof(*copy));
		*copy = *i;
		run_push_item(r, copy);
		return true;
	}
	if (!constant_slice(key, v->n, &from, &to))
		return false;
	run_settle(r, list);
	copy = virtual_list_new(r, v->item + from, to - from, v->tuple);
	for (to = 0; to < copy->list->n; to++) { /* entries of its own: one that gets a name may not give it to both */
		i = dec_alloc(r->d, sizeof(*i));
		*i = *copy->list->item[to];
		copy->list->item[to] = i;
	}
	run_push_item(r, copy);
	return true;
}

/* The items that an argument with a star, or the right side of a slice assignment, stands for; -1: not known. */
int virtual_list_elements(struct run *r, struct item *i, struct item ***out)
{
	int k;

	if (i->kind == I_LIST) {
		*out = i->list->item;
		return i->list->n;
	}
	if (i->kind != I_VALUE || i->e->kind != E_CONST || !PyTuple_CheckExact(i->e->obj))
		return -1;
	*out = dec_alloc(r->d, (size_t)(PyTuple_GET_SIZE(i->e->obj) + 1) * sizeof(**out));
	for (k = 0; k < PyTuple_GET_SIZE(i->e->obj); k++)
		(*out)[k] = run_item(r, I_VALUE, dec_const(r->d, PyTuple_GET_ITEM(i->e->obj, k)), true);
	return k;
}

/* Put copies of n items in place of some of a list's.  Appending takes no new array each time: a display of 100,000
   items is built one by one. */
static void splice(struct run *r, struct virtual *v, int from, int to, struct item **items, int n)
{
	int keep = v->n - to, i, cap = v->cap;
	struct item **new = v->item;

	if (from < v->n || from + n > v->cap) {
		cap = 2 * (from + n + keep) + 4;
		new = dec_alloc(r->d, (size_t)cap * sizeof(*new));
		dec_copy(new, v->item, (size_t)from * sizeof(*new));
	}
	for (i = 0; i < n; i++) {
		new[from + i] = dec_alloc(r->d, sizeof(**new));
		*new[from + i] = *items[i];
	}
	dec_copy(new + from + n, v->item + to, (size_t)keep * sizeof(*new));
	v->item = new;
	v->n = from + n + keep;
	v->cap = cap;
}

bool virtual_list_store(struct run *r, struct item *list, struct item *key, struct item *value)
{
	struct item **items;
	int from, to, n;

	if (list->list->tuple)
		return false;
	run_settle(r, value);
	run_settle(r, list);
	if (constant_number(key, list->list->n, &from)) {
		if (value->kind == I_LIST && value->list == list->list)
			return false;
		splice(r, list->list, from, from + 1, &value, 1);
		return true;
	}
	if (!constant_slice(key, list->list->n, &from, &to))
		return false;
	n = virtual_list_elements(r, value, &items);
	if (n < 0)
		return false;
	splice(r, list->list, from, to, items, n);
	return true;
}

bool virtual_list_delete(struct run *r, struct item *list, struct item *key)
{
	int from, to;

	if (list->list->tuple)
		return false;
	if (constant_number(key, list->list->n, &from))
		to = from + 1;
	else if (!constant_slice(key, list->list->n, &from, &to))
		return false;
	run_settle(r, list);
	splice(r, list->list, from, to, NULL, 0);
	return true;
}

bool virtual_list_extend(struct run *r, struct item *list, struct item *value)
{
	struct item **items;
	int n;

	if (list->list->tuple)
		return false;
	n = virtual_list_elements(r, value, &items);
	if (n < 0)
		return false;
	splice(r, list->list, list->list->n, list->list->n, items, n);
	return true;
}

static bool has_own_name(const struct item *i)
{
	return i->kind == I_VALUE && (i->e->kind == E_TEMP || i->e->kind == E_CONST || i->e->kind == E_BOUND);
}

/* [1:], [:]: the same slice wherever it is written */
static bool is_constant_slice(const struct item *i)
{
	int k;

	for (k = 0; i->kind == I_SLICE && k < 3; k++)
		if (i->e->kid[k] && i->e->kid[k]->kind != E_CONST)
			return false;
	return i->kind == I_SLICE;
}

static void give_temp(struct run *r, struct item *i)
{
	struct expr *e;
	struct temp *t;

	if (has_own_name(i) || is_constant_slice(i) || item_special(i) ||
	    (i->kind != I_LIST && i->kind != I_VALUE && i->kind != I_SLICE))
		return;
	e = item_expr(r, i);
	/* another entry is the same list: all of them have a name now */
	if (!i->list && i->kind == I_VALUE && e->kind == E_TEMP)
		return;
	t = dec_temp(r->d);
	run_stmt(r, S_ASSIGN, dec_temp_use(r->d, t), e);
	*i = *run_item(r, I_VALUE, dec_temp_use(r->d, t), true);
}

void virtual_list_name(struct run *r, int n)
{
	int k;

	run_flush(r, NULL, 0);
	for (k = 0; k < r->n; k++)
		if (k < n || r->stack[k]->kind != I_LIST)
			give_temp(r, r->stack[k]);
}

/* ---- lists over loops --------------------------------------------------------------------------- */

static void name_items(struct run *r, struct item *i)
{
	int k;

	dec_deep();
	if (i->kind != I_LIST) {
		give_temp(r, i);
		return;
	}
	for (k = 0; k < i->list->n; k++)
		name_items(r, i->list->item[k]);
}

/* Is each list in there once?  Then it is known by its items. */
static bool all_once(struct run *r)
{
	struct shared found = { NULL, 0, 0 };
	int k;

	r->d->made.looks++;
	for (k = 0; k < r->n; k++)
		find_shared(r, r->stack[k], &found);
	for (k = 0; k < found.n; k++)
		if (found.list[k]->uses > 1)
			return false;
	return true;
}

void virtual_list_loop(struct run *r)
{
	int k;

	run_flush(r, NULL, 0);
	if (!dec_follows_lists(r->d) || !all_once(r)) {
		virtual_list_name(r, r->n);
		return;
	}
	for (k = 0; k < r->n; k++)
		name_items(r, r->stack[k]);
}

bool virtual_list_same(const struct item *a, const struct item *b)
{
	int k;

	dec_deep();
	if (a->kind != b->kind)
		return false;
	if (a->kind != I_LIST)
		return (a->kind == I_VALUE || a->kind == I_SLICE) && dec_same(a->e, b->e);
	if (a->list->n != b->list->n || a->list->tuple != b->list->tuple)
		return false;
	for (k = 0; k < a->list->n; k++)
		if (!virtual_list_same(a->list->item[k], b->list->item[k]))
			return false;
	return true;
}

void virtual_list_tuple_items(struct run *r, struct item **items, int n)
{
	int i;

	virtual_list_share(r, items, n);
	for (i = 0; i < n; i++)
		if (items[i]->kind == I_LIST && items[i]->list->tuple)
			items[i] = virtual_list_display(r, items[i]);
}
