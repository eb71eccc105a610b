/* SPDX-License-Identifier: BSD-3-Clause */
/* Generated code for people: a context manager of the compiler's library that is entered, and left in a finally clause,
   is a with statement.  Not for text that is compiled. */
#include <Python.h>
#include <string.h>
#include "py/decompile/tidy/read.h"

/* V.METHOD(...) alone, with n arguments that are None. */
static bool is_method_call(const struct stmt *s, const struct expr *v, const char *method, int n)
{
	const struct expr *e = s && s->kind == S_EXPR ? s->value : NULL;
	int i;

	if (!e || e->kind != E_CALL || e->n != n + 1 || !read_attribute(e->kid[0], method) ||
	    !dec_same(e->kid[0]->kid[0], v))
		return false;
	for (i = 1; i <= n && dec_is_none(e->kid[i]); i++)
		;
	return i > n;
}

/* try: ...; finally: V.__exit__(None, None, None) */
static bool leaves_manager(const struct stmt *s, const struct expr *v)
{
	const struct stmt *c = s && s->kind == S_TRY && !s->last.first ? s->other.first : NULL;

	return c && !c->next && c->text && !strcmp(c->text, "finally") && c->body.first && !c->body.first->next &&
	       is_method_call(c->body.first, v, "__exit__", 3);
}

/* What follows V.__enter__(), without names for values that nothing changes. */
static struct stmt *after_entered(const struct reader *r, struct stmt *s)
{
	for (s = s->next->next; s && s->kind == S_ASSIGN && s->target->kind == E_TEMP && read_fixed(r, s->value);)
		s = s->next;
	return s;
}

/* V = a manager whose __exit__() does the same whatever it is called with, which all of this is about. */
static bool is_context(const struct reader *r, const struct body *all, struct stmt *s)
{
	const struct expr *v = s->kind == S_ASSIGN && !s->folded ? s->target : NULL;
	const char *form = v && v->kind == E_NAME && s->value->kind == E_CALL ? library_form(r->d, s->value->kid[0]) :
										NULL;

	return form && !strcmp(form, "$with") && is_method_call(s->next, v, "__enter__", 0) &&
	       leaves_manager(after_entered(r, s), v) && read_uses_in(all, v) == 3;
}

/* The names are given before it. */
static void become_with(const struct reader *r, struct stmt **at)
{
	struct stmt *s = *at, *names = s->next->next, *try = after_entered(r, s), *last;

	s->kind = S_WITH;
	s->target = NULL;
	s->to = s->next->to > s->to ? s->next->to : s->to;
	s->body = try->body;
	s->next = try->next;
	dec_body_end(&s->body);
	if (names == try)
		return;
	for (last = names; last->next != try; last = last->next)
		;
	last->next = s;
	*at = names;
}

static void contexts_in(const struct reader *r, const struct body *all, struct body *b)
{
	struct stmt **at;

	dec_deep();
	for (at = &b->first; *at; at = &(*at)->next) {
		if (is_context(r, all, *at))
			become_with(r, at);
		contexts_in(r, all, &(*at)->body);
		contexts_in(r, all, &(*at)->other);
		contexts_in(r, all, &(*at)->last);
	}
	dec_body_end(b);
}

void read_contexts(struct dec *d, struct body *b)
{
	contexts_in(d->reader, b, b);
}
