/* SPDX-License-Identifier: BSD-3-Clause */
/* `return None` where a function ends anyway, which a person does not write.  Knows no text. */
#include <Python.h>
#include "py/decompile/text/print.h"

static bool returns_none(const struct stmt *s)
{
	return s->kind == S_RETURN && dec_is_none(s->value);
}

/* A function returns None at its end by itself; so does the last statement of it, whichever way it takes. */
static void drop_end(struct body *b)
{
	struct stmt **at, *s;

	dec_deep();
	for (at = &b->first; *at && (*at)->next; at = &(*at)->next)
		;
	s = *at;
	if (!s)
		return;
	if (s->kind == S_IF || s->kind == S_TRY || s->kind == S_WITH || s->kind == S_CLAUSE) {
		if (s->kind != S_TRY || !s->last.first) /* a body that does not return continues with `else` */
			drop_end(&s->body);
		drop_end(&s->other);
		drop_end(&s->last);
	}
	if (at == &b->first || !returns_none(s))
		return;
	*at = NULL;
	b->end = at;
	drop_end(b); /* what came before it ends the function now */
}

static void drop_nested_ends(struct body *b)
{
	struct stmt *s;

	dec_deep();
	for (s = b->first; s; s = s->next) {
		drop_nested_ends(&s->body);
		drop_nested_ends(&s->other);
		drop_nested_ends(&s->last);
		if (s->kind == S_DEF)
			last_return_drop(s->function);
	}
}

void last_return_drop(struct function *f)
{
	struct stmt *s;

	drop_end(&f->body);
	drop_nested_ends(&f->body);
	s = f->body.first;
	if (f->doc && s && !s->next && returns_none(s))
		dec_body_init(&f->body);
}
