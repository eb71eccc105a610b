/* SPDX-License-Identifier: BSD-3-Clause */
/* Where variables are used in text that is only read, and other expressions in their places.  Does not know whether
   they mean the same there. */
#include <Python.h>
#include <string.h>
#include "py/decompile/tidy/read.h"

bool read_deletes(const struct stmt *s)
{
	return s->kind == S_DELETE && s->target->kind == E_NAME;
}

bool read_attribute(const struct expr *e, const char *name)
{
	return e->kind == E_ATTR && (e->obj ? !PyUnicode_CompareWithASCIIString(e->obj, name) : !strcmp(e->text, name));
}

static bool is_it(const struct expr *e, const struct expr *v)
{
	return e->kind == v->kind && (v->kind == E_TEMP ? e->temp == v->temp : v->kind == E_NAME && e->obj == v->obj);
}

int read_uses(const struct expr *e, const struct expr *v)
{
	int i, n;

	dec_deep();
	if (!e)
		return 0;
	n = is_it(e, v);
	for (i = 0; i < e->n; i++)
		n += read_uses(e->kid[i], v);
	return n;
}

int read_uses_at(const struct stmt *s, const struct expr *v)
{
	return read_uses(s->value, v) + (read_deletes(s) ? 0 : read_uses(s->target, v));
}

int read_uses_in(const struct body *b, const struct expr *v)
{
	const struct stmt *s;
	int n = 0;

	dec_deep();
	for (s = b->first; s; s = s->next)
		n += read_uses_at(s, v) + read_uses_in(&s->body, v) + read_uses_in(&s->other, v) +
		     read_uses_in(&s->last, v);
	return n;
}

static int uses_made(const struct item *i, const struct expr *v)
{
	return i ? read_uses(i->e, v) : 0;
}

int read_uses_made(const struct body *b, const struct expr *v)
{
	const struct stmt *s;
	int n = 0;

	dec_deep();
	for (s = b->first; s; s = s->next) {
		if (s->function)
			n += uses_made(s->function->defaults, v) + uses_made(s->function->kwdefaults, v) +
			     uses_made(s->function->annotations, v) + read_uses(s->function->cells, v);
		n += read_uses_made(&s->body, v) + read_uses_made(&s->other, v) + read_uses_made(&s->last, v);
	}
	return n;
}

static void put(struct expr **e, const struct expr *v, struct expr *value)
{
	int i;

	dec_deep();
	if (!*e)
		return;
	if (is_it(*e, v)) {
		*e = value;
		return;
	}
	for (i = 0; i < (*e)->n; i++)
		put(&(*e)->kid[i], v, value);
}

void read_put_at(struct stmt *s, const struct expr *v, struct expr *value)
{
	put(&s->value, v, value);
	if (!read_deletes(s))
		put(&s->target, v, value);
	read_put(&s->body, v, value);
	read_put(&s->other, v, value);
	read_put(&s->last, v, value);
}

void read_put(struct body *b, const struct expr *v, struct expr *value)
{
	struct stmt *s;

	dec_deep();
	for (s = b->first; s; s = s->next)
		read_put_at(s, v, value);
}
