/* SPDX-License-Identifier: BSD-3-Clause */
/* Generated code for people: methods called through an object's very class are called as methods of the object.  Not
   for text that is compiled. */
#include <Python.h>
#include "py/decompile/tidy/read.h"

struct expr *read_class_of(const struct dec *d, const struct expr *e, bool first)
{
	const struct expr *call = e->kind == E_SUBSCR && read_attribute(e->kid[0], "__mro__") ? e->kid[0]->kid[0] :
												NULL;

	if (!call || call->kind != E_CALL || call->n != 2 || call->kid[0]->kind != E_NAME ||
	    run_has_variable(d->c, call->kid[0]->obj) || PyUnicode_CompareWithASCIIString(call->kid[0]->obj, "type") ||
	    (call->kid[1]->kind != E_NAME && call->kid[1]->kind != E_TEMP) || e->kid[1]->kind != E_CONST ||
	    !PyLong_CheckExact(e->kid[1]->obj))
		return NULL;
	return !first || PyLong_AsLong(e->kid[1]->obj) == 0 ? call->kid[1] : NULL;
}

/* Calls CLASS.method(X, ...), where `cls` holds the class of X. */
struct through {
	struct dec *d;
	const struct expr *cls, *of;
	int calls;
	bool write;
};

static bool is_through(const struct through *t, const struct expr *e)
{
	return e->kind == E_CALL && e->n > 1 && e->kid[0]->kind == E_ATTR && e->kid[0]->obj &&
	       dec_same(e->kid[0]->kid[0], t->cls) && dec_same(e->kid[1], t->of);
}

static void through_expression(struct through *t, struct expr **at)
{
	struct expr *e = *at, *f;
	int i;

	dec_deep();
	if (!e)
		return;
	for (i = 0; i < e->n; i++)
		through_expression(t, &e->kid[i]);
	if (!is_through(t, e))
		return;
	t->calls++;
	if (!t->write)
		return;
	f = dec_expr(t->d, E_ATTR, NULL, 1, e->kid[1]);
	f->obj = e->kid[0]->obj;
	e->kid[1] = f;
	*at = dec_expr_n(t->d, E_CALL, NULL, e->kid + 1, e->n - 1);
	(*at)->index = e->index;
}

/* CLASS.__setitem__(X, k, v): X[k] = v */
static void through_item(struct through *t, struct stmt *s)
{
	struct expr *e = s->kind == S_EXPR ? s->value : NULL;

	if (!e || !is_through(t, e) || e->n != 4 || !read_attribute(e->kid[0], "__setitem__") || !t->write)
		return;
	s->kind = S_ASSIGN;
	s->target = dec_expr(t->d, E_SUBSCR, NULL, 2, e->kid[1], e->kid[2]);
	s->value = e->kid[3];
}

static void through_statements(struct through *t, struct body *b)
{
	struct stmt *s;

	dec_deep();
	for (s = b->first; s; s = s->next) {
		through_item(t, s);
		through_expression(t, &s->value);
		through_expression(t, &s->target);
		through_statements(t, &s->body);
		through_statements(t, &s->other);
		through_statements(t, &s->last);
	}
}

/* CLASS = type(X).__mro__[0], which is used for methods of X alone. */
static bool calls_methods(struct reader *r, struct body *b, const struct stmt *s)
{
	struct own *o = s->kind == S_ASSIGN && !s->folded ? read_own(r, s->target) : NULL;
	struct through t = { .d = r->d, .cls = s->target };

	t.of = o && o->stores == 1 ? read_class_of(r->d, s->value, true) : NULL;
	if (!t.of)
		return false;
	through_statements(&t, b);
	if (t.calls != o->uses)
		return false;
	t.write = true;
	through_statements(&t, b);
	return true;
}

void read_methods(struct dec *d, struct body *b)
{
	struct stmt **at;

	read_count(d, b);
	for (at = &b->first; *at;) {
		if (calls_methods(d->reader, b, *at))
			*at = (*at)->next;
		else
			at = &(*at)->next;
	}
	dec_body_end(b);
}
