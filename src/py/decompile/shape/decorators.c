/* SPDX-License-Identifier: BSD-3-Clause */
/* Definitions as a person writes them: what a new function or class is passed to becomes its decorators.  Knows
   statements and nothing of where they came from. */
#include <Python.h>
#include <string.h>
#include "py/decompile/shape/shape.h"

enum { DECORATORS = 16 };

/* A temporary that is set once and read once. */
static const struct temp *single(const struct expr *e)
{
	return e->kind == E_TEMP && e->temp->uses == 1 && e->temp->stores == 1 ? e->temp : NULL;
}

/* Its value is the same before the definition and after it, whatever the definition evaluates. */
static bool waits(const struct expr *e)
{
	return e->kind == E_BOUND || e->kind == E_TEMP || (e->kind == E_NAME && e->steady);
}

/* a(b(F)) of the function or class that this statement defines: a and b.  Their number; 0: it is something else. */
static int calls_with(const struct stmt *s, const struct expr *e, struct expr **of)
{
	int k = 0;

	for (; e->kind == E_CALL && e->n == 2 && !e->text && k < DECORATORS; e = e->kid[1])
		of[k++] = e->kid[0];
	return e->kind == E_TEMP && e->temp == s->target->temp ? k : 0;
}

/* It is stored under its name, which is what it is called by. */
static bool stores_it(const struct stmt *s)
{
	const struct stmt *store = s->next;

	return store && store->kind == S_ASSIGN && store->target->kind == E_NAME &&
	       !PyUnicode_Compare(store->target->obj, ((PyCodeObject *)s->function->code->co)->co_name);
}

/* The place of a(b(F)) in the next statement: all of the value, or what that evaluates first.  NULL: there is none. */
static struct expr **decorators(const struct stmt *s, struct expr **of, int *n)
{
	struct stmt *next = s->next;
	struct expr **at;

	*n = 0;
	if (!next)
		return NULL;
	if (stores_it(s) && (*n = calls_with(s, next->value, of)))
		return &next->value;
	if (!s->target->temp->hint || (next->kind != S_ASSIGN && next->kind != S_EXPR && next->kind != S_RETURN))
		return NULL;
	for (at = &next->value; *at && ((*at)->kind == E_CALL || (*at)->kind == E_ATTR); at = &(*at)->kid[0])
		if (at != &next->value && (*n = calls_with(s, *at, of)))
			return at;
	return NULL;
}

/* t = X; def f(): ...; NAME = t(f): @X def NAME; and v = t(f)(...): @X def f, v = f(...).  at[n - 1] is the place of
   the statement before s. */
static void decorate(struct dec *d, struct body *b, struct stmt ***at, int n, struct stmt *s)
{
	struct expr *of[DECORATORS], *list, **place;
	struct stmt *before;
	int k, i, used = 0;

	if (s->kind != S_DEF || s->value || !single(s->target) || !(place = decorators(s, of, &k)))
		return;
	for (i = k; i-- > 0;) {
		before = used < n ? *at[n - 1 - used] : NULL;
		if (before && single(of[i]) && before->kind == S_ASSIGN && before->target->kind == E_TEMP &&
		    before->target->temp == of[i]->temp) {
			of[i] = before->value;
			used++;
		} else if (!waits(of[i])) {
			return;
		}
	}
	if (used) {
		before = *at[n - used];
		if (before->from >= 0)
			s->from = before->from;
		*at[n - used] = s;
	}
	list = dec_expr_n(d, E_TUPLE, NULL, of, k);
	s->value = dec_expr(d, E_CALL, NULL, 1, list);
	if (place != &s->next->value) {
		*place = s->target;
		return;
	}
	s->target = s->next->target;
	s->to = s->next->to;
	s->next = s->next->next;
	if (!s->next)
		b->end = &s->next;
}

void decorators_tidy(struct dec *d, struct body *b)
{
	struct stmt **at[DECORATORS], **here, *s;
	int n = 0;

	for (here = &b->first; (s = *here); here = &s->next) {
		const struct stmt *was = s->next;
		const struct expr *value = s->value;

		decorate(d, b, at, n, s);
		if (s->next != was || s->value != value)
			n = 0;
		if (n == DECORATORS)
			memmove(at, at + 1, (size_t)--n * sizeof(*at));
		at[n++] = here;
	}
}
