/* SPDX-License-Identifier: BSD-3-Clause */
/* Generated code for people: a free variable of a function gets another name in its text, where the code around it has
   several of one name.  Not for text that is compiled. */
#include <Python.h>
#include "py/decompile/shape/shape.h"
#include "py/decompile/tidy/read.h"

struct renaming {
	PyObject *name, *to;
	bool write; /* else it is asked whether all uses are known */
};

static bool rename_in_body(const struct renaming *n, struct body *b);
static bool rename_in_function(const struct renaming *n, struct function *f);

static bool has_old_name(const struct renaming *n, const struct expr *e)
{
	return e && (e->kind == E_NAME || e->kind == E_CELL) && e->obj && !PyUnicode_Compare(e->obj, n->name);
}

/* A comprehension's own variable of that name hides the other one. */
static bool hides(const struct renaming *n, const struct expr *e)
{
	int i;

	dec_deep();
	for (i = 0; e && i < e->n; i++)
		if (has_old_name(n, e->kid[i]) || hides(n, e->kid[i]))
			return true;
	return has_old_name(n, e);
}

static bool rename_uses(const struct renaming *n, struct expr *e)
{
	int i;

	dec_deep();
	if (!e)
		return true;
	if (has_old_name(n, e) && n->write)
		e->obj = n->to;
	for (i = 2; e->kind == E_COMPREHENSION && i < e->n; i += 2)
		if (e->kid[i] && hides(n, e->kid[i]))
			return false;
	for (i = 0; i < e->n; i++)
		if (!rename_uses(n, e->kid[i]))
			return false;
	return e->kind != E_LAMBDA || rename_in_function(n, e->function);
}

static bool rename_item(const struct renaming *n, struct item *i)
{
	return !i || rename_uses(n, i->e);
}

static bool is_free_in(const struct renaming *n, struct code *c)
{
	int i;

	for (i = 0; i < code_nlocals(c); i++)
		if (code_local_kind(c, i) == LOCAL_FREE &&
		    !PyUnicode_Compare(PyTuple_GET_ITEM(((PyCodeObject *)c->co)->co_localsplusnames, i), n->name))
			return true;
	return false;
}

static bool rename_nonlocal(const struct renaming *n, PyObject *names)
{
	bool renamed = true;

	if (n->write && names && PySet_Discard(names, n->name) == 1)
		renamed = PySet_Add(names, n->to) == 0;
	PyErr_Clear();
	return renamed;
}

static bool rename_inside(const struct renaming *n, struct function *f)
{
	if (!is_free_in(n, f->code))
		return true;
	return !run_has_variable(f->code, n->to) && rename_nonlocal(n, f->nonlocals) && rename_in_body(n, &f->body);
}

/* Its defaults belong to the code around it. */
static bool rename_in_function(const struct renaming *n, struct function *f)
{
	return rename_item(n, f->defaults) && rename_item(n, f->kwdefaults) && rename_item(n, f->annotations) &&
	       rename_inside(n, f);
}

static bool rename_in_body(const struct renaming *n, struct body *b)
{
	struct stmt *s;

	dec_deep();
	for (s = b->first; s; s = s->next) {
		if (s->kind == S_IMPORT || s->kind == S_BYTECODE) /* text that may have the name */
			return false;
		if (!rename_uses(n, s->target) || !rename_uses(n, s->value) || !rename_in_body(n, &s->body) ||
		    !rename_in_body(n, &s->other) || !rename_in_body(n, &s->last) ||
		    (s->function && !rename_in_function(n, s->function)))
			return false;
	}
	return true;
}

bool rename_free(struct function *f, PyObject *name, PyObject *to, bool write)
{
	const struct renaming n = { .name = name, .to = to, .write = write };

	return rename_inside(&n, f);
}
