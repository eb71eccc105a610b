/* SPDX-License-Identifier: BSD-3-Clause */
/* try statements in their usual form: tests of the exception's type become clauses, a clause that is repeated after the
   statement becomes `finally`. */
#include <Python.h>
#include <string.h>
#include "py/decompile/shape/shape.h"

static struct temp *temp_of(const struct expr *e)
{
	return e && e->kind == E_TEMP ? e->temp : NULL;
}

static int uses(const struct expr *e, const struct temp *t)
{
	int i, n;

	dec_deep();
	if (!e)
		return 0;
	n = temp_of(e) == t;
	for (i = 0; i < e->n; i++)
		n += uses(e->kid[i], t);
	if (e->kind == E_LAMBDA && e->function->body.first)
		n += uses(e->function->body.first->value, t);
	if (e->kind == E_LAMBDA && e->function->defaults)
		n += uses(e->function->defaults->e, t);
	if (e->kind == E_LAMBDA && e->function->kwdefaults)
		n += uses(e->function->kwdefaults->e, t);
	return n;
}

static int body_uses(const struct body *b, const struct temp *t)
{
	const struct stmt *s;
	int n = 0;

	dec_deep();
	for (s = b->first; s; s = s->next)
		n += uses(s->target, t) + uses(s->value, t) + body_uses(&s->body, t) + body_uses(&s->other, t) +
		     body_uses(&s->last, t) + (s->function ? body_uses(&s->function->body, t) : 0);
	return n;
}

/* ---- `as NAME`: bound first, unbound at each end, which the clause does by itself --------------- */

static bool is_cleanup(const struct stmt *s, const struct expr *name)
{
	return s->kind == S_ASSIGN && s->target->kind == E_NAME && s->target->obj == name->obj &&
	       dec_is_none(s->value) && s->next && s->next->kind == S_DELETE && s->next->target->kind == E_NAME &&
	       s->next->target->obj == name->obj;
}

static int drop_cleanup(struct body *b, const struct expr *name)
{
	struct stmt **at, *s;
	int n = 0;

	dec_deep();
	for (at = &b->first; (s = *at);) {
		if (is_cleanup(s, name) && (!s->next->next || dec_leaves(s->next->next))) {
			*at = s->next->next;
			if (!*at)
				b->end = at;
			n++;
			continue;
		}
		n += drop_cleanup(&s->body, name) + drop_cleanup(&s->other, name) + drop_cleanup(&s->last, name);
		at = &s->next;
	}
	return n;
}

/* Is the body left by anything but its end, or an exception? */
static bool jumps_out(const struct body *b)
{
	const struct stmt *s;

	dec_deep();
	for (s = b->first; s; s = s->next)
		if (s->kind == S_RETURN || s->kind == S_BREAK || s->kind == S_CONTINUE ||
		    (s->kind != S_DEF && (jumps_out(&s->body) || jumps_out(&s->other) || jumps_out(&s->last))))
			return true;
	return false;
}

/* Is the body left by nothing but an exception?  The name is unbound then by what handles it. */
static bool only_raised_from(const struct body *b)
{
	const struct stmt *s = dec_body_last(b);

	return s && s->kind == S_RAISE && !jumps_out(b);
}

static void name_clause(struct stmt *c)
{
	struct temp *t = temp_of(c->target);
	struct stmt *first = c->body.first;

	if (!t)
		return;
	if (!body_uses(&c->body, t)) {
		c->target = NULL;
		return;
	}
	if (!first || first->kind != S_ASSIGN || first->target->kind != E_NAME || temp_of(first->value) != t ||
	    body_uses(&c->body, t) != 1)
		return;
	if (!drop_cleanup(&c->body, first->target) && !only_raised_from(&c->body))
		return;
	c->target = first->target;
	c->body.first = first->next;
	if (!c->body.first)
		c->body.end = &c->body.first;
}

/* ---- clauses ------------------------------------------------------------------------------------ */

static bool only_raises(const struct body *b)
{
	return b->first && !b->first->next && b->first->kind == S_RAISE && !b->first->value;
}

static bool is_test(const struct expr *e)
{
	return e->text && !strncmp(e->text, "except", 6);
}

/* Does this body begin with the test of the exception's type, and is all else what happens if it does not hold? */
static bool tests_type(const struct body *b, const struct temp *t)
{
	const struct stmt *s = b->first;

	return s && s->kind == S_IF && s->value->kind == E_CALL && is_test(s->value) &&
	       temp_of(s->value->kid[1]) == t && (s->next ? !s->other.first : s->other.first != NULL);
}

/* `if not TEST: A; B` is `if TEST: B; else: A`, where A does not go on to B. */
static void turn_test(struct body *b, const struct temp *t)
{
	struct stmt *s = b->first;
	const struct stmt *last;
	struct expr *test = s && s->kind == S_IF && s->value->kind == E_UNARY ? s->value->kid[0] : NULL;
	struct body other;

	if (!test || test->kind != E_CALL || !is_test(test) || temp_of(test->kid[1]) != t ||
	    (s->next && s->other.first))
		return;
	last = dec_body_last(&s->body);
	if (s->next && last && !dec_leaves(last))
		return;
	dec_body_init(&other);
	dec_body_add(&other, &s->body);
	if (s->next) {
		s->body.first = s->next;
		s->body.end = b->end;
		s->next = NULL;
		b->end = &s->next;
	} else {
		dec_body_add(&s->body, &s->other);
	}
	dec_body_add(&s->other, &other);
	s->value = test;
}

static void split_clauses(struct dec *d, struct stmt *try)
{
	struct stmt *c = try->other.first, *more, *test;
	struct temp *t = temp_of(c->target);
	struct body rest;

	for (; t; c = more) {
		turn_test(&c->body, t);
		if (!tests_type(&c->body, t))
			return;
		test = c->body.first;
		dec_body_init(&rest);
		if (test->next) {
			rest.first = test->next;
			rest.end = c->body.end;
		} else {
			dec_body_add(&rest, &test->other);
		}
		c->value = test->value->kid[2];
		c->text = NULL;
		c->from = test->from;
		c->to = test->to;
		dec_body_init(&c->body);
		dec_body_add(&c->body, &test->body);
		if (only_raises(&rest))
			return;
		more = dec_stmt(&try->other, d, S_CLAUSE, c->target, dec_bound(d, PyExc_BaseException),
				rest.first->from);
		dec_body_add(&more->body, &rest);
	}
}

/* ---- finally ------------------------------------------------------------------------------------ */

/* try: try: A except: B finally: C is one statement. */
static void join_inner(struct stmt *try)
{
	struct stmt *inner = try->body.first, *c;

	if (!inner || inner->next || inner->kind != S_TRY)
		return;
	for (c = inner->other.first; c; c = c->next)
		if (c->text && !strcmp(c->text, "finally"))
			return;
	dec_body_end(&inner->body);
	dec_body_end(&inner->other);
	dec_body_end(&inner->last);
	dec_body_add(&inner->other, &try->other);
	dec_body_add(&try->other, &inner->other);
	dec_body_init(&try->body);
	dec_body_add(&try->body, &inner->body);
	dec_body_add(&try->last, &inner->last);
}

static void as_finally(struct body *around, struct stmt *try)
{
	struct stmt *c = try->other.first, *last, *s, **at;
	int n = 0;

	if (!c || c->next || c->target || c->value->kind != E_BOUND || c->value->obj != PyExc_BaseException ||
	    try->last.first || jumps_out(&try->body))
		return;
	for (at = &c->body.first; *at && (*at)->next; at = &(*at)->next)
		n++;
	last = *at;
	if (!n || !last || last->kind != S_RAISE || last->value)
		return;
	for (s = c->body.first, last = try->next; n; n--, s = s->next, last = last->next)
		if (!last || !dec_same_stmt(s, last))
			return;
	*at = NULL; /* the bare raise */
	c->body.end = at;
	c->text = "finally";
	c->value = NULL;
	try->next = last;
	if (!last)
		around->end = &try->next;
	join_inner(try);
}

void clause_tidy(struct dec *d, struct body *around, struct stmt *try)
{
	struct stmt *c = try->other.first;

	if (c && c->text && !strcmp(c->text, "finally")) {
		join_inner(try);
		return;
	}
	if (c && !c->next && temp_of(c->target))
		split_clauses(d, try);
	for (c = try->other.first; c; c = c->next) {
		name_clause(c);
		if (!c->next && !c->target && c->value && c->value->kind == E_BOUND &&
		    c->value->obj == PyExc_BaseException && !c->text)
			as_finally(around, try);
	}
}
