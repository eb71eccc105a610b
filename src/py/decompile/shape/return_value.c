/* SPDX-License-Identifier: BSD-3-Clause */
/* A value that a try statement computes, and that is returned after it, is returned where it is computed.  Knows
   statements and nothing of where they came from. */
#include <Python.h>
#include "py/decompile/shape/shape.h"

/* The compiler repeats a short return that follows a with or try statement at each of its ends: it is written once,
   after it. */

/* Does this entry of the exception table cover an instruction of the code? */
static bool covers(const struct dec *d, const struct except *e, int index)
{
	return e->start < e->end && e->end <= d->n && d->ins[e->start].index <= index &&
	       index <= d->ins[e->end - 1].index;
}

/* A variable or constant, whose value is loaded where exceptions of the body's first statement are not handled. */
static bool returns_after(const struct dec *d, const struct stmt *first, const struct stmt *s)
{
	const struct expr *v = s && s->kind == S_RETURN ? s->value : NULL;
	int i;

	if (!v || v->index < 0 || first->from < 0 || s == first ||
	    (v->kind != E_CONST && !(v->kind == E_NAME && v->steady)))
		return false;
	for (i = 0; i < d->nexcept; i++)
		if (covers(d, &d->except[i], first->from) && !covers(d, &d->except[i], v->index))
			return true;
	return false;
}

static void drop_last(struct body *b)
{
	struct stmt **at = &b->first;

	while ((*at)->next)
		at = &(*at)->next;
	*at = NULL;
	b->end = at;
}

static bool same_return(const struct stmt *s, const struct stmt *other)
{
	return s && s->kind == S_RETURN && s->value && dec_same(s->value, other->value);
}

/* with a: A; return v.  return v  is  with a: A.  return v */
static void repeated_with(const struct dec *d, struct stmt *s)
{
	const struct stmt *last = dec_body_last(&s->body);

	if (s->next && returns_after(d, s->body.first, last) && same_return(s->next, last))
		drop_last(&s->body);
}

/* Each clause returns the same after other statements, or leaves in another way; at least one returns it. */
static bool clauses_return(const struct stmt *c, const struct stmt *last)
{
	const struct stmt *end;
	bool some = false;

	for (; c; c = c->next) {
		end = dec_body_last(&c->body);
		if (!end || !dec_leaves(end))
			return false;
		if (!same_return(end, last))
			continue;
		if (end == c->body.first)
			return false;
		some = true;
	}
	return some;
}

/* try: A; return v.  except: B; return v  is  try: A.  except: B.  return v; that return may be there already. */
static void repeated_try(const struct dec *d, struct body *b, struct stmt *s)
{
	struct body *main = s->last.first ? &s->last : &s->body;
	struct stmt *last = (struct stmt *)dec_body_last(main), *c;

	if (!main->first || last == main->first || !returns_after(d, s->body.first, last))
		return;
	if (s->next ? !same_return(s->next, last) : !clauses_return(s->other.first, last))
		return;
	for (c = s->other.first; c && c->text == NULL; c = c->next)
		;
	if (c) /* a finally clause */
		return;
	for (c = s->other.first; c; c = c->next)
		if (c->body.first && dec_body_last(&c->body) != c->body.first &&
		    same_return(dec_body_last(&c->body), last))
			drop_last(&c->body);
	drop_last(main);
	if (s->next)
		return;
	s->next = last;
	dec_body_end(b);
}

/* Clauses that end by what comes after the statement in the source: it is returned where their exception is handled no
   more.  All of them leave.  drop: they lose it. */
static int clauses_end(const struct dec *d, struct body *clauses, const struct stmt *last, bool drop)
{
	const struct stmt *end;
	struct stmt *c;
	int n = 0;

	for (c = clauses->first; c; c = c->next) {
		end = dec_body_last(&c->body);
		if (!end || !dec_leaves(end) || c->text)
			return 0;
		if (!same_return(end, last) || !returns_after(d, c->body.first, end))
			continue;
		n++;
		if (drop)
			drop_last(&c->body);
	}
	return n;
}

/* try: A.  except: B; return v.  C; return v  is  try: A.  except: B.  else: C.  return v */
static void repeated_else(const struct dec *d, struct body *b, struct stmt *s)
{
	struct stmt *last = (struct stmt *)dec_body_last(b), *rest = s->next, *before;

	if (s->last.first || !rest || rest == last || last->kind != S_RETURN || !s->other.first ||
	    dec_body_leaves(&s->body) || !clauses_end(d, &s->other, last, false))
		return;
	clauses_end(d, &s->other, last, true);
	for (before = rest; before->next != last; before = before->next)
		;
	before->next = NULL;
	s->last.first = rest;
	dec_body_end(&s->last);
	s->next = last;
	dec_body_end(b);
}

void repeated_return_tidy(const struct dec *d, struct body *b)
{
	struct stmt *s;

	dec_deep();
	for (s = b->first; s; s = s->next) {
		repeated_return_tidy(d, &s->body);
		repeated_return_tidy(d, &s->other);
		repeated_return_tidy(d, &s->last);
		if (s->kind == S_WITH && s->body.first)
			repeated_with(d, s);
		else if (s->kind == S_TRY && s->body.first)
			repeated_try(d, b, s);
		if (s->kind == S_TRY && s->body.first)
			repeated_else(d, b, s);
	}
}

/* How many ways end the body by setting t, where all the others leave; -1: some way continues.  made: they return
   instead. */
static int returned_ends(struct body *b, const struct temp *t, bool made)
{
	struct stmt *s, *c;
	int n = 0, k;

	dec_deep();
	for (s = b->first; s && s->next; s = s->next)
		;
	if (!s)
		return -1;
	if (dec_leaves(s))
		return 0;
	if (s->kind == S_ASSIGN && s->target->kind == E_TEMP && s->target->temp == t) {
		if (made) {
			s->kind = S_RETURN;
			s->target = NULL;
		}
		return 1;
	}
	if (s->kind != S_TRY && (s->kind != S_IF || !s->other.first))
		return -1;
	n = returned_ends(s->kind == S_TRY && s->last.first ? &s->last : &s->body, t, made);
	if (s->kind == S_IF) {
		k = returned_ends(&s->other, t, made);
		return n < 0 || k < 0 ? -1 : n + k;
	}
	for (c = s->other.first; c && n >= 0; c = c->next) {
		k = c->text ? -1 : returned_ends(&c->body, t, made); /* text: a finally clause */
		n = k < 0 ? -1 : n + k;
	}
	return n;
}

/* The variable that this statement returns, and that nothing else reads. */
static const struct temp *returned_temp(const struct stmt *s)
{
	const struct expr *e = s && s->kind == S_RETURN ? s->value : NULL;

	return e && e->kind == E_TEMP && e->temp->uses == 1 ? e->temp : NULL;
}

static void returned_try(struct body *b, struct stmt *s)
{
	const struct temp *t = s->last.first ? returned_temp(s->last.first) : NULL;
	struct body whole;
	struct stmt *after;

	if (t && returned_ends(&s->body, t, false) == t->stores) { /* else: return t */
		returned_ends(&s->body, t, true);
		dec_body_init(&s->last);
	}
	after = s->next;
	t = returned_temp(after);
	if (!t)
		return;
	s->next = NULL;
	whole.first = s;
	if (returned_ends(&whole, t, false) == t->stores) {
		returned_ends(&whole, t, true);
		dec_body_end(b);
	} else {
		s->next = after;
	}
}

void return_value_tidy(struct body *b)
{
	struct stmt *s;

	dec_deep();
	for (s = b->first; s; s = s->next) {
		return_value_tidy(&s->body);
		return_value_tidy(&s->other);
		return_value_tidy(&s->last);
		if (s->kind == S_DEF)
			return_value_tidy(&s->function->body);
		if (s->kind == S_TRY)
			returned_try(b, s);
	}
}
