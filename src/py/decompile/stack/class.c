/* SPDX-License-Identifier: BSD-3-Clause */
/* Class statements: the code of a class's body as its statements, and the call of __build_class__() as the line above
   them.  Knows no control flow. */
#include <Python.h>
#include <string.h>
#include "py/asm/asm_impl.h"
#include "py/decompile/stack/definitions.h"
#include "py/decompile/stack/run.h"

/* The body of a class or a module: what the compiler puts at its beginning and at the end of each way through
   it is not in the text, and neither has a return. */

static bool is_known_end(const struct stmt *s)
{
	static const char *const names[] = { "__classcell__", "__classdictcell__", "__static_attributes__" };
	int i;

	if (s->kind == S_RETURN)
		return s->value->kind == E_CELL || dec_is_none(s->value);
	for (i = 0; i < 3; i++)
		if (stmt_stores(s, names[i]) && s->value->kind == (i < 2 ? E_CELL : E_CONST))
			return true;
	return false;
}

/* Each handler leaves, and there is no `finally`: what follows the statement is for when nothing was raised. */
static bool handlers_leave(const struct stmt *s)
{
	const struct stmt *c;

	for (c = s->other.first; c; c = c->next)
		if (c->text || !dec_body_leaves(&c->body))
			return false;
	return s->other.first != NULL;
}

/* try: A; except: B; else: C; return.  C; return: the compiler has copied what follows the statement. */
static void drop_copy(struct body *b, struct stmt *s)
{
	struct body after = { s->next, NULL };
	struct stmt **at;

	for (at = &s->last.first; *at && (*at)->next; at = &(*at)->next)
		;
	if (s->kind == S_TRY && *at && (*at)->kind == S_RETURN && !handlers_leave(s) && dec_same_body(&s->last, &after))
		dec_body_init(&s->last);
	dec_body_end(b);
}

/* if X: A; return.  B: the text of a class's body has no return, but an `else`. */
static void arms(struct body *b)
{
	struct stmt *s;
	struct body *after;

	for (s = b->first; s; s = s->next) {
		after = s->kind == S_IF ? &s->other : &s->last;
		drop_copy(b, s);
		if (!s->next || after->first ||
		    !(s->kind == S_IF ? dec_body_leaves(&s->body) : s->kind == S_TRY && handlers_leave(s)))
			continue;
		after->first = s->next;
		s->next = NULL;
		dec_body_end(after);
		dec_body_end(b);
	}
}

/* Where nothing follows a loop, what ends the body in it is `break`. */
static void loop_ends(struct body *b)
{
	struct stmt *s;

	dec_deep();
	for (s = b->first; s; s = s->next) {
		if (s->kind == S_RETURN && dec_is_none(s->value)) {
			s->kind = S_BREAK;
			s->value = NULL;
		}
		if (s->kind == S_WHILE || s->kind == S_FOR)
			continue;
		loop_ends(&s->body);
		loop_ends(&s->other);
		loop_ends(&s->last);
	}
}

/* What ends the body is removed, on each way. */
void class_body_end(struct body *b)
{
	struct stmt **at, *s, *c;

	dec_deep();
	arms(b);
	for (;;) {
		for (at = &b->first; *at && (*at)->next; at = &(*at)->next)
			;
		if (!*at || !is_known_end(*at))
			break;
		*at = NULL;
		b->end = at;
	}
	s = *at;
	if (s && (s->kind == S_WHILE || s->kind == S_FOR) && !s->other.first)
		loop_ends(&s->body);
	if (!s || (s->kind != S_IF && s->kind != S_TRY && s->kind != S_WITH))
		return;
	if (s->kind != S_TRY || !s->last.first)
		class_body_end(&s->body);
	class_body_end(&s->last);
	if (s->kind == S_IF)
		class_body_end(&s->other);
	for (c = s->kind == S_TRY ? s->other.first : NULL; c; c = c->next)
		class_body_end(&c->body);
}

/* Removes the first statement if it assigns such an expression to this name. */
static bool body_take_first(struct body *b, const char *name, enum ekind kind)
{
	struct stmt *s = b->first;

	if (!stmt_stores(s, name) || s->value->kind != kind)
		return false;
	b->first = s->next;
	if (!b->first)
		b->end = &b->first;
	return true;
}

void class_body_doc(struct function *f)
{
	struct stmt *s = f->body.first;

	if (!stmt_stores(s, "__doc__") || s->value->kind != E_CONST || !literal_doc_is_plain(s->value->obj))
		return;
	f->doc = s->value->obj;
	body_take_first(&f->body, "__doc__", E_CONST);
}

/* `t = value; a = t; b.c = t`, where nothing else reads t: a = b.c = value. */
void class_body_chain_targets(struct dec *d, struct body *b)
{
	struct stmt *s, *last;
	struct expr *all;
	struct temp *t;
	int n;

	dec_deep();
	for (s = b->first; s; s = s->next) {
		class_body_chain_targets(d, &s->body);
		class_body_chain_targets(d, &s->other);
		class_body_chain_targets(d, &s->last);
		t = s->kind == S_ASSIGN && s->target->kind == E_TEMP ? s->target->temp : NULL;
		if (!t || t->stores != 1)
			continue;
		for (last = s, n = 0; last->next && last->next->kind == S_ASSIGN && last->next->value->kind == E_TEMP &&
				      last->next->value->temp == t && !dec_has_temp(last->next->target);
		     n++)
			last = last->next;
		if (n < 2 || n != t->uses)
			continue;
		all = dec_expr(d, E_TUPLE, "=", 0);
		all->kid = dec_alloc(d, (size_t)n * sizeof(struct expr *));
		for (last = s->next; all->n < n; last = last->next)
			all->kid[all->n++] = last->target;
		s->target = all;
		s->next = last;
		t->uses = t->stores = 0;
	}
	dec_body_end(b);
}

/* ---- which bodies have the same text ------------------------------------------------------------ */

/* A class changes names that begin with two underscores and do not end so: these are changed already. */
static bool is_private(PyObject *name)
{
	const char *s = PyUnicode_Check(name) ? PyUnicode_AsUTF8(name) : NULL;
	size_t n = s ? strlen(s) : 0;

	PyErr_Clear();
	return n > 2 && !strncmp(s, "__", 2) && strcmp(s + n - 2, "__") != 0;
}

static bool any_private(PyObject *names)
{
	Py_ssize_t i;

	for (i = 0; i < PyTuple_GET_SIZE(names); i++)
		if (is_private(PyTuple_GET_ITEM(names, i)))
			return true;
	return false;
}

/* Names of the code, of its variables and keywords, and of all code within it. */
static bool uses_private(PyCodeObject *co)
{
	Py_ssize_t i;
	PyObject *v;

	dec_deep();
	if (any_private(co->co_names) || any_private(co->co_localsplusnames) || is_private(co->co_name))
		return true;
	for (i = 0; i < PyTuple_GET_SIZE(co->co_consts); i++) {
		v = PyTuple_GET_ITEM(co->co_consts, i);
		if ((PyTuple_CheckExact(v) && any_private(v)) || (PyCode_Check(v) && uses_private((PyCodeObject *)v)))
			return true;
	}
	return false;
}

/* A variable of the decompiler's own would be an attribute of the class; and nothing that is not covered. */
static bool is_class_text(const struct body *b)
{
	const struct stmt *s;

	dec_deep();
	for (s = b->first; s; s = s->next) {
		if (s->kind == S_BYTECODE || s->kind == S_RETURN || dec_has_temp(s->target) || dec_has_temp(s->value))
			return false;
		if (s->function && (item_has_temp(s->function->defaults) || item_has_temp(s->function->kwdefaults) ||
				    item_has_temp(s->function->annotations)))
			return false;
		if (!is_class_text(&s->body) || !is_class_text(&s->other) || !is_class_text(&s->last))
			return false;
	}
	return true;
}

static bool take_frame(struct function *f)
{
	const PyCodeObject *co = (const PyCodeObject *)f->code->co;
	const struct stmt *s;

	if (!body_take_first(&f->body, "__module__", E_NAME) || !stmt_stores(s = f->body.first, "__qualname__") ||
	    s->value->kind != E_CONST || PyObject_RichCompareBool(s->value->obj, co->co_qualname, Py_EQ) != 1 ||
	    !body_take_first(&f->body, "__qualname__", E_CONST))
		return false;
	if (op_named("CALL_KW") >= 0 && !body_take_first(&f->body, "__firstlineno__", E_CONST))
		return false;
	class_body_end(&f->body);
	return true;
}

/* ---- the body ----------------------------------------------------------------------------------- */

static struct function *class_body(struct run *r, PyCodeObject *co)
{
	struct dec *d = r->d;
	struct function *f;

	d->made.body = true;
	f = uses_private(co) ? NULL : nested_make(r, co);
	d->made.body = false;
	if (!f)
		return NULL;
	d->steps->join(d, &f->body);
	if (!take_frame(f))
		return NULL;
	d->steps->count(d, &f->body);
	class_body_chain_targets(d, &f->body);
	if (!is_class_text(&f->body))
		return NULL;
	class_body_doc(f);
	return f;
}

static const struct ins *class_next(struct run *r, const struct ins *in)
{
	for (in++; in < r->d->ins + r->end && in->op == D_NOP; in++)
		;
	return in < r->d->ins + r->end ? in : NULL;
}

struct function *class_pushed(struct run *r, PyCodeObject *co)
{
	const struct ins *next = class_next(r, r->at);
	struct function *f;

	while (next && next->op == D_FUNCTION_PART)
		next = class_next(r, next);
	if (r->d->made.raw_class || (co->co_flags & CO_OPTIMIZED) || !next || next->op != D_CONST ||
	    !PyUnicode_CheckExact(next->obj) || PyUnicode_Compare(next->obj, co->co_name))
		return NULL;
	f = class_body(r, co);
	if (!f)
		return NULL;
	r->d->made.class = true;
	run_push_item(r, run_item(r, I_CLASS, dec_none(r->d), true));
	run_top(r, 1)->data = f;
	return f;
}

const struct item *class_builder(const struct run *r)
{
	const struct item *under = r->n ? r->stack[r->n - 1] : NULL;

	if (under && under->kind == I_NULL && r->n > 1)
		under = r->stack[r->n - 2];
	return under && under->kind == I_VALUE ? under : NULL;
}

bool class_made(struct run *r, PyCodeObject *co)
{
	const struct item *under = class_builder(r);

	return under && under->e->kind == E_BOUND && under->e->text && class_pushed(r, co);
}

/* ---- its line ----------------------------------------------------------------------------------- */

/* The instruction that stores what is made under this name, perhaps after decorators are called; their number, -1:
   something else. */
static int class_stored(struct run *r, PyObject *name, const struct ins **store)
{
	int n = 0;

	for (*store = class_next(r, r->at); *store && (*store)->op == D_CALL && !(*store)->arg; n++)
		*store = class_next(r, *store);
	if (!*store ||
	    ((*store)->op != D_STORE_FAST && (*store)->op != D_STORE_DEREF && (*store)->op != D_STORE_GLOBAL &&
	     (*store)->op != D_STORE_NAME) ||
	    PyUnicode_Compare((*store)->obj, name))
		return -1;
	return n;
}

/* The statement that defines it: it is stored there, or a temporary takes it. */
static void class_define(struct run *r, struct function *f, const struct ins *store, int decorators)
{
	struct expr *e;

	if (!decorators) {
		if (store->op == D_STORE_FAST)
			run_written(r, store->obj);
		run_note_store(r, store);
		run_stmt(r, S_DEF, dec_name(r->d, store->obj), NULL)->function = f;
		r->skip = (int)(store - r->at);
		return;
	}
	e = dec_temp_use(r->d, dec_temp(r->d));
	run_stmt(r, S_DEF, e, NULL)->function = f;
	run_push(r, e, true);
}

static bool names_argument(const struct code *c, PyObject *name)
{
	const PyCodeObject *co = (const PyCodeObject *)c->co;
	const int n = co->co_argcount + co->co_kwonlyargcount + !!(co->co_flags & CO_VARARGS) +
		      !!(co->co_flags & CO_VARKEYWORDS);
	int i;

	for (i = 0; i < n && PyUnicode_Compare(PyTuple_GET_ITEM(co->co_localsplusnames, i), name); i++)
		;
	return i < n;
}

/* It reads or binds a variable of that name; to make a cell, or to pass it on, does neither. */
static bool touches_variable(const struct ins *in, PyObject *name)
{
	switch (in->op) {
	case D_FAST:
	case D_FAST_CLEAR:
	case D_STORE_FAST:
	case D_DELETE_FAST:
	case D_DEREF:
	case D_STORE_DEREF:
	case D_DELETE_DEREF:
		return in->obj && !PyUnicode_Compare(in->obj, name);
	default:
		return false;
	}
}

/* No variable that the code uses, no global and no other class has this name.  A cell may be passed on: functions that
   generated code makes refer to the class by it, which a resume function stores there. */
static bool is_unused(const struct run *r, PyObject *name, const char *text)
{
	struct code *c = r->d->c;
	const struct temp *t;
	int i;

	if (run_has_global(c, name) || names_argument(c, name))
		return false;
	for (i = 0; i < r->d->n; i++)
		if (touches_variable(&r->d->ins[i], name))
			return false;
	for (t = r->d->temps; t; t = t->next)
		if (t->name && !strcmp(t->name, text))
			return false;
	return true;
}

/* It is not stored under its name at once: the code that is read may use the name for it, as the source does. */
static void define_named(struct run *r, struct function *f)
{
	PyObject *name = ((PyCodeObject *)f->code->co)->co_name;
	const char *text = PyUnicode_AsUTF8(name);
	struct expr *e = dec_name(r->d, name);

	PyErr_Clear();
	if (!text || !dec_is_identifier(name) || !is_unused(r, name, text))
		dec_refuse(r->d, r->index, "a class whose name is taken");
	dec_temp(r->d)->name = text; /* no other gets it */
	e->steady = !run_has_variable(r->d->c, name) || run_own_variable(r->d->c, name);
	run_note_store(r, &(struct ins){ .op = D_STORE_DEREF, .obj = name });
	run_stmt(r, S_DEF, e, NULL)->function = f;
	run_push(r, e, true);
}

bool class_call(struct run *r, int n, PyObject *keys)
{
	const struct item *first = n >= 2 && n <= r->n ? r->stack[r->n - n] : NULL;
	int nkeys = keys ? (int)PyTuple_GET_SIZE(keys) : 0, i, decorators;
	const struct ins *store;
	struct function *f;
	struct item **args;
	struct expr **e;

	if (!first || first->kind != I_CLASS)
		return false;
	f = first->data;
	if (f->placed && (f->given || !(f = class_body(r, (PyCodeObject *)f->code->co))))
		dec_refuse(r->d, r->index, "a class that is made in two places");
	f->placed = true;
	args = run_pop_n(r, n);
	run_pop_n(r, 2);
	decorators = class_stored(r, ((PyCodeObject *)f->code->co)->co_name, &store);
	if ((decorators < 0 && !f->given) || nkeys > n - 2)
		dec_refuse(r->d, r->index, "a class that is not stored under its name");
	e = run_before(r, args + 2, n - 2);
	for (i = 0; i < nkeys; i++)
		e[n - 2 - nkeys + i] = run_keyword(r, PyTuple_GET_ITEM(keys, i), e[n - 2 - nkeys + i]);
	f->defaults = run_item(r, I_VALUE, dec_expr_n(r->d, E_TUPLE, NULL, e, n - 2), true);
	if (decorators < 0)
		define_named(r, f);
	else
		class_define(r, f, store, decorators);
	return true;
}

/* ---- names in it -------------------------------------------------------------------------------- */

static bool names_fast(struct code *c, PyObject *name)
{
	int i;

	for (i = 0; i < code_nlocals(c); i++)
		if (code_local_kind(c, i) != LOCAL_FREE &&
		    !PyUnicode_Compare(PyTuple_GET_ITEM(((PyCodeObject *)c->co)->co_localsplusnames, i), name))
			return true;
	return false;
}

/* A name that the body looks up: the text would find the variable of a function around it, or the class's own. */
void class_name(struct run *r, const struct ins *in)
{
	const struct dec *o, *of = code_kind_is_class(r->d->c) ? r->d : r->d->outer;

	const bool variable = run_is_local(r, in->obj);
	bool own = false;
	int i;

	if (in->text && variable && names_fast(r->d->c, in->obj))
		dec_refuse(r->d, r->index, "a name that the class may have, and that is a variable");
	for (i = 0; of && i < of->n; i++)
		own = own || (of->ins[i].op == D_STORE_NAME && !PyUnicode_Compare(of->ins[i].obj, in->obj));
	if (variable && own && code_kind_is_class(r->d->c) && !ins_is_named(r->d, in->index, "LOAD_NAME"))
		dec_refuse(r->d, r->index, "a name that is a variable of the class and of the function around it");
	for (o = r->d->outer; o && !variable && !own; o = o->outer)
		if (!code_kind_is_class(o->c) && run_has_variable(o->c, in->obj))
			dec_refuse(r->d, r->index, "a name that the function around the class has a variable of");
}
