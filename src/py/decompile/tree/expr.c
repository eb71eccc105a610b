/* SPDX-License-Identifier: BSD-3-Clause */
/* Questions about expressions and statements, and small changes of them, that need no stack; slices: between brackets
   they have colons, elsewhere they are calls of slice().  Does not depend on instructions. */
#include <Python.h>
#include <string.h>
#include "py/decompile/tree/dec.h"

/* ---- what the compiler puts into each body ------------------------------------------------------ */

bool stmt_stores(const struct stmt *s, const char *name)
{
	return s && s->kind == S_ASSIGN && s->target->kind == E_NAME &&
	       !PyUnicode_CompareWithASCIIString(s->target->obj, name);
}

bool dec_has_temp(const struct expr *e)
{
	int i;

	dec_deep();
	if (!e)
		return false;
	if (e->kind == E_TEMP)
		return true;
	if (e->kind == E_LAMBDA && e->function->body.first && dec_has_temp(e->function->body.first->value))
		return true;
	for (i = 0; i < e->n; i++)
		if (dec_has_temp(e->kid[i]))
			return true;
	return false;
}

bool expr_has_unpacked(const struct expr *e)
{
	int i;

	if (e->kind == E_STAR)
		return e->text != NULL;
	for (i = 0; e->kind == E_TUPLE && i < e->n; i++)
		if (e->kid[i] && e->kid[i]->kind == E_STAR && e->kid[i]->text)
			return true;
	return false;
}

bool items_listed(struct dec *d, struct expr **e, bool pure)
{
	struct expr **kid;
	Py_ssize_t i, n;

	if ((*e)->kind == E_TUPLE || ((*e)->kind == E_LIST && !pure))
		return true;
	if ((*e)->kind != E_CONST || !PyTuple_CheckExact((*e)->obj))
		return false;
	n = PyTuple_GET_SIZE((*e)->obj);
	kid = dec_alloc(d, (size_t)(n + 1) * sizeof(struct expr *));
	for (i = 0; i < n; i++)
		kid[i] = dec_const(d, PyTuple_GET_ITEM((*e)->obj, i));
	*e = dec_expr_n(d, E_TUPLE, NULL, kid, (int)n);
	return true;
}

/* ---- the same statements ------------------------------------------------------------------------ */

bool dec_same_stmt(const struct stmt *a, const struct stmt *b)
{
	return a->kind == b->kind && a->kind != S_BYTECODE && !a->function && !b->function && !a->text == !b->text &&
	       (!a->text || !strcmp(a->text, b->text)) && (a->target == b->target || dec_same(a->target, b->target)) &&
	       (a->value == b->value || dec_same(a->value, b->value)) && dec_same_body(&a->body, &b->body) &&
	       dec_same_body(&a->other, &b->other) && dec_same_body(&a->last, &b->last);
}

bool dec_same_body(const struct body *a, const struct body *b)
{
	const struct stmt *x = a->first, *y = b->first;

	dec_deep();
	for (; x && y; x = x->next, y = y->next)
		if (!dec_same_stmt(x, y))
			return false;
	return !x && !y;
}

/* ---- slices ------------------------------------------------------------------------------------- */

static const char called[] = "slice"; /* text of an E_CALL of slice() with three arguments */

struct expr *expr_slice_call(struct dec *d, const struct expr *slice)
{
	struct expr *part[3];
	int i;

	for (i = 0; i < 3; i++)
		part[i] = slice->kid[i] ? slice->kid[i] : dec_none(d);
	return dec_expr(d, E_CALL, called, 4, dec_builtin(d, "slice"), part[0], part[1], part[2]);
}

bool expr_slice_parts(const struct expr *e, const struct expr *part[3])
{
	const bool call = e->kind == E_CALL && e->text == called;
	int i;

	for (i = 0; i < 3 && (call || e->kind == E_SLICE); i++) {
		part[i] = e->kid[i + call];
		if (dec_is_none(part[i]))
			part[i] = NULL;
	}
	return i == 3;
}

struct expr *expr_slice_constant(struct dec *d, PyObject *v)
{
	PySliceObject *s = (PySliceObject *)v;
	PyObject *of[3] = { s->start, s->stop, s->step };
	struct expr *part[3];
	int i;

	for (i = 0; i < 3; i++)
		part[i] = of[i] == Py_None ? NULL : dec_const(d, of[i]);
	return dec_expr_n(d, E_SLICE, NULL, part, 3);
}

static bool has_slice(PyObject *v)
{
	Py_ssize_t i;

	for (i = 0; PyTuple_CheckExact(v) && i < PyTuple_GET_SIZE(v); i++)
		if (PySlice_Check(PyTuple_GET_ITEM(v, i)))
			return true;
	return false;
}

struct expr *expr_slice_tuple(struct dec *d, PyObject *v)
{
	struct expr **kid;
	Py_ssize_t i, n;
	PyObject *item;

	if (!has_slice(v))
		return NULL;
	n = PyTuple_GET_SIZE(v);
	kid = dec_alloc(d, (size_t)n * sizeof(*kid));
	for (i = 0; i < n; i++) {
		item = PyTuple_GET_ITEM(v, i);
		kid[i] = PySlice_Check(item) ? expr_slice_call(d, expr_slice_constant(d, item)) : dec_const(d, item);
	}
	return dec_expr_n(d, E_TUPLE, NULL, kid, (int)n);
}
