/* SPDX-License-Identifier: BSD-3-Clause */
/* A function's arguments as text, with their defaults and annotations.  Knows no statements. */
#include <Python.h>
#include <string.h>
#include "py/decompile/stack/run.h"
#include "py/decompile/text/print.h"

static const struct expr *default_of(const struct item *defaults, int i, int n)
{
	const struct expr *e = defaults ? defaults->e : NULL;
	int have = !e ? 0 : e->kind == E_TUPLE ? e->n : (int)PyTuple_GET_SIZE(e->obj);

	return e && e->kind == E_TUPLE && i >= n - have ? e->kid[i - (n - have)] : NULL;
}

static PyObject *default_constant(const struct item *defaults, int i, int n)
{
	const struct expr *e = defaults ? defaults->e : NULL;
	int have = e && e->kind == E_CONST ? (int)PyTuple_GET_SIZE(e->obj) : 0;

	return have && i >= n - have ? PyTuple_GET_ITEM(e->obj, i - (n - have)) : NULL;
}

static const struct expr *keyword_default(const struct item *defaults, PyObject *name)
{
	const struct expr *e = defaults ? defaults->e : NULL;
	int i;

	for (i = 0; e && i < e->n; i += 2)
		if (e->kid[i] && e->kid[i]->kind == E_CONST && PyUnicode_CheckExact(e->kid[i]->obj) &&
		    !PyUnicode_Compare(e->kid[i]->obj, name))
			return e->kid[i + 1];
	return NULL;
}

/* What the function's definition says of this argument, or of "return"; NULL: nothing. */
static const struct expr *annotation_of(struct printer *p, const struct function *f, const char *name)
{
	const struct expr *e = f->annotations ? f->annotations->e : NULL;
	int i, n = !e ? 0 : e->kind == E_TUPLE ? e->n : (int)PyTuple_GET_SIZE(e->obj);

	for (i = 0; i + 1 < n; i += 2) {
		PyObject *key = e->kind == E_TUPLE ? e->kid[i]->obj : PyTuple_GET_ITEM(e->obj, i);

		if (key && PyUnicode_Check(key) && !PyUnicode_CompareWithASCIIString(key, name))
			return e->kind == E_TUPLE ? e->kid[i + 1] : dec_const(p->d, PyTuple_GET_ITEM(e->obj, i + 1));
	}
	return NULL;
}

/* An argument's name, with its annotation; true: it has one. */
static bool print_argument(struct printer *p, const struct function *f, PyObject *name)
{
	const char *s = PyUnicode_AsUTF8(name);
	const struct expr *e = s ? annotation_of(p, f, s) : NULL;

	PyErr_Clear();
	print_name(p, name);
	if (e) {
		buf_adds(p->out, ": ");
		print_expression(p, e);
	}
	return e != NULL;
}

void print_arguments(struct printer *p, const struct function *f, bool lambda)
{
	PyCodeObject *co = (PyCodeObject *)f->code->co;
	PyObject *names = co->co_localsplusnames, *constant;
	const struct expr *e;
	int i, n = co->co_argcount, all = n + co->co_kwonlyargcount, at = all;
	bool var = co->co_flags & CO_VARARGS, annotated;
	const char *gap = lambda ? " " : "";

	for (i = 0; i < all; i++) {
		buf_adds(p->out, gap);
		gap = ", ";
		if (i == n)
			buf_adds(p->out, "*");
		if (i == n && var)
			print_argument(p, f, PyTuple_GET_ITEM(names, at++));
		if (i == n)
			buf_adds(p->out, ", ");
		annotated = print_argument(p, f, PyTuple_GET_ITEM(names, i));
		e = i < n ? default_of(f->defaults, i, n) : keyword_default(f->kwdefaults, PyTuple_GET_ITEM(names, i));
		constant = i < n ? default_constant(f->defaults, i, n) : NULL;
		if (e || constant)
			buf_adds(p->out, annotated ? " = " : "=");
		if (e)
			print_expression(p, e);
		else if (constant)
			print_expression(p, dec_const(p->d, constant));
		if (i + 1 == co->co_posonlyargcount)
			buf_adds(p->out, ", /");
	}
	if (var && !co->co_kwonlyargcount) {
		buf_addf(p->out, "%s*", gap);
		gap = ", ";
		print_argument(p, f, PyTuple_GET_ITEM(names, at++));
	}
	if (co->co_flags & CO_VARKEYWORDS) {
		buf_addf(p->out, "%s**", gap);
		print_argument(p, f, PyTuple_GET_ITEM(names, at));
	}
}

void print_returned(struct printer *p, const struct function *f)
{
	const struct expr *e = annotation_of(p, f, "return");

	if (!e)
		return;
	buf_adds(p->out, " -> ");
	print_expression(p, e);
}
