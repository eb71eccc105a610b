/* SPDX-License-Identifier: BSD-3-Clause */
/* Generated code for people: variables that its compiler stores and never reads are not written.  Not for text that is
   compiled; knows no expressions. */
#include <Python.h>
#include "py/decompile/tree/dec.h"

/* The names of variables that some instruction needs: a set; NULL: out of memory. */
static PyObject *names_read(struct dec *d)
{
	PyObject *names = dec_hold(d, PySet_New(NULL));
	int i;

	for (i = 0; names && i < d->n; i++)
		if (d->ins[i].op != D_STORE_FAST && d->ins[i].op != D_CONST && d->ins[i].obj &&
		    PyUnicode_Check(d->ins[i].obj) && PySet_Add(names, d->ins[i].obj) < 0)
			names = NULL;
	PyErr_Clear();
	return names;
}

static uint8_t *jumped_to(struct dec *d)
{
	uint8_t *to = dec_alloc(d, (size_t)d->n + 1);
	int i;

	for (i = 0; i < d->n; i++)
		if (d->ins[i].target >= 0)
			to[d->ins[i].target] = 1;
	return to;
}

static bool never_read(const struct dec *d, PyObject *names, PyObject *name)
{
	const char *text = PyUnicode_AsUTF8(name), *what = text ? d->style->reads_as(d->style->arg, text) : NULL;

	PyErr_Clear();
	return what && !*what && PySet_Contains(names, name) == 0;
}

void unread_stores_drop(struct dec *d)
{
	PyObject *names = names_read(d);
	const uint8_t *to = names ? jumped_to(d) : NULL;
	int i;

	for (i = 0; names && i + 1 < d->n; i++)
		if (d->ins[i].op == D_COPY && d->ins[i].arg == 1 && d->ins[i + 1].op == D_STORE_FAST && !to[i + 1] &&
		    never_read(d, names, d->ins[i + 1].obj))
			d->ins[i].op = d->ins[i + 1].op = D_NOP;
}
