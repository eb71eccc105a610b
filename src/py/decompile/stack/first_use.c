/* SPDX-License-Identifier: BSD-3-Clause */
/* Where a statement uses a value first, before anything that can be observed.  Does not depend on instructions. */
#include <Python.h>
#include "py/decompile/stack/run.h"

/*
 * The place in this expression where the temporary is used, if nothing that can be observed is evaluated before it;
 * *free is cleared once something is.
 */
static struct expr **first_use(struct expr **e, const struct temp *t, PyObject *name, bool *open)
{
	struct expr **found;
	struct function *f;
	int i, n;

	dec_deep();
	if (!*e || !*open)
		return NULL;
	if ((*e)->kind == E_TEMP)
		return (*e)->temp == t ? e : NULL;
	if (name && (*e)->kind == E_NAME && (*e)->obj == name)
		return e;
	if ((*e)->kind == E_SUBSCR && (*e)->steady)
		return NULL;
	switch ((*e)->kind) {
	case E_CONST:
	case E_BOUND:
	case E_NAME:
	case E_CELL:
		if ((*e)->kind == E_NAME) /* a global that is read before may be another one after it */
			*open = (*e)->steady;
		return NULL;
	case E_IF:
	case E_CHAIN:
	case E_BOOL: /* what follows the first may not be evaluated at all */
		n = 1;
		break;
	case E_LAMBDA:
		f = (*e)->function;
		found = f->defaults ? first_use(&f->defaults->e, t, name, open) : NULL;
		return !found && f->kwdefaults ? first_use(&f->kwdefaults->e, t, name, open) : found;
	case E_WALRUS:
		found = first_use(&(*e)->kid[1], t, name, open);
		*open = *open && found;
		return found;
	case E_COMPREHENSION:
		return (*e)->kid[3] ? first_use(&(*e)->kid[3], t, name, open) : NULL;
	default:
		n = (*e)->n;
	}
	for (i = 0; i < n; i++) {
		found = first_use(&(*e)->kid[i], t, name, open);
		if (found)
			return found;
	}
	*open = false;
	return NULL;
}

static struct expr **use_in(struct stmt *s, const struct temp *t, PyObject *name)
{
	bool open = true;
	struct expr **found;
	int i;

	switch (s->kind) {
	case S_EXPR:
	case S_RETURN:
	case S_RAISE:
	case S_IF:
	case S_FOR:
		return first_use(&s->value, t, name, &open);
	case S_ASSIGN:
		found = first_use(&s->value, t, name, &open);
		for (i = 0; !found && open && i < s->target->n; i++)
			if (s->target->kind == E_ATTR || s->target->kind == E_SUBSCR)
				found = first_use(&s->target->kid[i], t, name, &open);
		return found;
	default:
		return NULL;
	}
}

struct expr **first_use_find(struct stmt *s, const struct temp *t)
{
	return use_in(s, t, NULL);
}

struct expr **first_use_name(struct stmt *s, PyObject *name)
{
	return use_in(s, NULL, name);
}
