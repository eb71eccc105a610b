/* SPDX-License-Identifier: BSD-3-Clause */
/* Generated code for people: what both ways of a test do comes after it, and a test of whether to call what only serves
   the compiler is folded with those calls.  Not for text that is compiled. */
#include <Python.h>
#include "py/decompile/tidy/read.h"

static struct stmt **last_place(struct body *b)
{
	struct stmt **at = &b->first;

	while (*at && (*at)->next)
		at = &(*at)->next;
	return at;
}

static struct stmt *take_last_stmt(struct body *b)
{
	struct stmt **at = last_place(b), *s = *at;

	*at = NULL;
	b->end = at;
	return s;
}

/* a, b = v, w: a = v; b = w.  They are names of the decompiler's own, which none of the values uses. */
static void take_apart(struct dec *d, struct stmt *s)
{
	struct expr *names = s->target, *values = s->value;
	struct stmt *more;
	int i, k;

	if (names->kind != E_TUPLE || values->kind != E_TUPLE || names->n != values->n || !names->n)
		return;
	for (i = 0; i < names->n; i++)
		for (k = 0; k < names->n; k++)
			if (names->kid[i]->kind != E_TEMP || values->kid[k]->kind == E_STAR ||
			    read_uses(values->kid[k], names->kid[i]))
				return;
	s->target = names->kid[0];
	s->value = values->kid[0];
	for (i = names->n - 1; i > 0; i--) {
		more = dec_alloc(d, sizeof(*more));
		*more = *s;
		more->target = names->kid[i];
		more->value = values->kid[i];
		s->next = more;
	}
}

/* if c: A; t = v.  else: B; t = v  is  if c: A.  else: B.  t = v */
static void join_same_ends(struct dec *d, struct stmt *s)
{
	struct stmt *one, *two;

	while ((one = *last_place(&s->body)) && (two = *last_place(&s->other)) && one->kind == S_ASSIGN &&
	       two->kind == S_ASSIGN && dec_same(one->target, two->target) && dec_same(one->value, two->value)) {
		take_last_stmt(&s->other);
		take_last_stmt(&s->body);
		one->next = s->next;
		s->next = one;
		take_apart(d, one);
	}
}

static bool all_folded(const struct body *b)
{
	const struct stmt *s;

	for (s = b->first; s; s = s->next)
		if (!s->folded)
			return false;
	return true;
}

/* A test of whether to do what only serves the compiler only serves it, too. */
void read_arms(struct dec *d, struct body *b)
{
	struct stmt **at, *s;

	dec_deep();
	for (at = &b->first; (s = *at) != NULL;) {
		read_arms(d, &s->body);
		read_arms(d, &s->other);
		read_arms(d, &s->last);
		if (s->kind == S_IF)
			join_same_ends(d, s);
		if (s->kind != S_IF || (!s->body.first && !s->other.first) || read_wild(d, s->value) ||
		    !all_folded(&s->body) || !all_folded(&s->other)) {
			at = &s->next;
			continue;
		}
		dec_body_end(&s->body);
		dec_body_add(&s->body, &s->other);
		*s->body.end = s->next;
		*at = s->body.first;
		while (*at != s->next)
			at = &(*at)->next;
	}
	dec_body_end(b);
}
