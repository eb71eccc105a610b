/* SPDX-License-Identifier: BSD-3-Clause */
/* Generated code for people: a cell that it makes for the functions it makes is the variable that these have.  Not for
   text that is compiled. */
#include <Python.h>
#include <string.h>
#include "py/decompile/shape/shape.h"
#include "py/decompile/stack/definitions.h"
#include "py/decompile/tidy/read.h"

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
