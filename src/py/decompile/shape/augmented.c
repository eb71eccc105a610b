/* SPDX-License-Identifier: BSD-3-Clause */
/* Statements that change a part of an object, "x[f(i)] += 1": where a value that was a statement before is in them.
   Knows one statement. */
#include <Python.h>
#include "py/decompile/shape/shape.h"

/* Is its value the same before and after what is put in front of it? */
static bool is_fixed(const struct expr *e)
{
	return e->kind == E_TEMP || e->kind == E_CONST || (e->kind == E_NAME && e->steady);
}

struct expr **augmented_place(struct stmt *s, const struct temp *t)
{
	struct expr *e = s->target, **part;
	int i, n;

	if (s->kind != S_AUG || (e->kind != E_ATTR && e->kind != E_SUBSCR) || t->stores != 1 || t->uses != 2)
		return NULL;
	if (e->kid[0]->kind == E_TEMP && e->kid[0]->temp == t)
		return &e->kid[0];
	if (e->n < 2 || !is_fixed(e->kid[0]))
		return NULL;
	part = e->kid[1]->kind == E_SLICE ? e->kid[1]->kid : &e->kid[1];
	n = e->kid[1]->kind == E_SLICE ? e->kid[1]->n : 1;
	for (i = 0; i < n; i++) {
		if (part[i] && part[i]->kind == E_TEMP && part[i]->temp == t)
			return &part[i];
		if (part[i] && !is_fixed(part[i]))
			return NULL;
	}
	return NULL;
}
