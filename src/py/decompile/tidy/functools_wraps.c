/* SPDX-License-Identifier: BSD-3-Clause */
/* Generated code for people: what it sets of a function that the definition says is left out, and what
   functools.wraps() sets of one is one line.  Not for text that is compiled. */
#include <Python.h>
#include <string.h>
#include "py/decompile/shape/shape.h"
#include "py/decompile/tidy/read.h"

/* ---- annotations that are set again ------------------------------------------------------------- */

static bool is_builtin_type(const struct expr *e, PyObject *name)
{
	return e->kind == E_BOUND && PyType_Check(e->obj) &&
	       !(((PyTypeObject *)e->obj)->tp_flags & Py_TPFLAGS_HEAPTYPE) &&
	       !PyUnicode_CompareWithASCIIString(name, ((PyTypeObject *)e->obj)->tp_name);
}

/* The same value, as far as the text says it. */
static bool reads_same(const struct expr *a, const struct expr *b)
{
	int i;

	dec_deep();
	if (b->kind == E_NAME && a->kind == E_BOUND)
		return is_builtin_type(a, b->obj);
	if (a->kind != b->kind || a->n != b->n || !a->text != !b->text || (a->text && strcmp(a->text, b->text)) ||
	    !a->obj != !b->obj)
		return false;
	if (a->obj && a->obj != b->obj &&
	    (!PyUnicode_CheckExact(a->obj) || !PyUnicode_CheckExact(b->obj) || PyUnicode_Compare(a->obj, b->obj)))
		return false;
	if (a->kind != E_NAME && a->kind != E_CONST && a->kind != E_BOUND && a->kind != E_ATTR && a->kind != E_SUBSCR &&
	    a->kind != E_TUPLE && a->kind != E_LIST && a->kind != E_BINARY)
		return false;
	for (i = 0; i < a->n; i++)
		if (!a->kid[i] || !b->kid[i] || !reads_same(a->kid[i], b->kid[i]))
			return false;
	return true;
}

/* target = value, of the function that this statement defines: annotations that its definition has. */
static bool same_annotations(const struct stmt *def, const struct expr *target, const struct expr *value)
{
	const struct expr *list = def->function->annotations ? def->function->annotations->e : NULL;
	int i;

	if (!read_attribute(target, "__annotations__") || !dec_same(target->kid[0], def->target) ||
	    value->kind != E_DICT || (list && list->kind != E_TUPLE) || value->n != (list ? list->n : 0))
		return false;
	for (i = 0; i < value->n; i++)
		if (!value->kid[i] || !reads_same(list->kid[i], value->kid[i]))
			return false;
	return true;
}

static bool is_empty_tuple(const struct expr *e)
{
	return (e->kind == E_TUPLE && !e->n) ||
	       (e->kind == E_CONST && e->obj && PyTuple_CheckExact(e->obj) && !PyTuple_GET_SIZE(e->obj));
}

/* The same of an attribute that CPython 3.12 and later have: that it has no type parameters. */
static bool same_as_defined(const struct stmt *def, const struct expr *target, const struct expr *value)
{
	if (read_attribute(target, "__type_params__"))
		return dec_same(target->kid[0], def->target) && is_empty_tuple(value);
	return same_annotations(def, target, value);
}

static void read_annotated(struct body *b)
{
	struct stmt *s;

	dec_deep();
	for (s = b->first; s; s = s->next) {
		read_annotated(&s->body);
		read_annotated(&s->other);
		read_annotated(&s->last);
		while (s->kind == S_DEF && s->next && s->next->kind == S_ASSIGN &&
		       same_as_defined(s, s->next->target, s->next->value)) {
			s->to = s->next->to > s->to ? s->next->to : s->to;
			s->next = s->next->next;
		}
	}
	dec_body_end(b);
}

/* ---- what functools.wraps() sets ---------------------------------------------------------------- */

enum { ALWAYS = 5 }; /* attributes that are always set, see wrapper_attribute() */

/* The statements after a definition, up to the one that sets __wrapped__ of what it defines. */
struct wrapping {
	const struct reader *r;
	const struct expr *f;
	struct stmt *first, *last; /* the first that sets an attribute of f; the one of __wrapped__ */
	int set;		   /* bits: which attributes are set */
};

/* A variable whose value was set. */
struct held {
	struct expr *e;
	struct held *next;
};

/* Nothing is called to evaluate it, and f is not read. */
static bool plain_value(const struct expr *e, const struct expr *f)
{
	int i;

	dec_deep();
	if (e->kind != E_CONST && e->kind != E_BOUND && e->kind != E_NAME && e->kind != E_TEMP && e->kind != E_ATTR &&
	    e->kind != E_TUPLE && e->kind != E_DICT)
		return false;
	for (i = 0; i < e->n; i++)
		if (!e->kid[i] || !plain_value(e->kid[i], f))
			return false;
	return !read_uses(e, f);
}

/* F.NAME = value, where functools.wraps() sets NAME: its number; -1: another statement.  From CPython 3.14 on it sets
   __annotate__, not __annotations__. */
static int wrapper_attribute(const struct stmt *s, const struct expr *f)
{
	static const char *const names[] = { "__module__",  "__name__",	       "__qualname__",	  "__doc__",
					     "__wrapped__", "__annotations__", "__type_params__", "__annotate__" };
	int i;

	if (s->kind != S_ASSIGN || s->target->kind != E_ATTR || !dec_same(s->target->kid[0], f) ||
	    !plain_value(s->value, f))
		return -1;
	for (i = 0; i < (int)(sizeof(names) / sizeof(names[0])); i++)
		if (read_attribute(s->target, names[i]))
			return i;
	return -1;
}

static bool sets_wrapper(const struct stmt *s, const struct expr *f)
{
	return wrapper_attribute(s, f) >= 0;
}

static bool plain_item(const struct item *i, const struct expr *f)
{
	return !i || (i->kind == I_VALUE && plain_value(i->e, f));
}

static bool plain_made(const struct function *made, const struct expr *f)
{
	return plain_item(made->defaults, f) && plain_item(made->kwdefaults, f) && plain_item(made->annotations, f);
}

/* What may be between: it makes something else, and changes nothing that the values are read from. */
static bool may_be_between(const struct reader *r, const struct stmt *s, const struct expr *f)
{
	const struct expr *t = s->target;

	if (s->folded || !t || read_uses(t, f))
		return false;
	if (s->kind == S_DEF)
		return !s->value && plain_made(s->function, f);
	if (s->kind != S_ASSIGN ||
	    !(s->value->kind == E_LAMBDA ? plain_made(s->value->function, f) : plain_value(s->value, f)))
		return false;
	return t->kind == E_TEMP || (t->kind == E_NAME && run_has_variable(r->d->c, t->obj)) ||
	       ((read_attribute(t, "__annotations__") || read_attribute(t, "__type_params__")) &&
		plain_value(t->kid[0], f));
}

static const struct expr *changed(const struct stmt *s)
{
	return s->target->kind == E_ATTR ? s->target->kid[0] : s->target;
}

/* The value of each attribute is the same after what is between it and the last. */
static bool values_stay(const struct wrapping *w)
{
	const struct stmt *s, *t;

	for (s = w->first; s != w->last; s = s->next) {
		if (!sets_wrapper(s, w->f))
			continue;
		for (t = s->next; t != w->last; t = t->next)
			if (!sets_wrapper(t, w->f) && read_uses(s->value, changed(t)))
				return false;
	}
	return true;
}

static bool find_wrapping(struct wrapping *w, struct stmt *def)
{
	struct stmt *s;

	for (s = def->next; s && !w->last; s = s->next) {
		if (!sets_wrapper(s, w->f)) {
			if (!may_be_between(w->r, s, w->f))
				return false;
			continue;
		}
		if (!w->first)
			w->first = s;
		w->set |= 1 << wrapper_attribute(s, w->f);
		if (read_attribute(s->target, "__wrapped__"))
			w->last = s;
	}
	return w->last && (w->set & ((1 << ALWAYS) - 1)) == (1 << ALWAYS) - 1 && values_stay(w);
}

static void note_held(const struct wrapping *w, struct held **held, struct expr *e)
{
	struct held *more;

	if (e->kind != E_TEMP && !read_own(w->r, e))
		return;
	more = dec_alloc(w->r->d, sizeof(*more));
	more->e = e;
	more->next = *held;
	*held = more;
}

/* The attributes are set in one statement, the last. */
static void join_wrapping(const struct wrapping *w, struct held **held, struct stmt *def)
{
	struct stmt **at, *s;
	bool apart = false;

	for (s = w->first; s != w->last; s = s->next)
		apart = apart || !sets_wrapper(s, w->f);
	if (!apart && w->first->from >= 0)
		w->last->from = w->first->from;
	for (at = &def->next; (s = *at) != w->last;) {
		if (sets_wrapper(s, w->f)) {
			note_held(w, held, s->value);
			*at = s->next;
		} else {
			at = &s->next;
		}
	}
	w->last->kind = S_WRAPS;
	w->last->target = (struct expr *)w->f;
}

/* Does a definition that begins at `from` make a function with these annotations?  A lambda has none. */
static bool made_with(const struct stmt *from, const struct stmt *s, const struct expr *value)
{
	for (; from != s; from = from->next) {
		if (!dec_same(from->target, changed(s)))
			continue;
		if (from->kind == S_DEF)
			return same_as_defined(from, s->target, value);
		return from->value->kind == E_LAMBDA && ((value->kind == E_DICT && !value->n) || is_empty_tuple(value));
	}
	return false;
}

/* t = {...}; G.__annotations__ = t, as the definition of G has them: t is for the wrapper alone.  Or a value itself. */
static void drop_annotations(const struct wrapping *w, struct stmt *def)
{
	struct stmt **at, *s, *t;

	for (at = &def->next; (s = *at) != w->last;) {
		for (t = def->next; t != s && (t->kind != S_ASSIGN || !dec_same(t->target, s->value)); t = t->next)
			;
		if (s->kind == S_ASSIGN && s->target->kind == E_ATTR &&
		    made_with(def->next, s, t != s ? t->value : s->value))
			*at = s->next;
		else
			at = &s->next;
	}
}

/* Variables of the compiler's own that only held what was set. */
static void drop_held(const struct held *held, struct body *all, struct body *b)
{
	const struct held *h;
	struct stmt **at, *s;

	dec_deep();
	for (at = &b->first; (s = *at) != NULL;) {
		drop_held(held, all, &s->body);
		drop_held(held, all, &s->other);
		drop_held(held, all, &s->last);
		for (h = held; h && (s->kind != S_ASSIGN || !dec_same(h->e, s->target)); h = h->next)
			;
		if (h && read_uses_in(all, h->e) == 1 && !read_uses_made(all, h->e))
			*at = s->next;
		else
			at = &s->next;
	}
	dec_body_end(b);
}

static void join_all(const struct reader *r, struct held **held, struct body *b)
{
	struct stmt *s;

	dec_deep();
	for (s = b->first; s; s = s->next) {
		struct wrapping w = { .r = r, .f = s->target };

		join_all(r, held, &s->body);
		join_all(r, held, &s->other);
		join_all(r, held, &s->last);
		if (s->kind != S_DEF || !s->next || !find_wrapping(&w, s))
			continue;
		join_wrapping(&w, held, s);
		drop_annotations(&w, s);
		dec_body_end(b);
	}
}

void read_wrapped(struct dec *d, struct body *b)
{
	struct held *held = NULL;

	read_annotated(b);
	join_all(d->reader, &held, b);
	if (held)
		drop_held(held, b, b);
}
