/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls and methods on the symbolic stack.  Knows no control flow. */
#include <Python.h>
#include <string.h>
#include "py/asm/asm_impl.h"
#include "py/decompile/stack/definitions.h"
#include "py/decompile/stack/run.h"

/* Temporaries that become arguments of a function known by name are called as it calls them. */
static void hint(struct run *r, const struct expr *f, struct expr **arg, int n)
{
	const struct dec_style *s = r->d->style;
	const char *name;
	int i;

	if (f->kind == E_CALL) /* a function made by this one: it is called right away */
		f = f->kid[0];
	name = f->kind == E_NAME ? PyUnicode_AsUTF8(f->obj) : NULL;

	PyErr_Clear();
	for (i = 0; name && s->argument && i < n; i++)
		if (arg[i]->kind == E_TEMP && !arg[i]->temp->hint)
			arg[i]->temp->hint = s->argument(s->arg, r->d->c, name, i);
}

/* items: the callable, then the arguments; the last arguments take these names (a tuple, or NULL). */
static void make_call(struct run *r, struct item **items, int n, PyObject *keys)
{
	struct expr **e = run_use(r, items, n);
	int nkeys = keys ? (int)PyTuple_GET_SIZE(keys) : 0, i;

	hint(r, e[0], e + 1, n - 1 - nkeys);
	for (i = 0; i < nkeys; i++)
		e[n - nkeys + i] = run_keyword(r, PyTuple_GET_ITEM(keys, i), e[n - nkeys + i]);
	run_push(r, dec_expr_n(r->d, E_CALL, NULL, e, n), false);
}

static void plain_call(struct run *r, int n, PyObject *keys)
{
	struct item **args, **pair, **items = dec_alloc(r->d, (size_t)(n + 3) * sizeof(*items));
	int k = 0;

	if (class_call(r, n, keys) || function_called(r, n, keys))
		return;
	args = run_pop_n(r, n);
	pair = run_pop_n(r, 2);
	if (keys && (!PyTuple_CheckExact(keys) || PyTuple_GET_SIZE(keys) > n))
		dec_refuse(r->d, r->index, "a call whose keywords are not known");
	if (pair[0]->kind == I_EXIT &&
	    n == 2 + (pair[1]->kind == I_EXIT)) { /* the end of a with statement's body: it does so by itself */
		run_push(r, dec_none(r->d), true);
		return;
	}
	if (comprehension_open(pair[0]) && n == 0 &&
	    (pair[1]->kind == I_ITERABLE || (py_iterator_slots > 1 && !item_special(pair[1])))) {
		struct expr *of = run_use(r, pair + 1, 1)[0];

		run_push(r, comprehension_close(r->d, pair[0]->e, pair[1]->kind == I_ITERABLE ? of->kid[1] : of),
			 false);
		return;
	}
	if (pair[0]->kind == I_NULL) {
		items[k++] = pair[1];
	} else {
		items[k++] = pair[0];
		if (pair[1]->kind != I_NULL)
			items[k++] = pair[1];
	}
	dec_copy(items + k, args, (size_t)n * sizeof(*items));
	make_call(r, items, k + n, keys);
}

static void keyword_call(struct run *r, int n)
{
	struct item *names = run_pop(r);

	if (names->kind != I_VALUE || names->e->kind != E_CONST || !PyTuple_CheckExact(names->e->obj))
		dec_refuse(r->d, r->index, "a call whose keywords are not known");
	plain_call(r, n, names->e->obj);
}

/* **kw of a display whose keys are strings is keywords. */
static struct expr **keywords(struct run *r, struct expr *kw, int *n)
{
	struct expr **out = dec_alloc(r->d, (size_t)(kw->n + 2) * sizeof(*out)), *key;
	int i;

	*n = 0;
	for (i = 0; kw->kind == E_DICT && i < kw->n; i += 2) {
		key = kw->kid[i];
		if (key && (key->kind != E_CONST || !PyUnicode_CheckExact(key->obj) || !dec_is_identifier(key->obj)))
			break;
	}
	if (kw->kind != E_DICT || i < kw->n) {
		out[(*n)++] = dec_expr(r->d, E_STAR_STAR, NULL, 1, kw);
		return out;
	}
	for (i = 0; i < kw->n; i += 2)
		out[(*n)++] = kw->kid[i] ? run_keyword(r, kw->kid[i]->obj, kw->kid[i + 1]) :
					   dec_expr(r->d, E_STAR_STAR, NULL, 1, kw->kid[i + 1]);
	return out;
}

static void call_ex(struct run *r, int flags)
{
	struct item *kw = flags & 3 ? run_pop(r) : NULL, *pos = run_pop(r), *f = run_pop(r), **items, **args;
	struct expr **e, **all, **more = NULL;
	int n, k = 0, nmore = 0, i;

	if (f->kind == I_NULL)
		f = run_pop(r);
	else if (r->n && run_top(r, 1)->kind == I_NULL)
		run_pop(r);
	if (kw && kw->kind == I_NULL)
		kw = NULL;
	n = virtual_list_elements(r, pos, &args);
	items = dec_alloc(r->d, (size_t)((n < 0 ? 0 : n) + 4) * sizeof(*items));
	items[k++] = f;
	if (n < 0)
		items[k++] = pos;
	for (i = 0; i < n; i++)
		items[k++] = args[i];
	if (kw)
		items[k++] = kw;
	e = run_use(r, items, k);
	if (kw)
		more = keywords(r, e[--k], &nmore);
	all = dec_alloc(r->d, (size_t)(k + nmore + 1) * sizeof(*all));
	dec_copy(all, e, (size_t)k * sizeof(*all));
	if (n < 0 && items_listed(r->d, &e[1], pos->pure)) {
		all = dec_alloc(r->d, (size_t)(1 + e[1]->n + nmore + 1) * sizeof(*all));
		all[0] = e[0];
		dec_copy(all + 1, e[1]->kid, (size_t)e[1]->n * sizeof(*all));
		k = 1 + e[1]->n;
	} else if (n < 0) {
		all[1] = dec_expr(r->d, E_STAR, NULL, 1, e[1]);
	}
	hint(r, all[0], all + 1, k - 1);
	for (i = 0; i < nmore; i++)
		all[k++] = more[i];
	run_push(r, dec_expr_n(r->d, E_CALL, NULL, all, k), false);
}

void call_op(struct run *r, const struct ins *in)
{
	struct expr *e;
	struct item *o;
	PyObject *keys = r->keys;

	switch (in->op) {
	case D_METHOD:
		o = run_pop(r);
		e = dec_expr(r->d, E_ATTR, NULL, 1, run_use(r, &o, 1)[0]);
		e->obj = in->obj;
		run_push(r, e, false);
		run_push_item(r, run_item(r, I_NULL, NULL, true));
		break;
	case D_CALL:
		r->keys = NULL;
		plain_call(r, in->arg, keys);
		break;
	case D_CALL_KW:
		keyword_call(r, in->arg);
		break;
	default:
		call_ex(r, in->arg);
	}
}
