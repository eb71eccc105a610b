/* SPDX-License-Identifier: BSD-3-Clause */
/* A value that a try statement computes, and that is returned after it, is returned where it is computed.  Knows
   statements and nothing of where they came from. */
#include <Python.h>
#include "py/decompile/shape/shape.h"

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
