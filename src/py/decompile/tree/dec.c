/* SPDX-License-Identifier: BSD-3-Clause */
/* The decompiler's arena, and the expressions and statements in it.  Knows no instructions. */
#include <Python.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "py/decompile/tree/dec.h"

struct arena {
	struct arena *before;
	size_t used, size;
	max_align_t memory[];
};

enum { CHUNK = 64 * 1024 };

void *dec_alloc(struct dec *d, size_t size)
{
	struct arena *a = d->arena;
	void *p;

	size = (size + sizeof(max_align_t) - 1) / sizeof(max_align_t) * sizeof(max_align_t);
	if (!a || a->used + size > a->size) {
		size_t room = size > CHUNK ? size : CHUNK;

		a = mem_alloc(sizeof(*a) + room);
		a->before = d->arena;
		a->used = 0;
		a->size = room;
		d->arena = a;
	}
	p = (char *)a->memory + a->used;
	a->used += size;
	memset(p, 0, size);
	return p;
}

void dec_arena_free(struct dec *d)
{
	struct arena *a, *before;

	for (a = d->arena; a; a = before) {
		before = a->before;
		free(a);
	}
	d->arena = NULL;
}

void outs_push(struct dec *d, struct outs *o, int k)
{
	int *more;

	if (o->n == o->cap) {
		more = dec_alloc(d, (size_t)(o->cap = 2 * o->cap + 8) * sizeof(*more));
		dec_copy(more, o->block, (size_t)o->n * sizeof(*more));
		o->block = more;
	}
	o->block[o->n++] = k;
}

char *dec_text(struct dec *d, const char *fmt, ...)
{
	char text[512], *copy;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	copy = dec_alloc(d, strlen(text) + 1);
	memcpy(copy, text, strlen(text));
	return copy;
}

void dec_refuse(struct dec *d, int index, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(d->why, sizeof(d->why), fmt, ap);
	va_end(ap);
	d->why_index = index;
	longjmp(*d->trap, 1);
}

/* ---- how deep it goes --------------------------------------------------------------------------- */

enum { SPARE = 256 * 1024 }; /* of the stack, for what comes after; at most a quarter of it */

static _Thread_local struct dec *guarded;
static _Thread_local const char *lowest;
static _Thread_local bool ended;
static _Thread_local unsigned polls;
static bool (*ask)(void);

enum { ASK_EVERY = 256 };

void decompile_ask(bool (*wants_end)(void))
{
	ask = wants_end;
}

/* Python's own limit counts Python's frames; a thread may have little stack. */
static const char *lowest_of(void)
{
	pthread_attr_t attr;
	void *low = NULL;
	size_t size = 0;

	if (pthread_getattr_np(pthread_self(), &attr) == 0) {
		pthread_attr_getstack(&attr, &low, &size);
		pthread_attr_destroy(&attr);
	}
	return low ? (const char *)low + (size / 4 < SPARE ? size / 4 : SPARE) : NULL;
}

struct dec *dec_guard(struct dec *d)
{
	struct dec *before = guarded;

	if (!lowest)
		lowest = lowest_of();
	if (d && !before)
		ended = false;
	guarded = d;
	return before;
}

bool dec_ended(void)
{
	return ended;
}

/* Whoever catches the refusal to try something else is refused again. */
void dec_poll(void)
{
	if (!guarded)
		return;
	ended = ended || (++polls % ASK_EVERY == 0 && ask && ask());
	if (ended)
		dec_refuse(guarded, -1, "interrupted");
}

void dec_deep(void)
{
	dec_poll();
	if (guarded && (const char *)__builtin_frame_address(0) < lowest)
		dec_refuse(guarded, -1, "it is nested too deeply or has too many branches");
}

struct expr *dec_expr_n(struct dec *d, enum ekind kind, const char *text, struct expr **kid, int n)
{
	struct expr *e = dec_alloc(d, sizeof(*e));
	int i;

	e->kind = kind;
	e->text = text;
	e->n = n;
	e->index = -1;
	e->kid = dec_alloc(d, (size_t)(n + 1) * sizeof(*e->kid));
	for (i = 0; i < n; i++) {
		e->kid[i] = kid[i];
		if (kid[i] && kid[i]->index >= 0 && (e->index < 0 || kid[i]->index < e->index))
			e->index = kid[i]->index;
	}
	return e;
}

struct expr *dec_expr(struct dec *d, enum ekind kind, const char *text, int n, ...)
{
	struct expr *kid[8];
	va_list ap;
	int i;

	va_start(ap, n);
	for (i = 0; i < n; i++)
		kid[i] = va_arg(ap, struct expr *);
	va_end(ap);
	return dec_expr_n(d, kind, text, kid, n);
}

struct expr *dec_bound(struct dec *d, PyObject *v)
{
	struct expr *e = dec_expr(d, E_BOUND, NULL, 0);

	e->obj = v;
	return e;
}

struct expr *dec_const(struct dec *d, PyObject *v)
{
	struct expr *e = dec_expr(d, dec_is_literal(v) ? E_CONST : E_BOUND, NULL, 0);

	e->obj = v;
	return e;
}

struct expr *dec_none(struct dec *d)
{
	return dec_const(d, Py_None);
}

bool dec_is_none(const struct expr *e)
{
	return e && e->kind == E_CONST && e->obj == Py_None;
}

long dec_number(const struct expr *e)
{
	long k = e->kind == E_CONST && PyLong_CheckExact(e->obj) ? PyLong_AsLong(e->obj) : -1;

	PyErr_Clear();
	return k < 1000 ? k : -1;
}

const char *dec_string(const struct expr *e)
{
	const char *s = e->kind == E_CONST && PyUnicode_CheckExact(e->obj) ? PyUnicode_AsUTF8(e->obj) : NULL;

	PyErr_Clear();
	return s;
}

PyObject *dec_hold(struct dec *d, PyObject *v)
{
	if (!v || PyList_Append(d->bound, v) < 0)
		PyErr_Clear();
	Py_XDECREF(v);
	return v;
}

struct expr *dec_builtin(struct dec *d, const char *name)
{
	PyObject *builtins = PyImport_ImportModuleLevel("builtins", NULL, NULL, NULL, 0), *v = NULL;

	if (builtins)
		v = dec_hold(d, PyObject_GetAttrString(builtins, name));
	PyErr_Clear();
	Py_XDECREF(builtins);
	if (!v)
		dec_refuse(d, -1, "this Python lacks the builtin '%s'", name);
	return dec_bound(d, v);
}

struct expr *dec_name(struct dec *d, PyObject *name)
{
	struct expr *e = dec_expr(d, E_NAME, NULL, 0);

	e->obj = name;
	return e;
}

struct temp *dec_temp(struct dec *d)
{
	struct temp *t = dec_alloc(d, sizeof(*t));

	t->number = ++d->ntemps;
	t->next = d->temps;
	d->temps = t;
	return t;
}

struct expr *dec_temp_use(struct dec *d, struct temp *t)
{
	struct expr *e = dec_expr(d, E_TEMP, NULL, 0);

	e->temp = t;
	return e;
}

/* How many operands are shorter when they are negated. */
static int negations(const struct expr *e)
{
	const struct expr *k;
	int i, n = 0;

	for (i = 0; i < e->n; i++) {
		k = e->kid[i];
		n += (k->kind == E_UNARY && !strcmp(k->text, "not ")) ||
		     (k->kind == E_COMPARE && (!strcmp(k->text, "is not") || !strcmp(k->text, "not in")));
	}
	return n;
}

struct expr *dec_not(struct dec *d, struct expr *e)
{
	static const char *const pairs[][2] = { { "is", "is not" }, { "in", "not in" } };
	int i, k;

	if (e->kind == E_UNARY && !strcmp(e->text, "not "))
		return e->kid[0];
	for (i = 0; e->kind == E_COMPARE && i < 2; i++)
		for (k = 0; k < 2; k++)
			if (!strcmp(e->text, pairs[i][k]))
				return dec_expr_n(d, E_COMPARE, pairs[i][!k], e->kid, e->n);
	if (e->kind == E_BOOL && 2 * negations(e) >= e->n) {
		struct expr **kid = dec_alloc(d, (size_t)(e->n + 1) * sizeof(*kid));

		for (i = 0; i < e->n; i++)
			kid[i] = dec_not(d, e->kid[i]);
		return dec_expr_n(d, E_BOOL, !strcmp(e->text, "and") ? "or" : "and", kid, e->n);
	}
	return dec_expr(d, E_UNARY, "not ", 1, e);
}

bool dec_same(const struct expr *a, const struct expr *b)
{
	int i;

	dec_deep();
	if (a == b)
		return true;
	if (!a || !b || a->kind != b->kind || a->n != b->n || a->obj != b->obj || a->temp != b->temp ||
	    a->function != b->function || !a->text != !b->text || (a->text && strcmp(a->text, b->text)))
		return false;
	for (i = 0; i < a->n; i++)
		if (!dec_same(a->kid[i], b->kid[i]))
			return false;
	return true;
}

bool dec_reads(const struct expr *e, PyObject *name)
{
	int i;

	dec_deep();
	if (!e)
		return false;
	if (e->kind == E_NAME && e->obj == name)
		return true;
	for (i = 0; i < e->n; i++)
		if (dec_reads(e->kid[i], name))
			return true;
	return false;
}

struct stmt *dec_stmt(struct body *b, struct dec *d, enum skind kind, struct expr *target, struct expr *value,
		      int index)
{
	struct stmt *s = dec_alloc(d, sizeof(*s));

	s->kind = kind;
	s->target = target;
	s->value = value;
	s->from = value && value->index >= 0 ? value->index : index;
	if (target && target->index >= 0 && target->index < s->from)
		s->from = target->index;
	s->to = index;
	dec_body_init(&s->body);
	dec_body_init(&s->other);
	dec_body_init(&s->last);
	*b->end = s;
	b->end = &s->next;
	return s;
}

bool dec_leaves(const struct stmt *s)
{
	return s->kind == S_RETURN || s->kind == S_RAISE || s->kind == S_CONTINUE || s->kind == S_BREAK;
}

const struct stmt *dec_body_last(const struct body *b)
{
	const struct stmt *s;

	for (s = b->first; s && s->next; s = s->next)
		;
	return s;
}

bool dec_body_leaves(const struct body *b)
{
	const struct stmt *s = dec_body_last(b);

	return s && dec_leaves(s);
}

void dec_body_end(struct body *b)
{
	for (b->end = &b->first; *b->end; b->end = &(*b->end)->next)
		;
}

void dec_body_add(struct body *b, struct body *more)
{
	if (!more->first)
		return;
	*b->end = more->first;
	b->end = more->end;
	dec_body_init(more);
}
