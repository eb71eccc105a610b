/* SPDX-License-Identifier: BSD-3-Clause */
/* `raise` alone raises what the innermost clause around it handles: code that raises another exception again there is
   refused.  Knows statements only. */
#include <Python.h>
#include "py/decompile/shape/shape.h"

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
