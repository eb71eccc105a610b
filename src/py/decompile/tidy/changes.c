/* SPDX-License-Identifier: BSD-3-Clause */
/* Which values of generated code are the same in another place: what its statements can change.  Writes nothing. */
#include <Python.h>
#include <string.h>
#include "py/decompile/stack/definitions.h"
#include "py/decompile/tidy/read.h"

struct own *read_own(const struct reader *r, const struct expr *e)
{
	PyObject *k = e && e->kind == E_NAME ? PyDict_GetItemWithError(r->index, e->obj) : NULL;

	PyErr_Clear();
	return k ? &r->own[PyLong_AsLong(k)] : NULL;
}

bool read_takes_result(const struct reader *r, const struct stmt *s)
{
	const struct own *o = s->value->kind == E_SUBSCR ? read_own(r, s->value->kid[0]) : NULL;

	return o && o->result;
}

void read_fold(const struct dec *d, struct stmt *s)
{
	int i;

	s->folded = d->style->folded && s->from >= 0;
	for (i = s->from; s->folded && i <= s->to; i++)
		s->folded = d->style->folded(d->style->arg, d->c, i) != NULL;
}

void read_fold_all(struct dec *d, struct body *b)
{
	struct stmt *s;

	dec_deep();
	for (s = b->first; s; s = s->next) {
		read_fold(d, s);
		read_fold_all(d, &s->body);
		read_fold_all(d, &s->other);
		read_fold_all(d, &s->last);
	}
}

/* ---- what a statement can change ---------------------------------------------------------------- */

static bool is_method(const struct expr *e)
{
	static const char *const methods[] = { "update",  "clear",	 "extend",	"append",   "items",	  "get",
					       "__new__", "__getitem__", "__setitem__", "setstate", "OrderedDict" };
	size_t i;

	for (i = 0; e->kind == E_ATTR && e->obj && i < sizeof(methods) / sizeof(methods[0]); i++)
		if (!PyUnicode_CompareWithASCIIString(e->obj, methods[i]))
			return true;
	return false;
}

/* What call_form_written() has written: it only tells something of a tensor, a dictionary or a set. */
static bool is_of_form(const struct expr *e)
{
	return (e->kind == E_ATTR && !e->obj) || (e->kind == E_BOUND && e->obj == (PyObject *)&PyList_Type);
}

static bool reads_own_as(const struct dec *d, const struct expr *e, const char *as)
{
	const char *what = NULL;

	if (e->kind == E_NAME && run_has_variable(d->c, e->obj))
		what = d->style->reads_as(d->style->arg, PyUnicode_AsUTF8(e->obj));
	PyErr_Clear();
	return what && !strcmp(what, as);
}

/* graph_out_0[1].item */
static bool is_number_of_result(const struct dec *d, const struct expr *e)
{
	return e->kind == E_ATTR && e->obj && e->kid[0]->kind == E_SUBSCR &&
	       (!PyUnicode_CompareWithASCIIString(e->obj, "item") ||
		!PyUnicode_CompareWithASCIIString(e->obj, "tolist")) &&
	       reads_own_as(d, e->kid[0]->kid[0], "()");
}

/* cm.__enter__ of a context manager of the compiler's library */
static bool is_entered(const struct dec *d, const struct expr *e)
{
	return e->kind == E_ATTR && e->obj &&
	       (!PyUnicode_CompareWithASCIIString(e->obj, "__enter__") ||
		!PyUnicode_CompareWithASCIIString(e->obj, "__exit__")) &&
	       reads_own_as(d, e->kid[0], "with");
}

/* namedtuple's own TYPE._make, which only makes a tuple */
static bool makes_tuple(const struct expr *e)
{
	PyObject *f = e->kind == E_BOUND && PyMethod_Check(e->obj) ? PyMethod_GET_FUNCTION(e->obj) : NULL, *module;

	if (!f || !PyFunction_Check(f) || PyUnicode_CompareWithASCIIString(((PyFunctionObject *)f)->func_name, "_make"))
		return false;
	module = PyDict_GetItemString(PyFunction_GET_GLOBALS(f), "__name__");
	return module && PyUnicode_Check(module) && !PyUnicode_CompareWithASCIIString(module, "collections");
}

/* It binds no variable and sets no attribute, as far as code that a compiler makes calls it. */
bool read_tame(const struct dec *d, const struct expr *f)
{
	if (f->kind == E_CALL)
		f = f->kid[0];
	if (f->kind == E_NAME && !run_has_variable(d->c, f->obj))
		return f->steady || !PyUnicode_CompareWithASCIIString(f->obj, "type");
	return is_method(f) || is_of_form(f) || makes_tuple(f) || is_entered(d, f) || is_number_of_result(d, f) ||
	       (f->kind == E_ATTR && library_module(d, f->kid[0]));
}

static bool is_interrupted(const struct expr *e)
{
	return e->kind == E_YIELD || e->kind == E_YIELD_FROM || e->kind == E_AWAIT || e->kind == E_WALRUS;
}

/* How many calls in it may change anything. */
int read_wild(const struct dec *d, const struct expr *e)
{
	int i, n;

	dec_deep();
	if (!e)
		return 0;
	n = is_interrupted(e) || (e->kind == E_CALL && !read_tame(d, e->kid[0]));
	for (i = 0; i < e->n; i++)
		n += read_wild(d, e->kid[i]);
	return n;
}

/* What it calls may change any object. */
static bool has_method_call(const struct dec *d, const struct expr *e)
{
	int i;

	dec_deep();
	if (!e)
		return false;
	if (e->kind == E_CALL && e->kid[0]->kind == E_ATTR && !is_entered(d, e->kid[0]) &&
	    !is_number_of_result(d, e->kid[0]) && (!library_module(d, e->kid[0]->kid[0]) || library_form(d, e->kid[0])))
		return true;
	for (i = 0; i < e->n; i++)
		if (has_method_call(d, e->kid[i]))
			return true;
	return false;
}

/* What one statement, without those within, can change of a value that is computed from names, attributes and items. */
struct change {
	const struct dec *d;
	const struct stmt *s;
	bool all, items, attributes;
	bool dicts; /* items of a __dict__, which are attributes */
};

static bool is_simple(const struct stmt *s)
{
	return s->kind == S_EXPR || s->kind == S_ASSIGN || s->kind == S_AUG || s->kind == S_DELETE ||
	       s->kind == S_RETURN || s->kind == S_IF || s->kind == S_FOR || s->kind == S_WHILE || s->kind == S_TRY ||
	       s->kind == S_CLAUSE || s->kind == S_RAISE || s->kind == S_BREAK || s->kind == S_CONTINUE;
}

static int wild_item(const struct dec *d, const struct item *i)
{
	return i ? read_wild(d, i->e) : 0;
}

/* The definition of a function, which evaluates nothing that changes anything. */
static bool is_definition(const struct dec *d, const struct stmt *s)
{
	return s->kind == S_DEF && !s->value && !code_kind_is_class(s->function->code) &&
	       !wild_item(d, s->function->defaults) && !wild_item(d, s->function->kwdefaults) &&
	       !wild_item(d, s->function->annotations);
}

static struct change change_of(const struct dec *d, const struct stmt *s)
{
	struct change c = { .d = d, .s = s };
	const struct expr *t = s->target;

	if (s->folded) /* it serves the compiler alone */
		return c;
	c.all = !(is_simple(s) || is_definition(d, s)) || read_wild(d, s->value) || read_wild(d, t);
	c.dicts = has_method_call(d, s->value) || has_method_call(d, t) ||
		  (t && t->kind == E_SUBSCR && t->kid[1]->kind != E_SLICE);
	c.items = c.dicts || (t && t->kind == E_SUBSCR);
	c.attributes = t && t->kind == E_ATTR;
	return c;
}

static bool binds_name(const struct expr *target, const struct expr *e)
{
	int i;

	if (!target)
		return false;
	if (target->kind == E_TUPLE || target->kind == E_STAR) {
		for (i = 0; i < target->n; i++)
			if (binds_name(target->kid[i], e))
				return true;
		return false;
	}
	return target->kind == e->kind && target->obj && e->obj && !PyUnicode_Compare(target->obj, e->obj);
}

bool read_constant(const struct expr *e)
{
	return e->kind == E_CONST || e->kind == E_BOUND;
}

/* Nothing changes this value while the code runs. */
bool read_fixed(const struct reader *r, const struct expr *e)
{
	const struct own *o;

	if (read_constant(e) || (e->kind == E_TEMP && e->temp->stores == 1))
		return true;
	o = read_own(r, e);
	if (o)
		return o->stores == 1;
	if (e->kind == E_NAME)
		return e->steady && !run_has_variable(r->d->c, e->obj);
	if (e->kind == E_ATTR)
		return library_form(r->d, e) != NULL;
	o = e->kind == E_SUBSCR ? read_own(r, e->kid[0]) : NULL;
	return o && o->result && o->stores == 1 && read_constant(e->kid[1]);
}

static bool stays(const struct reader *r, const struct expr *e, const struct change *c);
static bool stays_each(const struct reader *r, const struct expr *e, const struct change *c);

static bool stays_lambda(const struct reader *r, const struct function *f, const struct change *c)
{
	return (!f->defaults || stays(r, f->defaults->e, c)) && (!f->kwdefaults || stays(r, f->kwdefaults->e, c));
}

/* A list, tuple, dictionary or set that is made of values, without looking into any of them: a new object, which
   nothing else can change. */
static bool only_makes(const struct expr *e)
{
	int i, step = e->kind == E_DICT ? 2 : 1;

	if (e->kind != E_TUPLE && e->kind != E_LIST && e->kind != E_SET && e->kind != E_DICT)
		return false;
	for (i = 0; i < e->n && (e->kind == E_SET || e->kind == E_DICT); i += step)
		if (!e->kid[i] || !read_constant(e->kid[i]))
			return false;
	return true;
}

/* {**x}: the items of x */
static bool has_merged(const struct expr *e)
{
	int i;

	for (i = 0; e->kind == E_DICT && i < e->n && e->kid[i]; i += 2)
		;
	return e->kind == E_DICT && i < e->n;
}

/* Is this value the same after what the statement does? */
static bool stays(const struct reader *r, const struct expr *e, const struct change *c)
{
	dec_deep();
	if (!e || read_fixed(r, e))
		return true;
	if (e->kind == E_LAMBDA)
		return stays_lambda(r, e->function, c);
	if ((e->kind == E_NAME || e->kind == E_ATTR) && binds_name(c->s->target, e))
		return false;
	if (e->kind == E_NAME && e->steady) /* a variable of the function: nobody else changes it */
		return true;
	if (!c->all && library_builtin(r->d, e)) /* as a global: only calls could bind it again */
		return true;
	if (only_makes(e))
		return stays_each(r, e, c);
	if (c->all || ((e->kind == E_SUBSCR || has_merged(e)) && (c->items || c->attributes)) ||
	    (e->kind == E_ATTR && c->dicts && !is_method(e) && !library_module(r->d, e->kid[0])))
		return false;
	return stays_each(r, e, c);
}

static bool stays_each(const struct reader *r, const struct expr *e, const struct change *c)
{
	int i;

	for (i = 0; i < e->n; i++)
		if (!stays(r, e->kid[i], c))
			return false;
	return true;
}

static bool stays_body(const struct reader *r, const struct expr *e, const struct body *b)
{
	const struct stmt *s;

	dec_deep();
	for (s = b->first; s; s = s->next)
		if (!read_stays(r, e, s))
			return false;
	return true;
}

bool read_stays(const struct reader *r, const struct expr *e, const struct stmt *s)
{
	struct change c;

	if (read_fixed(r, e))
		return true;
	c = change_of(r->d, s);
	return stays(r, e, &c) && stays_body(r, e, &s->body) && stays_body(r, e, &s->other) &&
	       stays_body(r, e, &s->last);
}
