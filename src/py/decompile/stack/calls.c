/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls and methods on the symbolic stack.  Knows no control flow. */
#include <Python.h>
#include <string.h>
#include "py/asm/asm_impl.h"
#include "py/decompile/stack/definitions.h"
#include "py/decompile/stack/run.h"

/* Generated code for people: a call of the compiler's library that makes a function is its definition.  Not for text
   that is compiled. */

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

/* calls.c: a call of n arguments on the stack makes a function, which is written as its definition. */
static bool function_called(struct run *r, int n, PyObject *keys)
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
