/* SPDX-License-Identifier: BSD-3-Clause */
/* What instructions that read and write attributes and items, and operators, do to the symbolic stack.  Knows neither
   variables nor control flow. */
#include <Python.h>
#include <string.h>
#include "py/decompile/stack/run.h"

struct expr *run_attribute(struct run *r, struct expr *of, PyObject *name)
{
	struct expr *e = dec_expr(r->d, E_ATTR, NULL, 1, of);

	e->obj = name;
	return e;
}

static void load_attr(struct run *r, const struct ins *in)
{
	struct item *o = run_pop(r);

	run_push(r, run_attribute(r, run_use(r, &o, 1)[0], in->obj), false);
}

static void store_attr(struct run *r, const struct ins *in)
{
	struct item *o = run_pop(r), *v = run_pop(r), *both[2] = { v, o };
	struct expr **e = run_before(r, both, 2);

	run_stmt(r, S_ASSIGN, run_attribute(r, e[1], in->obj), e[0]);
}

/* super().name is super(__class__, self).name, which nobody needs to read. */
static void load_super(struct run *r, const struct ins *in)
{
	struct item **three = run_pop_n(r, 3);
	struct expr **e = run_use(r, three, 3), *call;
	PyObject *names = ((PyCodeObject *)r->d->c->co)->co_localsplusnames;
	bool plain = !(in->arg & 2) && e[1]->kind == E_NAME && e[2]->kind == E_NAME && e[0]->kind == E_NAME &&
		     ((PyCodeObject *)r->d->c->co)->co_argcount > 0 &&
		     !PyUnicode_CompareWithASCIIString(e[1]->obj, "__class__") &&
		     !PyUnicode_Compare(e[2]->obj, PyTuple_GET_ITEM(names, 0));

	call = dec_expr_n(r->d, E_CALL, NULL, e, plain ? 1 : 3);
	run_push(r, run_attribute(r, call, in->obj), false);
	if (in->arg & 1)
		run_push_item(r, run_item(r, I_NULL, NULL, true));
}

static struct expr *subscript(struct run *r, struct expr *of, struct item *key, struct expr *k)
{
	return dec_expr(r->d, E_SUBSCR, NULL, 2, of, key->kind == I_SLICE ? key->e : k);
}

static void subscr(struct run *r)
{
	struct item **two = run_pop_n(r, 2);
	struct expr **e;

	if (two[0]->kind == I_LIST && virtual_list_subscr(r, two[0], two[1]))
		return;
	e = run_use(r, two, 2);
	run_push(r, subscript(r, e[0], two[1], e[1]), false);
}

static void store_subscr(struct run *r, struct item *v, struct item *o, struct item *key)
{
	struct item *three[3] = { v, o, key };
	struct expr **e;

	if (o->kind == I_LIST && virtual_list_store(r, o, key, v))
		return;
	e = run_before(r, three, 3);
	run_stmt(r, S_ASSIGN, subscript(r, e[1], key, e[2]), e[0]);
}

static void delete_subscr(struct run *r)
{
	struct item **two = run_pop_n(r, 2);
	struct expr **e;

	if (two[0]->kind == I_LIST && virtual_list_delete(r, two[0], two[1]))
		return;
	e = run_before(r, two, 2);
	run_stmt(r, S_DELETE, subscript(r, e[0], two[1], e[1]), NULL);
}

static struct item *make_slice(struct run *r, struct item **part, int n)
{
	struct expr **e = run_use(r, part, n), *kid[3] = { NULL, NULL, NULL };
	bool pure = true;
	int i;

	for (i = 0; i < n; i++) {
		kid[i] = dec_is_none(e[i]) ? NULL : e[i];
		pure = pure && part[i]->pure && part[i]->kind != I_LIST;
	}
	return run_item(r, I_SLICE, dec_expr_n(r->d, E_SLICE, NULL, kid, 3), pure);
}

/* The comparison before it waits on the stack, in the place of the value that is compared again. */
static void chained_compare(struct run *r, const struct ins *in)
{
	struct item **two = run_pop_n(r, 2);

	if (two[0]->kind != I_VALUE || (two[0]->e->kind != E_COMPARE && two[0]->e->kind != E_CHAIN) ||
	    !run_ordered(two, 2))
		dec_refuse(r->d, r->index, "a chained comparison with something in between");
	run_push_of(r, E_CHAIN, in->text, two, 2);
}

/* In place: `a += b` where the result is stored to a again, else a temporary takes it. */
static void inplace(struct run *r, const struct ins *in)
{
	struct item **two = run_pop_n(r, 2);
	struct expr **e, *left;
	bool same;

	e = run_before(r, two, 2);
	left = e[0];
	same = left->kind == E_NAME && in + 1 < r->d->ins + r->end && in[1].obj == left->obj &&
	       (in[1].op == D_STORE_FAST || in[1].op == D_STORE_DEREF || in[1].op == D_STORE_GLOBAL ||
		in[1].op == D_STORE_NAME);
	if (same) {
		if (in[1].op == D_STORE_FAST)
			run_written(r, left->obj);
		run_note_store(r, in + 1);
		r->skip = 1;
	} else {
		struct temp *t = dec_temp(r->d);

		run_stmt(r, S_ASSIGN, dec_temp_use(r->d, t), left);
		left = dec_temp_use(r->d, t);
	}
	run_stmt(r, S_AUG, left, e[1])->text = in->text;
	if (!same)
		run_push(r, left, true);
}

/* ---- all of them -------------------------------------------------------------------------------- */

void run_item_op(struct run *r, const struct ins *in)
{
	struct item **items;

	switch (in->op) {
	case D_SUBSCR:
		subscr(r);
		break;
	case D_STORE_SUBSCR:
		items = run_pop_n(r, 3);
		store_subscr(r, items[0], items[1], items[2]);
		break;
	case D_DELETE_SUBSCR:
		delete_subscr(r);
		break;
	case D_BUILD_SLICE:
		run_push_item(r, make_slice(r, run_pop_n(r, in->arg), in->arg));
		break;
	case D_BINARY_SLICE:
		run_push_item(r, make_slice(r, run_pop_n(r, 2), 2));
		subscr(r);
		break;
	case D_STORE_SLICE:
		items = run_pop_n(r, 4);
		store_subscr(r, items[0], items[1], make_slice(r, items + 2, 2));
		break;
	case D_ATTR:
		load_attr(r, in);
		break;
	case D_STORE_ATTR:
		store_attr(r, in);
		break;
	case D_DELETE_ATTR: {
		struct item *o = run_pop(r);

		run_stmt(r, S_DELETE, run_attribute(r, run_before(r, &o, 1)[0], in->obj), NULL);
		break;
	}
	case D_BINARY:
		run_push_of(r, E_BINARY, in->text, run_pop_n(r, 2), 2);
		break;
	case D_COMPARE:
		run_push_of(r, E_COMPARE, in->text, run_pop_n(r, 2), 2);
		break;
	case D_CHAIN:
		chained_compare(r, in);
		break;
	case D_UNARY:
		run_push_of(r, E_UNARY, in->text, run_pop_n(r, 1), 1);
		break;
	case D_INPLACE:
		inplace(r, in);
		break;
	case D_SUPER:
		load_super(r, in);
		break;
	default:
		run_container(r, in);
	}
}
