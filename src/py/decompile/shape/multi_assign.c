/* SPDX-License-Identifier: BSD-3-Clause */
/* Values that are computed one by one and then stored one by one become one assignment of several targets.  Knows
   statements and nothing of where they came from. */
#include <Python.h>
#include "py/decompile/shape/shape.h"
#include "py/decompile/stack/run.h"

/* Statements that change a part of an object, "x[f(i)] += 1": where a value that was a statement before is in them. */

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

enum { TOGETHER = 8 }; /* targets of an assignment */

void multi_assign_drop_next(struct body *b, struct stmt *s)
{
	struct stmt *gone = s->next;

	s->next = gone->next;
	if (gone->to > s->to)
		s->to = gone->to;
	if (!s->next)
		b->end = &s->next;
}

struct temp *multi_assign_once(const struct expr *e)
{
	return e && e->kind == E_TEMP && e->temp->uses == 1 && e->temp->stores == 1 ? e->temp : NULL;
}

static bool is_variable_of_its_own(const struct expr *e)
{
	return e->kind == E_NAME && e->steady;
}

/* A list or tuple of constants, variables but for y, and once of this temporary, in whose place v is put if it is not
   NULL; or the temporary itself.  false: it is something else, or has none. */
static bool holds_once(struct expr **at, const struct temp *t, const struct expr *y, struct expr *v)
{
	struct expr *e = *at;
	int i, n = 0;

	if (e->kind == E_TEMP && e->temp == t) {
		*at = v ? v : e;
		return true;
	}
	if (e->kind != E_LIST && e->kind != E_TUPLE)
		return false;
	dec_deep();
	for (i = 0; i < e->n; i++) {
		if (e->kid[i]->kind == E_CONST || (is_variable_of_its_own(e->kid[i]) && e->kid[i]->obj != y->obj))
			continue;
		if (!holds_once(&e->kid[i], t, y, v))
			return false;
		n++;
	}
	return n == 1;
}

/* t = v; y = w; x = t: x, y = v, w, also where x is a list with t in it.  Both are local variables: nobody can see the
   order in which they change. */
static bool swapped(struct dec *d, struct body *b, struct stmt *s)
{
	struct stmt *one = s->next, *two = one ? one->next : NULL;

	if (!two || s->kind != S_ASSIGN || !multi_assign_once(s->target) || one->kind != S_ASSIGN ||
	    two->kind != S_ASSIGN || !is_variable_of_its_own(one->target) || !is_variable_of_its_own(two->target) ||
	    one->target->obj == two->target->obj || !holds_once(&two->value, s->target->temp, one->target, NULL) ||
	    walrus_rebinds(one->value, two))
		return false;
	holds_once(&two->value, s->target->temp, one->target, s->value);
	s->target = dec_expr(d, E_TUPLE, NULL, 2, two->target, one->target);
	s->value = dec_expr(d, E_TUPLE, NULL, 2, two->value, one->value);
	multi_assign_drop_next(b, s);
	multi_assign_drop_next(b, s);
	return true;
}

static void together_up_to(struct dec *d, struct body *b, struct stmt *s, int left);

/* t = v; y = w; a, x = b, t: a, x, y = b, v, w.  All are local variables, and b is one or a constant. */
static bool rotated(struct dec *d, struct body *b, struct stmt *s, int left)
{
	struct stmt *one = s->next, *more = one ? one->next : NULL;
	struct expr *target[TOGETHER], *value[TOGETHER];
	bool found = false;
	int i, n;

	if (!more || s->kind != S_ASSIGN || !multi_assign_once(s->target) || one->kind != S_ASSIGN ||
	    !is_variable_of_its_own(one->target) || !left)
		return false;
	together_up_to(d, b, more, left - 1);
	if (more->kind != S_ASSIGN || more->target->kind != E_TUPLE || more->value->kind != E_TUPLE ||
	    more->target->n != more->value->n || more->target->n >= TOGETHER || more->target->text)
		return false;
	n = more->target->n;
	for (i = 0; i < n; i++) {
		target[i] = more->target->kid[i];
		value[i] = more->value->kid[i];
		if (!is_variable_of_its_own(target[i]) || target[i]->obj == one->target->obj)
			return false;
		if (value[i]->kind == E_TEMP && value[i]->temp == s->target->temp && !found) {
			value[i] = s->value;
			found = true;
		} else if (value[i]->kind != E_CONST &&
			   (!is_variable_of_its_own(value[i]) || value[i]->obj == one->target->obj)) {
			return false;
		}
	}
	if (!found)
		return false;
	target[n] = one->target;
	value[n] = one->value;
	s->target = dec_expr_n(d, E_TUPLE, NULL, target, n + 1);
	s->value = dec_expr_n(d, E_TUPLE, NULL, value, n + 1);
	multi_assign_drop_next(b, s);
	multi_assign_drop_next(b, s);
	return true;
}

/* A variable, an attribute or an item, with or without a star, or a tuple of these. */
static bool is_target(const struct expr *e)
{
	int i;

	if (e->kind != E_TUPLE && e->kind != E_STAR)
		return e->kind == E_NAME || e->kind == E_ATTR || e->kind == E_SUBSCR;
	dec_deep();
	for (i = 0; i < e->n && is_target(e->kid[i]); i++)
		;
	return e->n && i == e->n;
}

static bool target_has(const struct expr *target, PyObject *name)
{
	int i;

	if (target->kind != E_TUPLE && target->kind != E_STAR)
		return target->kind == E_NAME && target->obj == name;
	dec_deep();
	for (i = 0; i < target->n; i++)
		if (target_has(target->kid[i], name))
			return true;
	return false;
}

/* Can this value be read before the first n targets are stored to? */
static bool is_early(const struct expr *e, struct expr *const *target, int n)
{
	int i;

	for (i = 0; (e->kind == E_TUPLE || e->kind == E_LIST) && i < e->n; i++)
		if (!is_early(e->kid[i], target, n))
			return false;
	for (i = 0; i < n && is_variable_of_its_own(e); i++)
		if (target_has(target[i], e->obj))
			return false;
	return e->kind == E_CONST || e->kind == E_TUPLE || e->kind == E_LIST || is_variable_of_its_own(e);
}

/* One of these values binds a variable that a statement of these reads. */
static bool any_rebinds(const struct stmt *s, const struct stmt *end, struct expr *const *value, int n)
{
	int i;

	for (; s != end; s = s->next)
		for (i = 0; i < n; i++)
			if (walrus_rebinds(value[i], s))
				return true;
	return false;
}

/* t = v; u = w; x.a = t; y[i] = 0; y[k] = u: x.a, y[i], y[k] = v, 0, w; and t = v; a, b = b, a; c = t:
   (a, b), c = (b, a), v.  The values are evaluated in this order, before the first target is, and the targets are
   stored in theirs. */
static bool stored_in_order(struct dec *d, struct body *b, struct stmt *s)
{
	struct expr *target[TOGETHER], *value[TOGETHER], *e;
	struct stmt *at, *store;
	int temps = 0, n = 0;
	bool early = true;

	for (at = s; at && at->kind == S_ASSIGN && multi_assign_once(at->target) && temps < TOGETHER; at = at->next) {
		early = early && is_early(at->value, NULL, 0);
		temps++;
	}
	for (store = at, at = s; store && n < TOGETHER && temps; store = store->next) {
		if (store->kind != S_ASSIGN || !is_target(store->target))
			return false;
		e = store->value;
		target[n] = store->target;
		if (e->kind == E_TEMP && e->temp == at->target->temp) {
			value[n] = at->value;
			at = --temps ? at->next : NULL;
		} else if (is_early(e, target, n) || (!n && early && e->kind != E_TEMP)) {
			value[n] = e;
		} else {
			return false;
		}
		n++;
	}
	if (temps || n < 2 || any_rebinds(s, store, value, n))
		return false;
	s->target = dec_expr_n(d, E_TUPLE, NULL, target, n);
	s->value = dec_expr_n(d, E_TUPLE, NULL, value, n);
	while (s->next != store)
		multi_assign_drop_next(b, s);
	return true;
}

/* With at most so many variables more. */
static void together_up_to(struct dec *d, struct body *b, struct stmt *s, int left)
{
	if (s->kind == S_ASSIGN && !swapped(d, b, s) && !rotated(d, b, s, left) && !dec_only_generated(d))
		stored_in_order(d, b, s);
}

void multi_assign_tidy(struct dec *d, struct body *b, struct stmt *s)
{
	together_up_to(d, b, s, TOGETHER);
}
