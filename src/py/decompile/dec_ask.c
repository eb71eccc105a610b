/* SPDX-License-Identifier: BSD-3-Clause */
/* Questions about expressions and statements, and small changes of them, that need no stack.  Knows no instructions. */
#include <Python.h>
#include "py/decompile/dec_made.h"
#include "py/decompile/dec_run.h"

/* ---- what the compiler puts into each body ------------------------------------------------------- */

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

bool has_unpacked(const struct expr *e)
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

bool item_has_temp(const struct item *i)
{
	return i && i->e && dec_has_temp(i->e);
}
