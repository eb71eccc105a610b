/* SPDX-License-Identifier: BSD-3-Clause */
/* Generated code for people: a call of the compiler's library that makes a function is its definition.  Not for text
   that is compiled. */
#include <Python.h>
#include <string.h>
#include "py/decompile/stack/definitions.h"
#include "py/decompile/stack/run.h"

enum { CODE, GLOBALS, NAME, DEFAULTS, CELLS, KWDEFAULTS, ANNOTATIONS, ARGUMENTS };

/* ---- is it such a call? ------------------------------------------------------------------------- */

static bool makes_functions(struct dec *d, const struct expr *f)
{
	const char *form = library_form(d, f);

	return form && !strcmp(form, "$def");
}

/* What this instruction stores is such a function of a module: MODULE.f, or a copy of it. */
static bool stores_maker(struct dec *d, int i)
{
	struct expr *of, *f;
	int k;

	for (k = i - 1; k > 0 && d->ins[k].op == D_COPY; k--)
		;
	if (k < 1 || d->ins[k].op != D_ATTR || d->ins[k - 1].op != D_GLOBAL)
		return false;
	of = dec_name(d, d->ins[k - 1].obj);
	of->steady = true;
	f = dec_expr(d, E_ATTR, NULL, 1, of);
	f->obj = d->ins[k].obj;
	return makes_functions(d, f);
}

/* The variables to which nothing else is stored: a set; NULL: out of memory. */
static PyObject *find_makers(struct dec *d)
{
	PyObject *makers = dec_hold(d, PySet_New(NULL)), *others = dec_hold(d, PySet_New(NULL));
	int i;

	for (i = 0; makers && others && i < d->n; i++)
		if (d->ins[i].op == D_STORE_FAST && PySet_Add(stores_maker(d, i) ? makers : others, d->ins[i].obj) < 0)
			others = NULL;
	if (makers && others)
		others = dec_hold(d, PyNumber_Subtract(makers, others));
	PyErr_Clear();
	return makers ? others : NULL;
}

static bool holds_maker(struct dec *d, PyObject *name)
{
	bool holds;

	if (!d->made.makers)
		d->made.makers = find_makers(d);
	holds = d->made.makers && PySet_Contains(d->made.makers, name) == 1;
	PyErr_Clear();
	return holds;
}

static bool is_maker(struct dec *d, const struct item *i)
{
	if (i->kind != I_VALUE)
		return false;
	return i->e->kind == E_NAME && i->e->steady ? holds_maker(d, i->e->obj) : makes_functions(d, i->e);
}

/* ---- its arguments ------------------------------------------------------------------------------ */

static bool is_nothing(const struct item *i)
{
	return i->kind == I_VALUE && dec_is_none(i->e);
}

/* What the free variables of the code are; *differ: another variable, or none, has such a name. */
static struct expr *cells_given(struct run *r, struct item *i, PyCodeObject *co, bool *differ)
{
	struct expr *e = is_nothing(i) ? dec_expr(r->d, E_TUPLE, NULL, 0) : item_special(i) ? NULL : i->e;
	PyObject *frees = dec_hold(r->d, PyCode_GetFreevars(co));
	int k;

	*differ = false;
	if (!frees || !e || e->kind != E_TUPLE || e->n != PyTuple_GET_SIZE(frees))
		return NULL;
	e = dec_expr_n(r->d, E_TUPLE, NULL, e->kid, e->n);
	for (k = 0; k < e->n; k++) {
		if (e->kid[k]->kind == E_CELL && !PyUnicode_Compare(e->kid[k]->obj, PyTuple_GET_ITEM(frees, k)))
			e->kid[k] = NULL;
		else if (e->kid[k]->kind == E_CELL || (e->kid[k]->kind == E_NAME && e->kid[k]->steady))
			*differ = true;
		else
			return NULL;
	}
	return e;
}

/* Annotations that are a dictionary by now. */
static struct item *given(struct run *r, PyObject *globals, PyObject *dict)
{
	struct expr **kid = dec_alloc(r->d, (size_t)(2 * PyDict_GET_SIZE(dict) + 1) * sizeof(struct expr *));
	PyObject *key, *value;
	Py_ssize_t at = 0;
	int n = 0;

	while (PyDict_Next(dict, &at, &key, &value)) {
		kid[n++] = dec_const(r->d, key);
		kid[n++] = default_expr(r->d, globals, value);
	}
	return run_item(r, I_VALUE, dec_expr_n(r->d, E_TUPLE, NULL, kid, n), true);
}

/* The module's name, if code of another file made these globals. */
static const char *other_module(struct dec *d, PyObject *globals, PyCodeObject *co)
{
	PyObject *name = PyDict_GetItemString(globals, "__name__");
	const char *text;

	if (!PyUnicode_Compare(co->co_filename, ((PyCodeObject *)d->c->co)->co_filename) || !name ||
	    !PyUnicode_Check(name))
		return NULL;
	text = PyUnicode_AsUTF8(name);
	PyErr_Clear();
	return text ? dec_text(d, "%s", text) : NULL;
}

static bool is_dict(const struct item *i)
{
	return i->kind == I_VALUE && i->e->kind == E_BOUND && PyDict_CheckExact(i->e->obj);
}

/* false: the arguments are not known. */
static bool read_arguments(struct run *r, struct item **arg, struct making *m)
{
	PyCodeObject *co = arg[CODE]->data;
	PyObject *globals;
	bool differ;

	if (arg[CODE]->kind != I_CODE || !is_dict(arg[GLOBALS]) || arg[NAME]->kind != I_VALUE ||
	    arg[NAME]->e->kind != E_CONST || !PyUnicode_Check(arg[NAME]->e->obj) ||
	    PyUnicode_Compare(arg[NAME]->e->obj, co->co_name) ||
	    !(is_nothing(arg[ANNOTATIONS]) || is_dict(arg[ANNOTATIONS])))
		return false;
	globals = arg[GLOBALS]->e->obj;
	m->called = true;
	m->cells = cells_given(r, arg[CELLS], co, &differ);
	if (!m->cells)
		return false;
	if (!differ)
		m->cells = NULL;
	m->defaults = is_nothing(arg[DEFAULTS]) ? NULL : arg[DEFAULTS];
	m->kwdefaults = is_nothing(arg[KWDEFAULTS]) ? NULL : arg[KWDEFAULTS];
	if (is_dict(arg[ANNOTATIONS]) && PyDict_GET_SIZE(arg[ANNOTATIONS]->e->obj))
		m->annotations = given(r, globals, arg[ANNOTATIONS]->e->obj);
	if (!functions_annotations_fit(m, co)) { /* a decorator has changed them */
		m->annotated = dec_expr_n(r->d, E_DICT, NULL, m->annotations->e->kid, m->annotations->e->n);
		m->annotations = NULL;
	}
	m->module = other_module(r->d, globals, co);
	return true;
}

/* __build_class__(function of the code, its name, ...): a class statement. */
static bool class_by_call(struct run *r, const struct making *m, PyCodeObject *co)
{
	const struct item *builder = class_builder(r);
	const char *name = builder && builder->e->kind == E_SUBSCR ? dec_string(builder->e->kid[1]) : NULL;
	struct function *f;

	if (!name || strcmp(name, "__build_class__") || !library_builtin(r->d, builder->e) || m->cells || m->defaults ||
	    m->kwdefaults || m->annotations)
		return false;
	f = class_pushed(r, co);
	if (!f)
		return false;
	f->module = m->module;
	f->given = true;
	return true;
}

/* A comprehension as a lambda of what it goes through; where it is called, library_names.c writes it in the place of
   the call. */
static bool comprehension_called(struct run *r, const struct making *m, PyCodeObject *co)
{
	struct function *f = m->cells || m->defaults || m->kwdefaults || m->annotations ? NULL : nested_make(r, co);
	const char *brackets = f ? comprehension_brackets(f->code) : NULL;
	struct expr *e = brackets ? comprehension_of(r->d, &f->body, brackets) : NULL, *all;

	if (!e)
		return false;
	run_note_comprehension(r, f);
	all = dec_name(r->d, PyTuple_GET_ITEM(co->co_localsplusnames, 0));
	all->steady = true;
	dec_body_init(&f->body);
	dec_stmt(&f->body, r->d, S_RETURN, NULL, comprehension_close(r->d, e, all), e->index);
	e = dec_expr(r->d, E_LAMBDA, NULL, 0);
	e->function = f;
	run_push(r, e, true);
	return true;
}

/* The function that this code is the code of: a lambda, a definition, or the body of a class. */
static bool any_called(struct run *r, struct making *m, PyCodeObject *co)
{
	const char *name = PyUnicode_AsUTF8(co->co_name);

	PyErr_Clear();
	if (name && name[0] == '<' && strcmp(name, "<lambda>"))
		return comprehension_called(r, m, co);
	return class_by_call(r, m, co) || function_made(r, m, co, r->at + 1);
}

bool function_called(struct run *r, int n, PyObject *keys)
{
	struct item **all, **before;
	struct making m = { NULL };
	const int depth = r->n;

	if (n != ARGUMENTS || keys || r->n < n + 2 || r->d->depth || !dec_only_read(r->d))
		return false;
	before = r->stack + r->n - n - 2;
	if (!is_maker(r->d, before[before[0]->kind == I_NULL]) || !read_arguments(r, before + 2, &m))
		return false;
	all = run_pop_n(r, n + 2);
	if (any_called(r, &m, all[2]->data))
		return true;
	dec_copy(r->stack + r->n, all, (size_t)(n + 2) * sizeof(*all));
	r->n = depth;
	return false;
}
