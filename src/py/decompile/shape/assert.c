/* SPDX-License-Identifier: BSD-3-Clause */
/* Conditions that raise the AssertionError that only `assert` loads become assertions.  Knows statements, and no
   instructions. */
#include <Python.h>
#include "py/decompile/shape/shape.h"

/* `raise` alone raises what the innermost clause around it handles: code that raises another exception again there is
   refused. */

static struct temp *original(struct temp *t)
{
	while (t->like)
		t = t->like;
	return t;
}

static void same_value(const struct expr *a, const struct expr *b)
{
	struct temp *x, *y;
	int i;

	if (a->kind == E_TUPLE && b->kind == E_TUPLE && a->n == b->n)
		for (i = 0; i < a->n; i++)
			same_value(a->kid[i], b->kid[i]);
	if (a->kind != E_TEMP || b->kind != E_TEMP)
		return;
	x = original(a->temp);
	y = original(b->temp);
	if (x != y)
		x->like = y;
}

static void find_copies(const struct body *b)
{
	const struct stmt *s;

	dec_deep();
	for (s = b->first; s; s = s->next) {
		if (s->kind == S_ASSIGN)
			same_value(s->target, s->value);
		if (s->kind == S_DEF)
			continue;
		find_copies(&s->body);
		find_copies(&s->other);
		find_copies(&s->last);
	}
}

static void check_clauses(struct dec *d, const struct body *b, struct temp *handled)
{
	const struct stmt *s;
	struct temp *t;

	dec_deep();
	for (s = b->first; s; s = s->next) {
		if (s->kind == S_RAISE && s->raised && handled && original(s->raised) != original(handled))
			dec_refuse(d, s->from, "an exception that is raised again while another is handled");
		if (s->kind == S_DEF)
			continue;
		t = s->kind == S_CLAUSE && s->target && s->target->kind == E_TEMP ? s->target->temp : handled;
		check_clauses(d, &s->body, t);
		check_clauses(d, &s->other, handled);
		check_clauses(d, &s->last, handled);
	}
}

void raise_check_find(struct dec *d, struct body *b)
{
	find_copies(b);
	check_clauses(d, b, NULL);
}

static bool is_assertion_error(const struct expr *e)
{
	return e && e->kind == E_BOUND && e->obj == PyExc_AssertionError;
}

/* raise AssertionError, with one argument or none; *message: the argument */
static bool raises_assertion(const struct stmt *s, struct expr **message)
{
	*message = NULL;
	if (!s || s->kind != S_RAISE || s->target || !s->value)
		return false;
	if (is_assertion_error(s->value))
		return true;
	if (s->value->kind != E_CALL || s->value->n != 2 || !is_assertion_error(s->value->kid[0]) ||
	    s->value->kid[1]->kind == E_STAR || s->value->kid[1]->kind == E_STAR_STAR ||
	    s->value->kid[1]->kind == E_KEYWORD)
		return false;
	*message = s->value->kid[1];
	return true;
}

static bool never_ends(const struct body *b)
{
	const struct stmt *s = dec_body_last(b);

	dec_deep();
	if (s && s->kind == S_IF)
		return never_ends(&s->body) && never_ends(&s->other);
	return s && dec_leaves(s);
}

/* s becomes the assertion, and what was done if it holds follows it. */
static void as_assert(struct body *b, struct stmt *s, struct expr *test, struct expr *message, struct body *then)
{
	struct stmt *next = s->next;

	s->kind = S_ASSERT;
	s->value = test;
	s->target = message;
	if (then->first) {
		s->next = then->first;
		*then->end = next;
		if (!next)
			b->end = then->end;
	}
	dec_body_init(&s->body);
	dec_body_init(&s->other);
}

void assert_tidy(struct dec *d, struct body *b)
{
	struct stmt *s;
	struct expr *message;
	struct body then;

	dec_deep();
	for (s = b->first; s; s = s->next) {
		if (s->kind == S_IF && s->body.first && !s->body.first->next &&
		    raises_assertion(s->body.first, &message)) {
			then = s->other;
			dec_body_end(&then);
			as_assert(b, s, dec_not(d, s->value), message, &then);
		} else if (s->kind == S_IF && s->other.first && !s->other.first->next &&
			   raises_assertion(s->other.first, &message)) {
			then = s->body;
			dec_body_end(&then);
			as_assert(b, s, s->value, message, &then);
		} else if (s->kind == S_IF && !s->other.first && s->next && raises_assertion(s->next, &message) &&
			   never_ends(&s->body)) {
			then = s->body;
			dec_body_end(&then);
			s->next = s->next->next;
			as_assert(b, s, s->value, message, &then);
		} else {
			assert_tidy(d, &s->body);
			assert_tidy(d, &s->other);
			assert_tidy(d, &s->last);
			if (s->kind == S_DEF)
				assert_tidy(d, &s->function->body);
		}
	}
	dec_body_end(b);
}
