/* SPDX-License-Identifier: BSD-3-Clause */
/* Generated code for people: a cell that it makes for the functions it makes is the variable that these have.  Not for
   text that is compiled. */
#include <Python.h>
#include <string.h>
#include "py/decompile/shape/shape.h"
#include "py/decompile/stack/definitions.h"
#include "py/decompile/tidy/read.h"

/* Generated code for people: a free variable of a function gets another name in its text, where the code around it has
   several of one name.  Not for text that is compiled. */

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

/* The free variable of that name is called `to` in the function's text, if `write`.  false: not all uses are known. */
static bool rename_free(struct function *f, PyObject *name, PyObject *to, bool write)
{
	const struct renaming n = { .name = name, .to = to, .write = write };

	return rename_inside(&n, f);
}

/* A variable with a cell, and how it is used. */
struct celled {
	const struct reader *r;
	const struct expr *v;
	PyObject *name;	  /* what functions call it; borrowed; NULL: none has it */
	bool several;	  /* some call it otherwise */
	int known;	  /* uses that are functions' cells, or its contents */
	struct expr *own; /* the variable that it becomes */
	PyObject *to;	  /* the name of that in the functions, where it is another; else NULL */
	bool fixed;	  /* they cannot call it otherwise */
};

static bool is_celled(const struct celled *c, const struct expr *e)
{
	return e && e->kind == E_NAME && e->obj == c->v->obj;
}

static bool is_contents(const struct celled *c, const struct expr *e)
{
	return read_attribute(e, "cell_contents") && is_celled(c, e->kid[0]);
}

static bool makes_cell(const struct reader *r, const struct stmt *s)
{
	const struct expr *e = s->kind == S_ASSIGN && !s->folded ? s->value : NULL;
	const struct own *o = e && e->kind == E_CALL && e->n == 1 ? read_own(r, s->target) : NULL;
	const char *form = o && o->stores == 1 ? library_form(r->d, e->kid[0]) : NULL;

	return form && !strcmp(form, "$cell");
}

/* ---- how it is used ----------------------------------------------------------------------------- */

static void in_expression(struct celled *c, struct expr **at)
{
	int i;

	dec_deep();
	if (!*at)
		return;
	if (is_contents(c, *at)) {
		c->known++;
		if (c->own)
			*at = c->own;
		return;
	}
	for (i = 0; i < (*at)->n; i++)
		in_expression(c, &(*at)->kid[i]);
}

static void in_function(struct celled *c, struct function *f)
{
	PyCodeObject *co = (PyCodeObject *)f->code->co;
	int i, k = 0, left = 0;

	for (i = 0; f->cells && i < code_nlocals(f->code); i++) {
		if (code_local_kind(f->code, i) != LOCAL_FREE)
			continue;
		if (is_celled(c, f->cells->kid[k])) {
			c->several |= c->name &&
				      PyUnicode_Compare(c->name, PyTuple_GET_ITEM(co->co_localsplusnames, i));
			c->name = PyTuple_GET_ITEM(co->co_localsplusnames, i);
			c->known++;
			if (c->to)
				c->fixed |= !rename_free(f, c->name, c->to, c->own != NULL);
			if (c->own)
				f->cells->kid[k] = NULL;
		}
		left += f->cells->kid[k++] != NULL;
	}
	if (!left)
		f->cells = NULL;
}

static void in_statements(struct celled *c, struct body *b)
{
	struct stmt *s;

	dec_deep();
	for (s = b->first; s; s = s->next) {
		in_expression(c, &s->value);
		in_expression(c, &s->target);
		if (s->function)
			in_function(c, s->function);
		in_statements(c, &s->body);
		in_statements(c, &s->other);
		in_statements(c, &s->last);
	}
}

/* ---- what becomes of it ------------------------------------------------------------------------- */

/* Another name for it, which nothing has; NULL: the functions cannot have it. */
static PyObject *other_name(struct celled *c, struct body *all, const char *name)
{
	struct dec *d = c->r->d;
	const char *text = c->several ? NULL : dec_numbered_name(d, d->c, name);

	if (!text)
		return NULL;
	c->to = dec_hold(d, PyUnicode_InternFromString(text));
	if (c->to)
		in_statements(c, all);
	PyErr_Clear();
	return c->fixed ? NULL : c->to;
}

/* false: another variable has that name. */
static bool name_it(struct celled *c, struct body *all)
{
	struct dec *d = c->r->d;
	const char *name = c->name ? PyUnicode_AsUTF8(c->name) : NULL;
	PyObject *variable = c->name;

	PyErr_Clear();
	if (!name || c->several || c->known != read_own(c->r, c->v)->uses)
		return false;
	if (dec_name_taken(d, d->c, name))
		variable = other_name(c, all, name);
	if (!variable)
		return false;
	dec_temp(d)->name = PyUnicode_AsUTF8(variable); /* no other gets it */
	c->own = dec_name(d, variable);
	return true;
}

/* A definition that needed lines of its own for its cells alone. */
static void become_lambdas(struct dec *d, struct body *b)
{
	struct stmt *s;
	struct expr *e;

	dec_deep();
	for (s = b->first; s; s = s->next) {
		become_lambdas(d, &s->body);
		become_lambdas(d, &s->other);
		become_lambdas(d, &s->last);
		if (s->kind != S_DEF || s->target->kind != E_TEMP || !function_is_lambda(s->function))
			continue;
		e = dec_expr(d, E_LAMBDA, NULL, 0);
		e->function = s->function;
		s->kind = S_ASSIGN;
		s->value = e;
		s->function = NULL;
	}
}

/* NAME = cell_of(x): the functions that have x in it have the variable itself.  true: nothing else uses NAME. */
static bool passes_cell(const struct reader *r, struct body *all, const struct stmt *s)
{
	struct celled c = { .r = r, .v = s->target };
	const struct own *o = s->kind == S_ASSIGN && !s->folded && s->value->kind == E_CELL ? read_own(r, s->target) :
											      NULL;

	if (!o || o->stores != 1)
		return false;
	in_statements(&c, all);
	if (c.several || !c.name || PyUnicode_Compare(c.name, s->value->obj) || c.known != o->uses)
		return false;
	c.own = dec_name(r->d, s->value->obj);
	in_statements(&c, all);
	return true;
}

static void name_cells(const struct reader *r, struct body *all, struct body *b)
{
	struct stmt **at, *s;
	struct celled c;

	dec_deep();
	for (at = &b->first; (s = *at) != NULL;) {
		name_cells(r, all, &s->body);
		name_cells(r, all, &s->other);
		name_cells(r, all, &s->last);
		if (passes_cell(r, all, s)) {
			*at = s->next;
			continue;
		}
		c = (struct celled){ .r = r, .v = s->target };
		if (makes_cell(r, s)) {
			in_statements(&c, all);
			if (name_it(&c, all)) {
				in_statements(&c, all);
				*at = s->next;
				continue;
			}
		}
		at = &s->next;
	}
	dec_body_end(b);
}

void read_cells(struct dec *d, struct body *b)
{
	read_count(d, b);
	name_cells(d->reader, b, b);
	become_lambdas(d, b);
}
