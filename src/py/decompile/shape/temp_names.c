/* SPDX-License-Identifier: BSD-3-Clause */
/* Names for the decompiler's temporaries that the code does not use.  Does not depend on blocks. */
#include <Python.h>
#include <string.h>
#include "py/asm/asm_impl.h"
#include "py/decompile/shape/shape.h"

enum { SAME_NAMES = 100 };

/* Names that code within this one looks up. */
static bool is_name_within(PyCodeObject *co, const char *name)
{
	PyObject *v;
	Py_ssize_t i, k;

	dec_deep();
	for (i = 0; i < PyTuple_GET_SIZE(co->co_consts); i++) {
		v = PyTuple_GET_ITEM(co->co_consts, i);
		if (!PyCode_Check(v))
			continue;
		for (k = 0; k < PyTuple_GET_SIZE(((PyCodeObject *)v)->co_names); k++)
			if (!PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(((PyCodeObject *)v)->co_names, k), name))
				return true;
		if (is_name_within((PyCodeObject *)v, name))
			return true;
	}
	return false;
}

bool dec_name_taken(struct dec *d, struct code *c, const char *name)
{
	struct temp *t;
	PyObject *names = ((PyCodeObject *)c->co)->co_names;
	Py_ssize_t i;
	int k;

	for (t = d->temps; t; t = t->next)
		if (t->name && !strcmp(t->name, name))
			return true;
	for (i = 0; i < PyTuple_GET_SIZE(names); i++)
		if (!PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(names, i), name) &&
		    (!dec_only_read(d) || run_has_global(c, PyTuple_GET_ITEM(names, i))))
			return true;
	if (is_name_within((PyCodeObject *)c->co, name))
		return true;
	code_decode(c);
	for (k = 0; k < c->n; k++) { /* a variable that the code never touches is free to be used */
		PyObject *v = op_arg_kind(c->instr[k].op) == ARG_LOCAL ? (PyObject *)code_arg_object(c, k) : NULL;

		if (v && !PyUnicode_CompareWithASCIIString(v, name))
			return true;
	}
	for (k = 0; k < code_nlocals(c); k++)
		if (!strcmp(code_local_name(c, k), name) &&
		    (code_local_kind(c, k) != LOCAL_FAST ||
		     k < ((PyCodeObject *)c->co)->co_argcount + ((PyCodeObject *)c->co)->co_kwonlyargcount))
			return true;
	return false;
}

static bool plain_text(const char *s)
{
	PyObject *v = PyUnicode_FromString(s);
	bool yes = v && dec_is_identifier(v);

	PyErr_Clear();
	Py_XDECREF(v);
	return yes;
}

const char *dec_hinted_name(struct dec *d, struct code *c, const struct temp *t)
{
	const char *name = t->hint;

	if (!name || !plain_text(name))
		return NULL;
	if (*name != '_' && dec_name_taken(d, c, name))
		name = dec_text(d, "%s_", name);
	return dec_name_taken(d, c, name) ? NULL : name;
}

const char *dec_numbered_name(struct dec *d, struct code *c, const char *name)
{
	const char *text = NULL;
	int i;

	for (i = 2; i < SAME_NAMES && (!text || dec_name_taken(d, c, text)); i++)
		text = dec_text(d, "%s_%d", name, i);
	return i < SAME_NAMES ? text : NULL;
}

/* The name of what it is passed as and a number, where others have that name, too, or for `__name`, where a number may
   be that of an item, an underscore; NULL: none is free. */
static const char *another_hinted_name(struct dec *d, struct code *c, const struct temp *t)
{
	const char *name = t->hint && !strncmp(t->hint, "__", 2) ? dec_text(d, "%s_", t->hint) : NULL;

	if (!t->hint || !plain_text(t->hint))
		return NULL;
	if (!name)
		return dec_numbered_name(d, c, t->hint);
	return dec_name_taken(d, c, name) ? NULL : name;
}

/* Names for the temporaries: what they are passed as, else _t1 and so on. */
void temp_names_give(struct dec *d, struct code *c)
{
	struct temp *t, *order = NULL, *next;
	const char *name;
	int n = 0;

	for (t = d->temps; t; t = next) { /* oldest first */
		next = t->next;
		t->next = order;
		order = t;
	}
	d->temps = order;
	for (t = order; t; t = t->next)
		if (!t->name && (t->uses || t->stores))
			t->name = dec_hinted_name(d, c, t);
	for (t = order; t && dec_only_read(d); t = t->next)
		if (!t->name && (t->uses || t->stores))
			t->name = another_hinted_name(d, c, t);
	for (t = order; t; t = t->next) {
		if (t->name || !(t->uses || t->stores))
			continue;
		do
			name = dec_text(d, "_t%d", ++n);
		while (dec_name_taken(d, c, name));
		t->name = name;
	}
	for (t = order; t; t = t->next)
		if (!t->name)
			t->name = "_t0";
}
