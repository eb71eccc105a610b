/* SPDX-License-Identifier: BSD-3-Clause */
/* Generated code for people: a value is read by the user's name for it, once it has one.  Not for text that is
   compiled; moves nothing. */
#include <Python.h>
#include <string.h>
#include "py/decompile/tidy/read.h"

static int binds(const struct dec *d, const PyObject *name)
{
	int i, n = 0;

	for (i = 0; i < d->n; i++)
		n += d->ins[i].obj == name && (d->ins[i].op == D_STORE_FAST || d->ins[i].op == D_DELETE_FAST);
	return n;
}

/* NAME = graph_out_0[1], where no other statement binds the name: NAME is that value from there on. */
static bool names_result(const struct reader *r, const struct stmt *s)
{
	const struct own *o;
	PyObject *name;

	if (s->kind != S_ASSIGN || s->folded || s->value->kind != E_SUBSCR)
		return false;
	o = read_own(r, s->value->kid[0]);
	if (!o || !o->result || !read_fixed(r, s->value) || read_own(r, s->target))
		return false;
	if (s->target->kind == E_TEMP)
		return s->target->temp->hint && s->target->temp->stores == 1;
	name = s->target->kind != E_NAME ? NULL : run_own_variable(r->d->c, s->target->obj);
	return name && binds(r->d, name) == 1;
}

static void use_name(struct expr **e, const struct expr *value, struct expr *name)
{
	int i;

	dec_deep();
	if (!*e)
		return;
	if (dec_same(*e, value)) {
		*e = name;
		return;
	}
	for (i = 0; i < (*e)->n; i++)
		use_name(&(*e)->kid[i], value, name);
}

static void use_in_body(struct stmt *s, const struct expr *value, struct expr *name)
{
	dec_deep();
	for (; s; s = s->next) {
		use_name(&s->value, value, name);
		use_name(&s->target, value, name);
		use_in_body(s->body.first, value, name);
		use_in_body(s->other.first, value, name);
		use_in_body(s->last.first, value, name);
	}
}

/* A variable of the compiler's own that is called after its place on the value stack. */
static const struct temp *stack_temp(const struct expr *e)
{
	return e->kind == E_TEMP && e->temp->stores == 1 && e->temp->hint && !strncmp(e->temp->hint, "___stack", 8) ?
		       e->temp :
		       NULL;
}

/* ___stack0 = graph_out_0[0] and, later or next to it, NAME = graph_out_0[0]: NAME has this place. */
static void merge_named(struct stmt *s)
{
	const struct temp *t = stack_temp(s->target);
	struct stmt **at, *named;
	int uses = 0;

	for (at = &s->next; t && *at && (*at)->kind == S_ASSIGN; at = &(*at)->next)
		if (dec_same((*at)->value, s->value) && !(*at)->folded)
			break;
	named = t && *at && (*at)->kind == S_ASSIGN ? *at : NULL;
	if (!named || !named->next || named->target->kind != E_TEMP || !named->target->temp->hint ||
	    stack_temp(named->target) || named->target->temp->stores != 1)
		return;
	for (named = s->next; named; named = named->next)
		uses += read_uses_at(named, s->target) + read_uses_in(&named->body, s->target) +
			read_uses_in(&named->other, s->target) + read_uses_in(&named->last, s->target);
	if (uses != t->uses)
		return;
	named = *at;
	*at = named->next;
	if (!(*at)->folded && named->from >= 0 && (*at)->from > named->from)
		(*at)->from = named->from;
	use_in_body(s->next, s->target, named->target);
	s->target = named->target;
}

void read_known(struct dec *d, struct body *b)
{
	struct stmt *s;

	dec_deep();
	for (s = b->first; s; s = s->next) {
		dec_poll();
		if (names_result(d->reader, s)) {
			merge_named(s);
			use_in_body(s->next, s->value, s->target);
		}
		read_known(d, &s->body);
		read_known(d, &s->other);
		read_known(d, &s->last);
	}
	dec_body_end(b);
}
