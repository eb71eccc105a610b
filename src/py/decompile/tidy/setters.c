/* SPDX-License-Identifier: BSD-3-Clause */
/* Generated code for people: a helper that writes an attribute into the dictionary of an object is an assignment to the
   attribute, unless the object's class does something else with one: then it is an item of __dict__.  Not for text that
   is compiled. */
#include <Python.h>
#include <string.h>
#include "py/decompile/tidy/read.h"

struct setter {
	const struct reader *r;
	struct body *all;
};

/* The only statement that binds the variable, in b; *n counts them. */
static struct stmt *setter_bound(struct body *b, const struct expr *v, int *n)
{
	struct stmt *s, *found = NULL, *within;
	int i;

	dec_deep();
	for (s = b->first; s; s = s->next) {
		struct body *const bodies[] = { &s->body, &s->other, &s->last };

		if (s->kind == S_ASSIGN && dec_same(s->target, v)) {
			found = s;
			*n += 1;
		}
		for (i = 0; i < 3; i++) {
			within = setter_bound(bodies[i], v, n);
			found = within ? within : found;
		}
	}
	return found;
}

/* The value of a variable that is bound once; other expressions are their own. */
static struct expr *setter_value(const struct setter *t, struct expr *e)
{
	const struct own *o = read_own(t->r, e);
	struct stmt *s;
	int n = 0;

	if (e->kind == E_TEMP ? e->temp->stores != 1 : !o || o->stores != 1)
		return e;
	s = setter_bound(t->all, e, &n);
	return n == 1 ? s->value : e;
}

/* A dotted name, as "torch.nn.Module"; NULL: it is another expression. */
static const char *setter_dotted(const struct setter *t, struct expr *e)
{
	struct dec *d = t->r->d;
	const char *of, *name;

	dec_deep();
	e = setter_value(t, e);
	name = e->obj && (e->kind == E_NAME || e->kind == E_ATTR) ? PyUnicode_AsUTF8(e->obj) : NULL;
	PyErr_Clear();
	if (!name)
		return NULL;
	if (e->kind == E_NAME) {
		of = library_module(d, e);
		return of && *of ? of : run_has_variable(d->c, e->obj) ? NULL : name;
	}
	of = setter_dotted(t, e->kid[0]);
	return of ? dec_text(d, "%s.%s", of, name) : NULL;
}

/* An object that is reached from an argument or a global, as dec_style.class_of() takes it; NULL: it is another. */
static const char *setter_reached(const struct setter *t, struct expr *e)
{
	struct dec *d = t->r->d;
	PyObject *key = NULL;
	const char *of = NULL, *text;
	int n = 0;

	dec_deep();
	e = setter_value(t, e);
	if (e->kind == E_NAME && e->obj && !library_module(d, e) && !setter_bound(t->all, e, &n) && !n) {
		text = PyUnicode_AsUTF8(e->obj);
		of = text ? dec_text(d, "%c['%s']", run_has_variable(d->c, e->obj) ? 'L' : 'G', text) : NULL;
	} else if (e->kind == E_ATTR && e->obj) {
		of = setter_reached(t, e->kid[0]);
		text = of ? PyUnicode_AsUTF8(e->obj) : NULL;
		of = text ? dec_text(d, "%s.%s", of, text) : NULL;
	} else if (e->kind == E_SUBSCR && e->kid[1]->kind == E_CONST && e->kid[1]->obj) {
		of = setter_reached(t, e->kid[0]);
		key = of && (PyUnicode_CheckExact(e->kid[1]->obj) || PyLong_CheckExact(e->kid[1]->obj)) ?
			      PyObject_Repr(e->kid[1]->obj) :
			      NULL;
		text = key ? PyUnicode_AsUTF8(key) : NULL;
		of = text ? dec_text(d, "%s[%s]", of, text) : NULL;
	}
	PyErr_Clear();
	Py_XDECREF(key);
	return of;
}

/* The class of an object that CLASS.__new__(CLASS, ...) made, or that the code was made for, as a dotted name; NULL: it
   is not known. */
static const char *setter_class(const struct setter *t, struct expr *object)
{
	const struct dec_style *style = t->r->d->style;
	const struct expr *e = setter_value(t, object);
	const char *reached;

	if (e->kind == E_CALL)
		return e->n > 1 && read_attribute(e->kid[0], "__new__") ? setter_dotted(t, e->kid[1]) : NULL;
	reached = style->class_of ? setter_reached(t, object) : NULL;
	return reached ? style->class_of(style->arg, t->r->d->c, reached) : NULL;
}

static void setter_write(const struct setter *t, struct stmt *s)
{
	struct dec *d = t->r->d;
	struct expr *object = s->target->kid[0];
	const char *name = s->target->obj ? PyUnicode_AsUTF8(s->target->obj) : NULL, *cls;

	PyErr_Clear();
	cls = name && d->style->stores ? setter_class(t, object) : NULL;
	if (cls && d->style->stores(d->style->arg, d->c, cls, name))
		s->target = dec_expr(d, E_SUBSCR, NULL, 2, dec_expr(d, E_ATTR, "__dict__", 1, object),
				     dec_const(d, s->target->obj));
}

static void setter_statements(const struct setter *t, struct body *b)
{
	struct stmt *s;

	dec_deep();
	for (s = b->first; s; s = s->next) {
		if (s->past_class && s->target->kind == E_ATTR)
			setter_write(t, s);
		setter_statements(t, &s->body);
		setter_statements(t, &s->other);
		setter_statements(t, &s->last);
	}
}

void read_setters(struct dec *d, struct body *b)
{
	const struct setter t = { d->reader, b };

	read_count(d, b);
	setter_statements(&t, b);
}
