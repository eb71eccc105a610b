/* SPDX-License-Identifier: BSD-3-Clause */
/* Type parameters (CPython 3.12 and later).  The compiler makes a hidden function of such a definition, which makes the
   parameters and then what is defined, and calls it: both become one statement again. */
#include <Python.h>
#include <string.h>
#include "py/decompile/stack/definitions.h"
#include "py/decompile/stack/run.h"

/* ---- the parameters ----------------------------------------------------------------------------- */

static struct param *param_new(struct run *r, const struct item *name, const char *stars)
{
	struct param *p = dec_alloc(r->d, sizeof(*p));

	if (name->kind != I_VALUE || name->e->kind != E_CONST || !PyUnicode_CheckExact(name->e->obj) ||
	    !dec_is_identifier(name->e->obj))
		dec_refuse(r->d, r->index, "a type parameter whose name is not known");
	p->name = name->e->obj;
	p->stars = stars;
	return p;
}

static void param_push(struct run *r, struct param *p)
{
	struct item *i = run_item(r, I_PARAM, NULL, true);

	i->data = p;
	run_push_item(r, i);
}

static struct expr *late(struct run *r)
{
	struct item *i = run_pop(r);

	if (i->kind != I_LATE)
		dec_refuse(r->d, r->index, "a bound or a default of a type parameter that has no text");
	return i->e;
}

static const struct expr *late_value(const struct expr *e)
{
	return e->function->body.first->value;
}

/* Constraints are a tuple in the text; a bound is not a tuple. */
static void bound(struct run *r, bool constraints)
{
	struct expr *e = late(r);
	const struct expr *v = late_value(e);
	struct param *p = param_new(r, run_pop(r), "");

	if ((v->kind == E_TUPLE || (v->kind == E_CONST && PyTuple_CheckExact(v->obj))) != constraints ||
	    v->kind == E_STAR)
		dec_refuse(r->d, r->index, "a type parameter with a bound of an unknown kind");
	p->bound = e;
	param_push(r, p);
}

static void param_default(struct run *r)
{
	struct expr *e = late(r);
	struct item *i = run_pop(r);
	struct param *p, *with = dec_alloc(r->d, sizeof(*with));

	if (i->kind != I_PARAM)
		dec_refuse(r->d, r->index, "a default of an unknown type parameter");
	p = i->data;
	if (p->value || p->stored || (late_value(e)->kind == E_STAR && strcmp(p->stars, "*") != 0))
		dec_refuse(r->d, r->index, "a default of a type parameter that has no text");
	*with = *p;
	with->value = e;
	param_push(r, with);
}

static struct params *all_params(struct run *r, const struct item *i)
{
	if (i->kind != I_PARAMS)
		dec_refuse(r->d, r->index, "type parameters that are not known");
	return i->data;
}

bool generic_tuple(struct run *r, struct item **items, int n)
{
	struct params *all;
	struct item *made;
	int i;

	if (!n || items[0]->kind != I_PARAM)
		return false;
	all = dec_alloc(r->d, sizeof(*all));
	all->param = dec_alloc(r->d, (size_t)n * sizeof(struct param *));
	all->n = n;
	for (i = 0; i < n; i++) {
		all->param[i] = items[i]->data;
		if (items[i]->kind != I_PARAM || !all->param[i]->stored)
			dec_refuse(r->d, r->index, "type parameters that are not known");
	}
	made = run_item(r, I_PARAMS, NULL, true);
	made->data = all;
	run_push_item(r, made);
	return true;
}

/* ---- variables of the hidden function ----------------------------------------------------------- */

static bool text_is(PyObject *name, const char *s)
{
	return !PyUnicode_CompareWithASCIIString(name, s);
}

bool generic_load(struct run *r, PyObject *name)
{
	struct item *i;

	if (!generic_is(r->d->c) || !r->d->depth || PyUnicode_READ_CHAR(name, 0) != '.')
		return false;
	if (text_is(name, ".type_params") && r->d->made.params) {
		i = run_item(r, I_PARAMS, NULL, true);
		i->data = r->d->made.params;
	} else if (text_is(name, ".generic_base") && r->d->made.params) {
		i = run_item(r, I_BASE, NULL, true);
	} else if (text_is(name, ".defaults") || text_is(name, ".kwdefaults")) {
		i = run_item(r, I_PASSED, NULL, true);
		i->data = name;
	} else {
		return false;
	}
	run_push_item(r, i);
	return true;
}

/* CPython 3.12 names the only argument .defaults, whatever it is. */
bool generic_passed(struct run *r, const struct item *i, bool keywords)
{
	const PyCodeObject *co = (const PyCodeObject *)r->d->c->co;
	const int at = keywords ? co->co_argcount - 1 : 0;

	if (at < 0 || PyUnicode_Compare(PyTuple_GET_ITEM(co->co_localsplusnames, at), i->data))
		dec_refuse(r->d, r->index, "a definition with defaults that are not known");
	return true;
}

bool generic_copy(struct run *r, struct item *i)
{
	struct item *twin;

	if (i->kind != I_PARAM)
		return false;
	twin = dec_alloc(r->d, sizeof(*twin));
	*twin = *i;
	run_push_item(r, twin);
	return true;
}

bool generic_store(struct run *r, PyObject *name, const struct item *v)
{
	struct param *p = v->data;

	switch (v->kind) {
	case I_PARAM:
		if (PyUnicode_Compare(p->name, name))
			break;
		p->stored = true;
		return true;
	case I_PARAMS:
		r->d->made.params = v->data;
		return text_is(name, ".type_params");
	case I_BASE:
		return text_is(name, ".generic_base");
	default:
		return false;
	}
	dec_refuse(r->d, r->index, "a type parameter that is not stored under its name");
}

bool generic_late(struct run *r, PyCodeObject *co, const struct ins *next)
{
	struct expr *e;

	if (!generic_is(r->d->c) || next >= r->d->ins + r->end || next->op != D_TYPE ||
	    (strcmp(next->text, "TYPEVAR_WITH_BOUND") != 0 && strcmp(next->text, "TYPEVAR_WITH_CONSTRAINTS") != 0 &&
	     strcmp(next->text, "SET_TYPEPARAM_DEFAULT") != 0))
		return false;
	e = alias_given(r, co);
	if (e)
		run_push_item(r, run_item(r, I_LATE, e, true));
	return e != NULL;
}

void generic_op(struct run *r, const struct ins *in)
{
	if (!generic_is(r->d->c) || !r->d->depth)
		dec_refuse(r->d, in->index, "INTRINSIC_%s", in->text);
	if (!strcmp(in->text, "TYPEVAR")) {
		param_push(r, param_new(r, run_pop(r), ""));
	} else if (!strcmp(in->text, "TYPEVARTUPLE")) {
		param_push(r, param_new(r, run_pop(r), "*"));
	} else if (!strcmp(in->text, "PARAMSPEC")) {
		param_push(r, param_new(r, run_pop(r), "**"));
	} else if (!strncmp(in->text, "TYPEVAR_WITH_", 13)) {
		bound(r, !strcmp(in->text, "TYPEVAR_WITH_CONSTRAINTS"));
	} else if (!strcmp(in->text, "SET_TYPEPARAM_DEFAULT")) {
		param_default(r);
	} else if (!strcmp(in->text, "SUBSCRIPT_GENERIC")) {
		all_params(r, run_pop(r));
		run_push_item(r, run_item(r, I_BASE, NULL, true));
	} else if (!strcmp(in->text, "SET_FUNCTION_TYPE_PARAMS")) {
		r->d->made.params = all_params(r, run_pop(r));
	} else {
		dec_refuse(r->d, in->index, "INTRINSIC_%s", in->text);
	}
}

/* The one statement of a hidden function, before it returns what that defines; NULL: it does something else, too. */
static struct stmt *defined(const struct function *f)
{
	const PyCodeObject *co = (const PyCodeObject *)f->code->co;
	struct stmt *s = f->body.first, *next = s ? s->next : NULL;
	struct function *of;
	bool var = co->co_flags & (CO_VARARGS | CO_VARKEYWORDS);

	if (!next || next->next || next->kind != S_RETURN || next->value->kind != E_TEMP || !f->params || var ||
	    co->co_kwonlyargcount || PySet_GET_SIZE(f->globals) || PySet_GET_SIZE(f->nonlocals))
		return NULL;
	if (s->kind == S_TYPE) {
		of = s->value->function;
		return generic_defines(f->code, s->target->obj) && !co->co_argcount ? s : NULL;
	}
	if (s->kind != S_DEF || s->value || s->target->kind != E_TEMP || s->target->temp != next->value->temp)
		return NULL;
	of = s->function;
	if (co->co_argcount != of->passed[0] + of->passed[1] ||
	    !generic_defines(f->code, ((PyCodeObject *)of->code->co)->co_name))
		return NULL;
	return s;
}

static struct function *function_defined(const struct stmt *s)
{
	return s->kind == S_TYPE ? s->value->function : s->function;
}

/* What the call of the hidden function of this code defines; NULL: it has no text. */
static struct stmt *definition_made(struct run *r, PyCodeObject *co)
{
	struct function *f = make_nested(r, co);
	struct stmt *s = f ? defined(f) : NULL;

	if (!s)
		return NULL;
	function_defined(s)->params = f->params;
	function_defined(s)->hidden = f->code;
	return s;
}

bool generic_made(struct run *r, PyCodeObject *co)
{
	struct stmt *s;
	struct item *i;

	if (r->d->made.raw_class || !generic_is(code_get((struct py_code *)co)) || !(s = definition_made(r, co)))
		return false;
	r->d->made.class = true;
	i = run_item(r, I_GENERIC, NULL, true);
	i->data = s;
	run_push_item(r, i);
	return true;
}

/* The arguments of its call are the defaults. */
static void take_defaults(struct run *r, struct function *f, struct item **args, int n)
{
	if (n != f->passed[0] + f->passed[1])
		dec_refuse(r->d, r->index, "a definition with defaults that are not known");
	tuple_items(r, args, n);
	if (!defaults_fit(f->passed[0] ? args[0] : NULL, f->passed[1] ? args[n - 1] : NULL))
		dec_refuse(r->d, r->index, "a definition with defaults that are not known");
	run_before(r, args, n);
	if (f->passed[0])
		f->defaults = args[0];
	if (f->passed[1])
		f->kwdefaults = args[n - 1];
}

bool generic_call(struct run *r, int n)
{
	struct item *const *pair = r->stack + r->n - n - 2, **args, *made;
	const struct ins *store;
	const struct stmt *s;
	int stored;

	if (n < 0 || r->n < n + 2 || (pair[0]->kind != I_GENERIC && pair[1]->kind != I_GENERIC))
		return false;
	made = pair[pair[0]->kind != I_GENERIC];
	n += made == pair[0] && pair[1]->kind != I_NULL;
	args = run_pop_n(r, n);
	run_pop_n(r, made == pair[1] || r->stack[r->n - 1]->kind == I_NULL ? 2 : 1);
	s = made->data;
	if (function_defined(s)->placed && !(s = definition_made(r, (PyCodeObject *)function_defined(s)->hidden->co)))
		dec_refuse(r->d, r->index, "a definition that is made in two places");
	function_defined(s)->placed = true;
	stored = class_stored(r, s->kind == S_TYPE ? s->target->obj : ((PyCodeObject *)s->function->code->co)->co_name,
			      &store);
	if (s->kind == S_TYPE) {
		if (stored || n)
			dec_refuse(r->d, r->index, "a type alias that is not stored under its name");
		run_before(r, NULL, 0);
		run_note_store(r, store);
		if (store->op == D_STORE_FAST)
			run_written(r, store->obj);
		run_stmt(r, S_TYPE, dec_name(r->d, store->obj), s->value);
		r->skip = (int)(store - r->at);
		return true;
	}
	if (class_is(s->function->code) && stored < 0)
		dec_refuse(r->d, r->index, "a class that is not stored under its name");
	take_defaults(r, s->function, args, n);
	class_define(r, s->function, store, stored < 0 ? 1 : stored);
	return true;
}
