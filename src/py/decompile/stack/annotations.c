/* SPDX-License-Identifier: BSD-3-Clause */
/* Annotations of variables in the body of a class or a module: from statements, and from the function that gives them.
   Knows no stack. */
#include <Python.h>
#include "py/decompile/stack/definitions.h"
#include "py/decompile/stack/run.h"

/* `__annotations__[NAME] = value`: NAME. */
static PyObject *annotated(const struct stmt *s)
{
	const struct expr *e = s->kind == S_ASSIGN && s->target->kind == E_SUBSCR ? s->target : NULL;

	if (!e || e->kid[0]->kind != E_NAME || PyUnicode_CompareWithASCIIString(e->kid[0]->obj, "__annotations__") ||
	    e->kid[1]->kind != E_CONST || !PyUnicode_CheckExact(e->kid[1]->obj) || !dec_is_identifier(e->kid[1]->obj))
		return NULL;
	return e->kid[1]->obj;
}

/* ---- annotations -------------------------------------------------------------------------------- */

static bool stores_to(const struct stmt *s, PyObject *name)
{
	return s && s->kind == S_ASSIGN && s->target->kind == E_NAME && !PyUnicode_Compare(s->target->obj, name);
}

/* The statement becomes `name: annotation`, with what is assigned to it. */
static void annotate(struct dec *d, struct stmt *s, PyObject *name, struct expr *annotation, struct expr *value)
{
	s->kind = S_ANNOTATE;
	s->target = dec_name(d, name);
	s->value = dec_expr(d, E_TUPLE, NULL, value ? 2 : 1, annotation, value);
}

int body_annotations(struct dec *d, struct body *b)
{
	struct stmt **at, *s, *before = NULL;
	PyObject *name;
	int n = 0;

	dec_deep();
	for (at = &b->first; (s = *at);) {
		n += body_annotations(d, &s->body) + body_annotations(d, &s->other) + body_annotations(d, &s->last);
		name = annotated(s);
		if (name && stores_to(before, name)) {
			annotate(d, before, name, s->value, before->value);
			*at = s->next;
			if (!*at)
				b->end = at;
		} else if (name) {
			annotate(d, s, name, s->value, NULL);
		}
		n += name != NULL;
		before = *at == s ? s : before;
		at = *at == s ? &s->next : at;
	}
	return n;
}

/* Those of a function beside the body, from CPython 3.14 on: each where its name is assigned, or before the next. */
bool place_annotations(struct dec *d, struct body *b, const struct expr *list)
{
	struct stmt **at = &b->first, **found, *s;
	struct body one;
	int i;

	for (i = 0; i < list->n; i += 2) {
		if (!list->kid[i] || list->kid[i]->kind != E_CONST || !PyUnicode_CheckExact(list->kid[i]->obj) ||
		    !dec_is_identifier(list->kid[i]->obj))
			return false;
		for (found = at; *found && !stores_to(*found, list->kid[i]->obj); found = &(*found)->next)
			;
		if (*found) {
			annotate(d, *found, list->kid[i]->obj, list->kid[i + 1], (*found)->value);
			at = &(*found)->next;
			continue;
		}
		dec_body_init(&one);
		s = dec_stmt(&one, d, S_ASSIGN, NULL, list->kid[i + 1], -1);
		annotate(d, s, list->kid[i]->obj, list->kid[i + 1], NULL);
		s->next = *at;
		*at = s;
		at = &s->next;
	}
	dec_body_end(b);
	return true;
}

/* t = {}; t[NAME] = annotation; ...; return t: as the dictionary's keys and values; NULL: something else. */
struct expr *class_annotations(struct dec *d, const struct stmt *s)
{
	const struct temp *t = s->kind == S_ASSIGN && s->target->kind == E_TEMP && s->value->kind == E_DICT ?
				       s->target->temp :
				       NULL;
	struct expr **kid;
	const struct stmt *at;
	int n = 0;

	for (at = s; at; at = at->next)
		n += 2;
	kid = dec_alloc(d, (size_t)n * sizeof(*kid));
	for (n = 0, at = s->next; t && at && at->kind == S_ASSIGN && at->target->kind == E_SUBSCR; at = at->next) {
		const struct expr *e = at->target;

		if (e->kid[0]->kind != E_TEMP || e->kid[0]->temp != t)
			return NULL;
		kid[n++] = e->kid[1];
		kid[n++] = at->value;
	}
	if (!t || s->value->n || !at || at->next || at->kind != S_RETURN || at->value->kind != E_TEMP ||
	    at->value->temp != t)
		return NULL;
	return dec_expr_n(d, E_DICT, NULL, kid, n);
}
