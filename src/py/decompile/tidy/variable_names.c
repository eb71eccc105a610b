/* SPDX-License-Identifier: BSD-3-Clause */
/* Generated code for people: variables of the compiler's own that stay get names that say what they hold.  Not for text
   that is compiled. */
#include <Python.h>
#include <string.h>
#include "py/decompile/shape/shape.h"
#include "py/decompile/tidy/read.h"

struct naming {
	struct reader *r;
	struct body *all;
	struct expr **pair; /* the two variables of a loop over items(), which the next such loop has, too */
};

/* The variable has this name wherever it is, if nothing else has. */
static void name_own(const struct naming *n, struct expr **at, const char *name)
{
	const struct own *o = *at ? read_own(n->r, *at) : NULL;
	const struct expr *was = *at;
	struct temp *t;

	if (!name || !o || o->result || o->stores != 1 || read_uses_in(n->all, was) != o->uses + 1)
		return;
	t = dec_temp(n->r->d);
	t->hint = name;
	if (dec_hinted_name(n->r->d, n->r->d->c, t))
		read_put(n->all, was, dec_temp_use(n->r->d, t));
}

static bool is_items(const struct expr *e)
{
	return e->kind == E_CALL && e->n == 1 && read_attribute(e->kid[0], "items");
}

/* No statement but those of the loop reads the variable. */
static bool is_of_loop(const struct naming *n, const struct stmt *loop, const struct expr *v)
{
	return read_uses_in(&loop->body, v) + 1 == read_uses_in(n->all, v);
}

/* for k, v in X.items(), where X is dict_from if it has no name.  A loop that is not within another one has the
   variables of the one before. */
static void name_items_loop(const struct naming *n, struct stmt *s, bool within)
{
	static const char *const names[] = { "k", "v" };
	struct expr **kid = s->target->kid;
	int i;

	for (i = 0; i < 2; i++) {
		const struct own *o = read_own(n->r, kid[i]);
		const struct expr *was = kid[i];

		if (!within && n->pair[i] && o && o->stores == 1 && is_of_loop(n, s, was) &&
		    o->uses + 1 == read_uses_in(n->all, was))
			read_put(n->all, was, n->pair[i]);
		else
			name_own(n, &kid[i], names[i]);
		if (!within && !n->pair[i] && kid[i]->kind == E_TEMP && is_of_loop(n, s, kid[i]))
			n->pair[i] = kid[i];
	}
	name_own(n, &s->value->kid[0]->kid[0], "dict_from");
}

/* X.__name__: X_name, and of another object: name. */
static const char *dunder_name(struct dec *d, const struct expr *object, const char *name)
{
	const char *of = object->kind == E_NAME ? PyUnicode_AsUTF8(object->obj) : NULL;
	const int n = (int)strlen(name) - 4;

	if (n < 1 || strncmp(name, "__", 2) || strcmp(name + n + 2, "__"))
		return NULL;
	return of ? dec_text(d, "%s_%.*s", of, n, name + 2) : dec_text(d, "%.*s", n, name + 2);
}

/* X._modules["layer"]._parameters: layer_parameters, and of "0": parameters_0. */
static const char *attribute_name(struct dec *d, const struct expr *e)
{
	const char *name = e->obj ? PyUnicode_AsUTF8(e->obj) : NULL,
		   *key = e->kid[0]->kind == E_SUBSCR ? dec_string(e->kid[0]->kid[1]) : NULL;

	PyErr_Clear();
	if (name && name[0] == '_' && name[1] == '_')
		return dunder_name(d, e->kid[0], name);
	if (!name || !key || name[0] != '_')
		return name;
	if (PyUnicode_IsIdentifier(e->kid[0]->kid[1]->obj)) /* a keyword, too */
		return dec_text(d, "%s%s", key, name);
	return *key && strspn(key, "0123456789") == strlen(key) ? dec_text(d, "%s_%s", name + 1, key) : name;
}

static const char *held_name(struct dec *d, const struct expr *e);

/* X[0]: X_0 */
static const char *item_name(struct dec *d, const struct expr *e)
{
	const char *of = dec_string(e->kid[1]);
	const long k = dec_number(e->kid[1]);

	if (of)
		return dec_is_identifier(e->kid[1]->obj) ? of : NULL;
	of = k < 0		       ? NULL :
	     e->kid[0]->kind == E_NAME ? PyUnicode_AsUTF8(e->kid[0]->obj) :
	     e->kid[0]->kind == E_TEMP ? e->kid[0]->temp->hint :
					 held_name(d, e->kid[0]);
	return of ? dec_text(d, "%s_%ld", of, k) : NULL;
}

static bool is_own_name(struct dec *d, const char *name)
{
	const char *what = d->style->reads_as(d->style->arg, name);

	return what && !*what;
}

/* The class whose object this call makes: one of the compiler's, or MODULE.Class, which a capital tells from a
   function, or that of CLASS.__new__(CLASS, ...); or NULL. */
static const char *class_called(struct dec *d, const struct expr *call)
{
	const struct expr *f = call->kid[0];
	const char *name = library_module(d, f);

	if (read_attribute(f, "__new__") && call->n > 1 &&
	    (call->kid[1]->kind == E_NAME || (call->kid[1]->kind == E_ATTR && call->kid[1]->obj))) {
		name = PyUnicode_AsUTF8(call->kid[1]->obj);
		return name && is_own_name(d, name) ? "_" : name;
	}
	if (name && *name && !strchr(name, '.'))
		return name;
	name = f->kind == E_ATTR && f->obj && f->kid[0]->kind == E_NAME ? PyUnicode_AsUTF8(f->obj) : NULL;
	return name && *name >= 'A' && *name <= 'Z' ? name : NULL;
}

static bool is_type(struct dec *d, const struct expr *f)
{
	const char *module = f->kind == E_ATTR && f->obj ? library_module(d, f->kid[0]) : NULL;

	if (f->kind != E_NAME && (!module || strcmp(module, "builtins")))
		return false;
	return !PyUnicode_CompareWithASCIIString(f->obj, "type");
}

/* MODULE.f(X, 0), as it reads an item of an iterator without advancing it: X_0; or NULL. */
static const char *numbered_name(struct dec *d, const struct expr *e)
{
	const struct expr *f = e->kid[0];
	const char *of = e->n == 3 && e->kid[1]->kind == E_NAME && f->kind == E_ATTR && library_module(d, f->kid[0]) ?
				 PyUnicode_AsUTF8(e->kid[1]->obj) :
				 NULL;
	const long k = of && !is_own_name(d, of) ? dec_number(e->kid[2]) : -1;

	return k < 0 ? NULL : dec_text(d, "%s_%ld", of, k);
}

/* A new object of a class, list(X), type(X), MODULE.f(X, 0), or X.size(0): X_size_0 */
static const char *called_name(struct dec *d, const struct expr *e)
{
	const struct expr *f = e->kid[0];
	const char *of = class_called(d, e);

	if (of)
		return *of == '_' ? "new_object" : dec_text(d, "new_%s", of);
	if (f->kind == E_BOUND && f->obj == (PyObject *)&PyList_Type)
		return "item";
	if (is_type(d, f) && e->n == 2 && e->kid[1]->kind == E_NAME && (of = PyUnicode_AsUTF8(e->kid[1]->obj)) &&
	    !is_own_name(d, of))
		return dec_text(d, "%s_class", of);
	if ((of = numbered_name(d, e)))
		return of;
	of = f->kind == E_ATTR && !f->obj && f->kid[0]->kind == E_NAME ? PyUnicode_AsUTF8(f->kid[0]->obj) : NULL;
	if (!of || e->n > 2 || (e->n == 2 && dec_number(e->kid[1]) < 0))
		return NULL;
	return e->n == 2 ? dec_text(d, "%s_%s_%ld", of, f->text, dec_number(e->kid[1])) :
			   dec_text(d, "%s_%s", of, f->text);
}

/* What an attribute, an item by its number or key, or a call of the compiler's library, is called. */
static const char *held_name(struct dec *d, const struct expr *e)
{
	const char *name = e->kind == E_CALL   ? called_name(d, e) :
			   e->kind == E_ATTR   ? attribute_name(d, e) :
			   e->kind == E_SUBSCR ? item_name(d, e) :
						 NULL;

	PyErr_Clear();
	return name && PyDict_GetItemString(PyEval_GetBuiltins(), name) ? dec_text(d, "%s_", name) : name;
}

/* A resume function gets the values of its frame in a list, if it deletes a variable: first those of the stack. */
static void name_listed(struct dec *d, const struct expr *list)
{
	int i;

	for (i = 0; i < list->n && list->kid[i]->kind != E_NAME; i++)
		if (list->kid[i]->kind == E_TEMP && !list->kid[i]->temp->hint)
			list->kid[i]->temp->hint = dec_text(d, "___stack%d", i);
}

/* Those that a function known by name is called with are called as it calls them. */
static void name_arguments(const struct naming *n, struct expr *call)
{
	const struct dec_style *style = n->r->d->style;
	const struct expr *f = call && call->kind == E_CALL ? call->kid[0] : NULL;
	const char *name, *argument;
	int i;

	if (f && f->kind == E_CALL) /* a function made by this one: it is called right away */
		f = f->kid[0];
	name = f && f->kind == E_NAME && style->argument ? PyUnicode_AsUTF8(f->obj) : NULL;
	PyErr_Clear();
	for (i = 1; name && i < call->n; i++) {
		if (call->kid[i]->kind != E_NAME && call->kid[i]->kind != E_TEMP && call->kid[i]->kind != E_LIST)
			continue;
		argument = style->argument(style->arg, n->r->d->c, name, i - 1);
		if (call->kid[i]->kind == E_NAME)
			name_own(n, &call->kid[i], argument);
		else if (call->kid[i]->kind == E_TEMP && !call->kid[i]->temp->hint)
			call->kid[i]->temp->hint = argument;
		else if (call->kid[i]->kind == E_LIST && argument && !strcmp(argument, "__resume_frame_values"))
			name_listed(n->r->d, call->kid[i]);
	}
}

/* The argument of that name; borrowed; NULL: none has it. */
static PyObject *argument_named(const struct dec *d, const char *name)
{
	PyCodeObject *co = (PyCodeObject *)d->c->co;
	int i;

	for (i = 0; i < co->co_argcount; i++)
		if (code_local_kind(d->c, i) == LOCAL_FAST && !strcmp(code_local_name(d->c, i), name))
			return PyTuple_GET_ITEM(co->co_localsplusnames, i);
	return NULL;
}

/* It has a name already, or may have that of an argument. */
static bool has_hint(struct dec *d, const struct temp *t)
{
	return t->hint && (argument_named(d, t->hint) || dec_hinted_name(d, d->c, t));
}

/* What the statement does with this value alone: X.NAME = v, X.update(v) or return v. */
static const char *name_from_use(struct dec *d, const struct stmt *s, const struct expr *v)
{
	const struct expr *e = s->value;
	const char *name;

	if (s->kind == S_RETURN)
		return dec_same(e, v) ? "result" : NULL;
	if (s->kind == S_ASSIGN && s->target->kind == E_ATTR && dec_same(e, v) && s->target->obj) {
		name = PyUnicode_AsUTF8(s->target->obj);
		return name && name[0] == '_' && name[1] == '_' ? dunder_name(d, v, name) : name;
	}
	if (s->kind != S_EXPR || e->kind != E_CALL || e->n != 2 || !dec_same(e->kid[1], v) ||
	    !read_attribute(e->kid[0], "update") || e->kid[0]->kid[0]->kind != E_NAME)
		return NULL;
	name = PyUnicode_AsUTF8(e->kid[0]->kid[0]->obj);
	return name ? dec_text(d, "new_%s", name) : NULL;
}

/* A value that says nothing of itself is called by its first use in a statement after it. */
static const char *name_by_use(struct dec *d, const struct stmt *s, const struct expr *v)
{
	const char *name;

	for (s = s->next; s && !read_uses_at(s, v) && !s->body.first && !s->other.first; s = s->next)
		;
	name = s ? name_from_use(d, s, v) : NULL;
	PyErr_Clear();
	return name;
}

/* A variable that is not the compiler's own, whose value is kept here, and a global: x_ and print_. */
static const char *value_name(const struct reader *r, const struct stmt *s)
{
	struct dec *d = r->d;
	const struct expr *e = s->value;
	const char *name = read_class_of(d, e, false) ? "dict_class" : held_name(d, e);

	if (!name && e->kind == E_NAME && !read_own(r, e) && (name = PyUnicode_AsUTF8(e->obj)))
		name = dec_text(d, "%s_", name);
	PyErr_Clear();
	return name ? name : name_by_use(d, s, s->target);
}

static void name_statement(const struct naming *n, struct stmt *s, bool within)
{
	struct dec *d = n->r->d;
	struct expr *t = s->target;
	const char *name;
	int i;

	if (s->kind == S_FOR && t->kind == E_TUPLE && t->n == 2 && is_items(s->value))
		name_items_loop(n, s, within);
	if (s->kind == S_RETURN)
		name_arguments(n, s->value);
	if (s->kind != S_ASSIGN || s->folded)
		return;
	for (i = 0; i < t->n && t->kind == E_TUPLE; i++)
		if (t->kid[i]->kind == E_TEMP && !has_hint(d, t->kid[i]->temp))
			t->kid[i]->temp->hint = name_by_use(d, s, t->kid[i]);
	name = value_name(n->r, s);
	if (t->kind == E_TEMP && name && !has_hint(d, t->temp) && !read_takes_result(n->r, s))
		t->temp->hint = name;
	else if (t->kind == E_NAME && !read_takes_result(n->r, s))
		name_own(n, &s->target, name);
}

static void name_statements(const struct naming *n, struct body *b)
{
	struct stmt *s;

	dec_deep();
	for (s = b->first; s; s = s->next) {
		name_statement(n, s, b != n->all);
		name_statements(n, &s->body);
		name_statements(n, &s->other);
		name_statements(n, &s->last);
	}
}

/* A statement, and the with statement whose body it is in. */
struct within {
	const struct stmt *s;
	const struct within *with;
};

/* The statement that comes next, in or after that with statement. */
static const struct stmt *next_within(const struct within *w, const struct stmt *s)
{
	for (s = read_next_shown(s); !s && w->with; w = w->with)
		s = read_next_shown(w->with->s);
	return s;
}

static bool makes_function(const struct expr *e)
{
	int i;

	dec_deep();
	for (i = 0; e && i < e->n; i++)
		if (makes_function(e->kid[i]))
			return true;
	return e && e->kind == E_LAMBDA;
}

/* The statement, or one within, reads, binds or deletes the variable, or makes a function, whose defaults may read
   it. */
static bool changes_use(const struct stmt *s, const struct expr *v)
{
	const struct body *const within[] = { &s->body, &s->other, &s->last };
	const struct stmt *t;
	int i;

	dec_deep();
	if (read_uses(s->value, v) || read_uses(s->target, v) || s->function || makes_function(s->value))
		return true;
	for (i = 0; i < 3; i++)
		for (t = within[i]->first; t; t = t->next)
			if (changes_use(t, v))
				return true;
	return false;
}

/* The statement that returns what comes next, if none before it, nor it itself, reads or binds the variable; else
   NULL. */
static const struct stmt *returned_after(const struct within *w, const struct expr *v)
{
	const struct stmt *s = w->s;

	for (s = next_within(w, s); s && s->kind != S_RETURN; s = next_within(w, s))
		if (changes_use(s, v))
			return NULL;
	return s && !changes_use(s, v) ? s : NULL;
}

/* t = value; ...; return f(t), where f calls it as an argument is called that nobody reads any more: it takes that
   name. */
static void name_again(const struct reader *r, const struct within *w)
{
	struct dec *d = r->d;
	const struct stmt *s = w->s;
	struct temp *t = s->kind == S_ASSIGN && s->target->kind == E_TEMP ? s->target->temp : NULL;
	PyObject *name = t && t->hint && t->stores == 1 ? argument_named(d, t->hint) : NULL;
	const struct stmt *end = name ? returned_after(w, dec_name(d, name)) : NULL;
	const char *held;

	if (end && read_uses(end->value, s->target)) {
		t->name = t->hint;
	} else if (name && !dec_hinted_name(d, d->c, t)) {
		held = value_name(r, s);
		t->hint = held ? held : t->hint;
	}
}

static void name_all_again(const struct reader *r, const struct body *b, const struct within *with)
{
	struct within w = { NULL, with };

	dec_deep();
	for (w.s = b->first; w.s; w.s = w.s->next) {
		name_again(r, &w);
		if (w.s->kind == S_WITH)
			name_all_again(r, &w.s->body, &w);
	}
}

/* A new object is called after its type, what a call or an item of an object gives after the object: d_items,
   d_item. */
static const char *made_name(struct dec *d, const struct expr *e)
{
	const struct expr *of = e->kind == E_CALL && e->kid[0]->kind == E_ATTR && e->kid[0]->obj ? e->kid[0]->kid[0] :
				e->kind == E_SUBSCR						 ? e->kid[0] :
												   NULL;
	const char *name = of && of->kind == E_NAME ? PyUnicode_AsUTF8(of->obj) : NULL,
		   *what = e->kind != E_CALL ? "item" :
			   of		     ? PyUnicode_AsUTF8(e->kid[0]->obj) :
					       NULL;

	PyErr_Clear();
	if (name && what && !is_own_name(d, name))
		return dec_text(d, "%s_%s", name, what);
	return e->kind == E_LIST   ? "new_list" :
	       e->kind == E_DICT   ? "new_dict" :
	       e->kind == E_SET	   ? "new_set" :
	       e->kind == E_TUPLE  ? "new_tuple" :
	       e->kind == E_LAMBDA ? "function" :
	       e->kind == E_CALL   ? "returned" :
	       e->kind == E_SUBSCR ? "item" :
				     NULL;
}

static void name_made(const struct naming *n, struct body *b)
{
	struct stmt *s;

	dec_deep();
	for (s = b->first; s; s = s->next) {
		if (s->kind == S_ASSIGN && s->target->kind == E_NAME && !s->folded)
			name_own(n, &s->target, made_name(n->r->d, s->value));
		else if (s->kind == S_ASSIGN && s->target->kind == E_TEMP && !has_hint(n->r->d, s->target->temp))
			s->target->temp->hint = made_name(n->r->d, s->value);
		name_made(n, &s->body);
		name_made(n, &s->other);
		name_made(n, &s->last);
	}
}

void read_own_names(struct dec *d, struct body *b)
{
	struct expr *pair[2] = { NULL, NULL };
	const struct naming n = { d->reader, b, pair };

	name_statements(&n, b);
	name_all_again(d->reader, b, NULL);
	name_made(&n, b);
}
