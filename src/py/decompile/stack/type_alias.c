/* SPDX-License-Identifier: BSD-3-Clause */
/* `type X = value` (CPython 3.12 and later): the function that gives the value, and the instructions that make the
   alias of it. */
#include <Python.h>
#include <string.h>
#include "py/decompile/stack/definitions.h"
#include "py/decompile/stack/run.h"

bool alias_checks(const struct stmt *s)
{
	const struct stmt *raised = s ? s->body.first : NULL;

	return s && s->kind == S_IF && !s->other.first && s->value->kind == E_COMPARE && raised && !raised->next &&
	       raised->kind == S_RAISE && raised->value && !raised->target && raised->value->kind == E_BOUND &&
	       raised->value->obj == PyExc_NotImplementedError;
}

/* What these statements return, as one expression; NULL: they do something else, too. */
static struct expr *returned(struct dec *d, const struct stmt *s)
{
	struct expr *yes, *no;

	dec_deep();
	if (s && s->kind == S_RETURN && !s->next)
		return s->value;
	if (!s || s->kind != S_IF || (s->other.first && s->next))
		return NULL;
	yes = returned(d, s->body.first);
	no = returned(d, s->other.first ? s->other.first : s->next);
	return yes && no ? dec_expr(d, E_IF, NULL, 3, s->value, yes, no) : NULL;
}

/* The value that the function gives, beside what the compiler puts into it; NULL: it has no text on that line. */
static struct expr *value_given(struct dec *d, const struct function *f)
{
	const struct stmt *s = f->body.first;
	struct expr *e = returned(d, alias_checks(s) ? s->next : s);

	return e && !dec_has_temp(e) && !PySet_GET_SIZE(f->globals) && !PySet_GET_SIZE(f->nonlocals) ? e : NULL;
}

static bool is_stored(const struct ins *in, PyObject *name)
{
	return (in->op == D_STORE_FAST || in->op == D_STORE_DEREF || in->op == D_STORE_GLOBAL ||
		in->op == D_STORE_NAME) &&
	       !PyUnicode_Compare(in->obj, name);
}

struct expr *alias_given(struct run *r, PyCodeObject *co)
{
	struct function *f = make_late(r, co);
	struct expr *value = f ? value_given(r->d, f) : NULL, *e;

	if (!value)
		return NULL;
	e = dec_expr(r->d, E_LAMBDA, NULL, 0);
	e->function = f;
	dec_body_init(&f->body);
	dec_stmt(&f->body, r->d, S_RETURN, NULL, value, -1);
	return e;
}

/* Without type parameters it is stored; with some its hidden function returns it. */
static bool is_alias(const struct run *r, const struct item *name, const struct item *parameters,
		     const struct ins *next)
{
	if (name->kind != I_VALUE || name->e->kind != E_CONST || !PyUnicode_CheckExact(name->e->obj))
		return false;
	if (parameters->kind == I_PARAMS)
		return next->op == D_RETURN && dec_is_identifier(name->e->obj);
	return parameters->kind == I_VALUE && parameters->e->kind == E_CONST && parameters->e->obj == Py_None &&
	       !generic_is(r->d->c) && is_stored(next, name->e->obj);
}

bool alias_made(struct run *r, PyCodeObject *co, const struct ins *next)
{
	const struct item *name = r->n > 1 ? r->stack[r->n - 2] : NULL,
			  *parameters = r->n > 1 ? r->stack[r->n - 1] : NULL;
	struct expr *e;

	if (next + 2 >= r->d->ins + r->end || next->op != D_TUPLE || next->arg != 3 || next[1].op != D_TYPE ||
	    strcmp(next[1].text, "TYPEALIAS") || !name || co->co_kwonlyargcount ||
	    !is_alias(r, name, parameters, next + 2))
		return false;
	e = alias_given(r, co);
	if (!e)
		return false;
	run_pop_n(r, 2);
	run_before(r, NULL, 0);
	if (parameters->kind == I_PARAMS) {
		r->d->made.params = parameters->data;
		run_stmt(r, S_TYPE, dec_name(r->d, name->e->obj), e);
		run_push(r, dec_temp_use(r->d, dec_temp(r->d)), true);
		r->skip += 2;
		return true;
	}
	if (next[2].op == D_STORE_FAST)
		run_written(r, next[2].obj);
	run_note_store(r, next + 2);
	run_stmt(r, S_TYPE, dec_name(r->d, next[2].obj), e);
	r->skip += 3;
	return true;
}
