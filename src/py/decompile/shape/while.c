/* SPDX-License-Identifier: BSD-3-Clause */
/* while statements as a person writes them: the test that begins each round, and `else` for what follows its end.
   Knows statements and nothing of where they came from. */
#include <Python.h>
#include <string.h>
#include "py/decompile/shape/shape.h"

enum { MOVED = 6 }; /* statements that may take the place of a break */

/* break or continue of the loop around it: one in the `else` of a loop within is, too. */
static bool while_has(const struct body *b, enum skind word)
{
	const struct stmt *s;

	dec_deep();
	for (s = b->first; s; s = s->next) {
		const bool within = s->kind == S_FOR || s->kind == S_WHILE || s->kind == S_DEF;

		if (s->kind == word || (!within && while_has(&s->body, word)) || while_has(&s->other, word) ||
		    while_has(&s->last, word))
			return true;
	}
	return false;
}

/* What is left of a test that ends with this one, "a or not c" without "not c"; NULL: nothing, or it ends otherwise. */
static struct expr *before_test(struct dec *d, const struct expr *test, const struct expr *last)
{
	const int parts = last->kind == E_BOOL && !strcmp(last->text, "or") ? last->n : 1, n = test->n - parts;
	int i;

	if (test->kind != E_BOOL || strcmp(test->text, "or") || n < 1)
		return NULL;
	for (i = 0; i < parts; i++)
		if (!dec_same(test->kid[n + i], parts == 1 ? last : last->kid[i]))
			return NULL;
	return n == 1 ? test->kid[0] : dec_expr_n(d, E_BOOL, test->text, test->kid, n);
}

/* if c: while True: ...; if not c: break  is how CPython 3.11 to 3.13 write `while c`; a break before that has one test
   with it. */
static void rotate(struct dec *d, struct stmt *s)
{
	struct stmt *w = s->body.first, *last, **at;
	struct expr *early;

	if (s->kind != S_IF || s->other.first || !w || w->next || w->kind != S_WHILE || w->value->kind != E_CONST ||
	    w->value->obj != Py_True)
		return;
	for (at = &w->body.first; *at && (*at)->next; at = &(*at)->next)
		;
	last = *at;
	if (!last || last->kind != S_IF || last->other.first || !last->body.first ||
	    last->body.first->kind != S_BREAK || last->body.first->next || while_has(&w->body, S_CONTINUE))
		return;
	early = before_test(d, last->value, dec_not(d, s->value));
	if (early) {
		last->value = early;
	} else if (dec_same(dec_not(d, last->value), s->value) || dec_same(last->value, dec_not(d, s->value))) {
		*at = NULL;
		w->body.end = at;
	} else {
		return;
	}
	w->value = s->value;
	w->from = s->from;
	w->next = s->next;
	*s = *w;
	if (!s->body.first)
		s->body.end = &s->body.first;
}

static bool only_breaks(const struct body *b)
{
	return b->first && !b->first->next && b->first->kind == S_BREAK;
}

/* while True: if not c: break ...  and  while True: if c: ... else: break */
static void test_first(struct dec *d, struct stmt *w)
{
	struct stmt *s = w->body.first;

	if (w->kind != S_WHILE || w->value->kind != E_CONST || w->value->obj != Py_True || !s || s->kind != S_IF)
		return;
	if (!s->next && only_breaks(&s->other)) {
		w->value = s->value;
		w->body = s->body;
	} else if (only_breaks(&s->body) && !s->other.first) {
		w->value = dec_not(d, s->value);
		w->body.first = s->next;
	} else {
		return;
	}
	if (!w->body.first)
		w->body.end = &w->body.first;
	w->from = s->from;
	w->to = s->to;
}

struct breaks {
	struct body *in; /* the last of them ends this */
	int n;
	bool covered; /* one is in a statement that does something at its end */
};

static void find_breaks(struct body *b, bool covered, struct breaks *out)
{
	struct stmt *s;

	dec_deep();
	for (s = b->first; s; s = s->next) {
		const bool within = s->kind == S_FOR || s->kind == S_WHILE || s->kind == S_DEF,
			   covers = covered || s->kind == S_TRY || s->kind == S_WITH;

		if (s->kind == S_BREAK) {
			out->n++;
			out->in = b;
			out->covered = out->covered || covered;
		}
		if (!within)
			find_breaks(&s->body, covers, out);
		find_breaks(&s->other, covers, out);
		find_breaks(&s->last, covers, out);
	}
}

static struct stmt **last_stmt(struct body *b)
{
	struct stmt **at;

	for (at = &b->first; (*at)->next; at = &(*at)->next)
		;
	return at;
}

/* Does it leave a loop around it, or begin another round? */
static bool within_loop(const struct stmt *s)
{
	return while_has(&s->body, S_BREAK) || while_has(&s->body, S_CONTINUE) || while_has(&s->other, S_BREAK) ||
	       while_has(&s->other, S_CONTINUE);
}

/* May these statements, which leave the function, take the place of the loop's only break? */
static bool moves(const struct stmt *rest, const struct breaks *all)
{
	const struct stmt *s;
	int n;

	if (all->n != 1 || !rest || (all->covered && (rest->kind != S_RETURN || rest->value->kind != E_CONST)))
		return false;
	for (s = rest, n = 1; s->next && n < MOVED; s = s->next, n++)
		if (s->kind == S_IF ? within_loop(s) : s->kind > S_DELETE)
			return false;
	return !s->next && (s->kind == S_RETURN || s->kind == S_RAISE);
}

/* while True: if not c: A, and leave.  B  is  while c: B  followed by A, or by what the only break leads to in the
   place of that break, or is  while c: B else: A. */
static void test_leaves(struct dec *d, struct body *b, struct stmt *w)
{
	struct stmt *s = w->body.first, **last;
	struct body left, body = w->body;
	struct breaks all = { NULL, 0, false }, early = { NULL, 0, false };
	bool breaks;

	if (w->kind != S_WHILE || w->other.first || w->value->kind != E_CONST || w->value->obj != Py_True || !s ||
	    s->kind != S_IF || s->other.first || !s->next || !dec_body_leaves(&s->body) ||
	    while_has(&s->body, S_CONTINUE))
		return;
	left = s->body;
	dec_body_end(&left);
	last = last_stmt(&left);
	breaks = (*last)->kind == S_BREAK;
	find_breaks(&left, false, &early);
	body.first = s->next;
	find_breaks(&body, false, &all);
	if (early.n > breaks || (all.n && !w->tested))
		return;
	if (breaks) {
		*last = NULL;
		left.end = last;
	}
	w->value = dec_not(d, s->value);
	w->from = s->from;
	w->to = s->to;
	w->body = body;
	if (all.n && (breaks || !moves(w->next, &all))) {
		w->other = left;
		dec_body_end(&w->other);
		return;
	}
	if (all.n) {
		*last_stmt(all.in) = w->next;
		dec_body_end(all.in);
	}
	if (all.n || !breaks) /* nothing comes here but the end of the test */
		w->next = NULL;
	*left.end = w->next;
	w->next = left.first;
	dec_body_end(b);
}

void while_tidy(struct dec *d, struct body *b, struct stmt *s)
{
	rotate(d, s);
	test_first(d, s);
	test_leaves(d, b, s);
}

/* A test that reads better the other way round: of more than one statement, or of a comparison or several tests. */
static bool skips(const struct stmt *s)
{
	const struct expr *e = s->value;

	return s->kind == S_IF && !s->next && !s->other.first && s->body.first && e->kind == E_UNARY &&
	       !strcmp(e->text, "not ") &&
	       (s->body.first->next || e->kid[0]->kind == E_COMPARE || e->kid[0]->kind == E_BOOL);
}

/* if not c: A  at the end of a loop is  if c: continue.  A */
static void skip_rest(struct dec *d, struct body *b)
{
	struct stmt **at, *s;
	struct body rest;

	for (at = &b->first; (s = *at); at = &s->next)
		if (skips(s)) {
			rest = s->body;
			dec_body_init(&s->body);
			dec_stmt(&s->body, d, S_CONTINUE, NULL, NULL, -1);
			s->value = s->value->kid[0];
			s->next = rest.first;
		}
	b->end = at;
}

void while_continues(struct dec *d, struct body *b)
{
	struct stmt *s;

	dec_deep();
	for (s = b->first; s; s = s->next) {
		if (s->kind == S_FOR || s->kind == S_WHILE)
			skip_rest(d, &s->body);
		while_continues(d, &s->body);
		while_continues(d, &s->other);
		while_continues(d, &s->last);
		if (s->kind == S_DEF)
			while_continues(d, &s->function->body);
	}
}
