/* SPDX-License-Identifier: BSD-3-Clause */
/* Slices: between brackets they have colons, elsewhere they are calls of slice().  Writes nothing. */
#include <Python.h>
#include "py/decompile/dec_run.h"

static const char called[] = "slice"; /* text of an E_CALL of slice() with three arguments */

struct expr *slice_call(struct dec *d, const struct expr *slice)
{
	struct expr *part[3];
	int i;

	for (i = 0; i < 3; i++)
		part[i] = slice->kid[i] ? slice->kid[i] : dec_none(d);
	return dec_expr(d, E_CALL, called, 4, dec_builtin(d, "slice"), part[0], part[1], part[2]);
}

bool slice_parts(const struct expr *e, const struct expr *part[3])
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

struct expr *slice_constant(struct dec *d, PyObject *v)
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

struct expr *slice_tuple(struct dec *d, PyObject *v)
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
		kid[i] = PySlice_Check(item) ? slice_call(d, slice_constant(d, item)) : dec_const(d, item);
	}
	return dec_expr_n(d, E_TUPLE, NULL, kid, (int)n);
}
