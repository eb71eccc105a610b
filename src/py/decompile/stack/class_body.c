/* SPDX-License-Identifier: BSD-3-Clause */
/* The body of a class or a module: what the compiler puts at its beginning and at the end of each way through
   it is not in the text, and neither has a return.  Knows statements and nothing of where they came from. */
#include <Python.h>
#include "py/decompile/stack/definitions.h"
#include "py/decompile/stack/run.h"

static bool is_known_end(const struct stmt *s)
{
	static const char *const names[] = { "__classcell__", "__classdictcell__", "__static_attributes__" };
	int i;

	if (s->kind == S_RETURN)
		return s->value->kind == E_CELL || dec_is_none(s->value);
	for (i = 0; i < 3; i++)
		if (stmt_stores(s, names[i]) && s->value->kind == (i < 2 ? E_CELL : E_CONST))
			return true;
	return false;
}

/* Each handler leaves, and there is no `finally`: what follows the statement is for when nothing was raised. */
static bool handlers_leave(const struct stmt *s)
{
	const struct stmt *c;

	for (c = s->other.first; c; c = c->next)
		if (c->text || !dec_body_leaves(&c->body))
			return false;
	return s->other.first != NULL;
}

/* try: A; except: B; else: C; return.  C; return: the compiler has copied what follows the statement. */
static void drop_copy(struct body *b, struct stmt *s)
{
	struct body after = { s->next, NULL };
	struct stmt **at;

	for (at = &s->last.first; *at && (*at)->next; at = &(*at)->next)
		;
	if (s->kind == S_TRY && *at && (*at)->kind == S_RETURN && !handlers_leave(s) && dec_same_body(&s->last, &after))
		dec_body_init(&s->last);
	dec_body_end(b);
}

/* if X: A; return.  B: the text of a class's body has no return, but an `else`. */
static void arms(struct body *b)
{
	struct stmt *s;
	struct body *after;

	for (s = b->first; s; s = s->next) {
		after = s->kind == S_IF ? &s->other : &s->last;
		drop_copy(b, s);
		if (!s->next || after->first ||
		    !(s->kind == S_IF ? dec_body_leaves(&s->body) : s->kind == S_TRY && handlers_leave(s)))
			continue;
		after->first = s->next;
		s->next = NULL;
		dec_body_end(after);
		dec_body_end(b);
	}
}

/* Where nothing follows a loop, what ends the body in it is `break`. */
static void loop_ends(struct body *b)
{
	struct stmt *s;

	dec_deep();
	for (s = b->first; s; s = s->next) {
		if (s->kind == S_RETURN && dec_is_none(s->value)) {
			s->kind = S_BREAK;
			s->value = NULL;
		}
		if (s->kind == S_WHILE || s->kind == S_FOR)
			continue;
		loop_ends(&s->body);
		loop_ends(&s->other);
		loop_ends(&s->last);
	}
}

/* What ends the body is removed, on each way. */
void class_body_end(struct body *b)
{
	struct stmt **at, *s, *c;

	dec_deep();
	arms(b);
	for (;;) {
		for (at = &b->first; *at && (*at)->next; at = &(*at)->next)
			;
		if (!*at || !is_known_end(*at))
			break;
		*at = NULL;
		b->end = at;
	}
	s = *at;
	if (s && (s->kind == S_WHILE || s->kind == S_FOR) && !s->other.first)
		loop_ends(&s->body);
	if (!s || (s->kind != S_IF && s->kind != S_TRY && s->kind != S_WITH))
		return;
	if (s->kind != S_TRY || !s->last.first)
		class_body_end(&s->body);
	class_body_end(&s->last);
	if (s->kind == S_IF)
		class_body_end(&s->other);
	for (c = s->kind == S_TRY ? s->other.first : NULL; c; c = c->next)
		class_body_end(&c->body);
}

bool body_take_first(struct body *b, const char *name, enum ekind kind)
{
	struct stmt *s = b->first;

	if (!stmt_stores(s, name) || s->value->kind != kind)
		return false;
	b->first = s->next;
	if (!b->first)
		b->end = &b->first;
	return true;
}

void class_body_doc(struct function *f)
{
	struct stmt *s = f->body.first;

	if (!stmt_stores(s, "__doc__") || s->value->kind != E_CONST || !literal_doc_is_plain(s->value->obj))
		return;
	f->doc = s->value->obj;
	body_take_first(&f->body, "__doc__", E_CONST);
}

/* `t = value; a = t; b.c = t`, where nothing else reads t: a = b.c = value. */
void class_body_chain_targets(struct dec *d, struct body *b)
{
	struct stmt *s, *last;
	struct expr *all;
	struct temp *t;
	int n;

	dec_deep();
	for (s = b->first; s; s = s->next) {
		class_body_chain_targets(d, &s->body);
		class_body_chain_targets(d, &s->other);
		class_body_chain_targets(d, &s->last);
		t = s->kind == S_ASSIGN && s->target->kind == E_TEMP ? s->target->temp : NULL;
		if (!t || t->stores != 1)
			continue;
		for (last = s, n = 0; last->next && last->next->kind == S_ASSIGN && last->next->value->kind == E_TEMP &&
				      last->next->value->temp == t && !dec_has_temp(last->next->target);
		     n++)
			last = last->next;
		if (n < 2 || n != t->uses)
			continue;
		all = dec_expr(d, E_TUPLE, "=", 0);
		all->kid = dec_alloc(d, (size_t)n * sizeof(struct expr *));
		for (last = s->next; all->n < n; last = last->next)
			all->kid[all->n++] = last->target;
		s->target = all;
		s->next = last;
		t->uses = t->stores = 0;
	}
	dec_body_end(b);
}
