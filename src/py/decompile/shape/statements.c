/* SPDX-License-Identifier: BSD-3-Clause */
/* Statements that the symbolic run had to take apart, put together again, and names for what is left. */
#include <Python.h>
#include <string.h>
#include "py/decompile/shape/shape.h"

/* ---- how often a temporary is named ------------------------------------------------------------- */

static void count_items(const struct item *i, int by);

/* by: 1 counts, 0 sets back to none. */
static void count_expr(struct expr *e, bool store, int by)
{
	int i, *n;

	dec_deep();
	if (!e)
		return;
	if (e->kind == E_TEMP) {
		n = store ? &e->temp->stores : &e->temp->uses;
		*n = by * (*n + 1);
	}
	for (i = 0; i < e->n; i++)
		count_expr(e->kid[i], store && (e->kind == E_TUPLE || e->kind == E_STAR), by);
	if (e->kind != E_LAMBDA)
		return;
	count_items(e->function->defaults, by);
	count_items(e->function->kwdefaults, by);
	if (e->function->body.first)
		count_expr(e->function->body.first->value, false, by);
}

static void count_items(const struct item *i, int by)
{
	if (i)
		count_expr(i->e, false, by);
}

static void count_body(struct body *b, int by)
{
	struct stmt *s;

	dec_deep();
	for (s = b->first; s; s = s->next) {
		count_expr(s->target, s->kind != S_RAISE, by);
		if (s->kind == S_AUG)
			count_expr(s->target, false, by);
		count_expr(s->value, false, by);
		count_body(&s->body, by);
		count_body(&s->other, by);
		count_body(&s->last, by);
		if (s->function) {
			count_items(s->function->defaults, by);
			count_items(s->function->kwdefaults, by);
			count_items(s->function->annotations, by);
			count_body(&s->function->body, by);
		}
	}
}

/* ---- `_t = value` and its only use in the next statement ---------------------------------------- */

/* ---- a statement and those after it ------------------------------------------------------------- */

/* An element that nobody reads: the compiler leaves out what is stored to a variable that is stored to again. */
static bool unused(const struct expr *e)
{
	return e->kind == E_TEMP && !e->temp->uses && e->temp->stores == 1;
}

static struct expr **target_at(struct expr *list, int i)
{
	return list->kid[i]->kind == E_STAR ? &list->kid[i]->kid[0] : &list->kid[i];
}

/* a, b = v; x = a; y = b: x, y = v */
static bool unpacked(struct body *b, struct stmt *s)
{
	struct expr *list = s->target, *e;
	struct stmt *next = s->next;
	int i, taken = 0;

	dec_deep();
	if (s->kind != S_ASSIGN || list->kind != E_TUPLE)
		return false;
	for (i = 0; i < list->n; i++) {
		e = *target_at(list, i);
		if (unused(e))
			continue;
		if (e->kind != E_TEMP) /* the statements after it, which may be many, need no look */
			return false;
		while (next && unpacked(b, next))
			;
		if (!next || next->kind != S_ASSIGN || !multi_assign_once(e) || next->value->kind != E_TEMP ||
		    next->value->temp != e->temp)
			return false;
		next = next->next;
	}
	for (i = 0; i < list->n; i++) {
		if (unused(*target_at(list, i)))
			continue;
		*target_at(list, i) = s->next->target;
		multi_assign_drop_next(b, s);
		taken++;
	}
	return taken > 0;
}

/* `for t in it: x = t` and `with m as t: x = t` */
static void first_store(struct body *b, struct expr **target)
{
	struct stmt *s = b->first;

	if (!*target || !multi_assign_once(*target) || !s || s->kind != S_ASSIGN || s->value->kind != E_TEMP ||
	    s->value->temp != (*target)->temp)
		return;
	*target = s->target;
	b->first = s->next;
	if (!b->first)
		b->end = &b->first;
}

/* Computing it twice changes nothing. */
static bool is_repeatable(const struct expr *e)
{
	const struct expr *part[3];
	int i;

	if (!e || e->kind == E_NAME || e->kind == E_TEMP || e->kind == E_CONST || e->kind == E_BOUND)
		return true;
	if (e->kind != E_TUPLE && !expr_slice_parts(e, part))
		return false;
	for (i = 0; i < e->n; i++)
		if (!is_repeatable(e->kid[i]))
			return false;
	return true;
}

/* t = o.x; t += v; o.x = t: o.x += v */
static bool augmented(struct body *b, struct stmt *s)
{
	struct stmt *add = s->next, *back = add ? add->next : NULL;
	const struct expr *t = s->target;
	int i;

	if (!back || s->kind != S_ASSIGN || t->kind != E_TEMP || add->kind != S_AUG || add->target->kind != E_TEMP ||
	    add->target->temp != t->temp || back->kind != S_ASSIGN || back->value->kind != E_TEMP ||
	    back->value->temp != t->temp || t->temp->uses != 2 || t->temp->stores != 2)
		return false;
	if ((s->value->kind != E_ATTR && s->value->kind != E_SUBSCR && s->value->kind != E_NAME) ||
	    !dec_same(s->value, back->target))
		return false;
	for (i = 0; i < s->value->n; i++)
		if (!is_repeatable(s->value->kid[i]))
			return false;
	s->kind = S_AUG;
	s->text = add->text;
	s->target = back->target;
	s->value = add->value;
	multi_assign_drop_next(b, s);
	multi_assign_drop_next(b, s);
	return true;
}

/* t = v; del a; x = t: x = v; del a.  x is a local variable, which nobody else can see. */
static bool stored_later(struct body *b, struct stmt *s)
{
	struct stmt *last, *at;

	for (at = s, last = s->next; last && last->kind == S_DELETE && last->target->kind == E_NAME;
	     at = last, last = last->next)
		;
	if (!last || at == s || last->kind != S_ASSIGN || last->target->kind != E_NAME || !last->target->steady ||
	    last->value->kind != E_TEMP || last->value->temp != s->target->temp)
		return false;
	for (at = s->next; at != last; at = at->next)
		if (at->target->obj == last->target->obj)
			return false;
	for (at = s; at->next != last; at = at->next)
		;
	s->target = last->target;
	at->next = last->next;
	if (!at->next)
		b->end = &at->next;
	return true;
}

static void put_in_place(struct body *b)
{
	struct stmt **at, *s;
	struct expr **use;
	bool changed = true;

	while (changed) {
		changed = false;
		for (at = &b->first; *at; at = &(*at)->next) {
			s = *at;
			if (s->kind != S_ASSIGN || !s->next || s->target->kind != E_TEMP)
				continue;
			use = augmented_place(s->next, s->target->temp);
			if (!use && !multi_assign_once(s->target))
				continue;
			if (!use && stored_later(b, s)) {
				changed = true;
				break;
			}
			if (!use)
				use = first_use_find(s->next, s->target->temp);
			if (!use || walrus_rebinds(s->value, s->next))
				continue;
			*use = s->value;
			if (s->from < s->next->from || s->next->from < 0)
				s->next->from = s->from;
			*at = s->next;
			changed = true;
		}
	}
}

static void put_all_in_place(struct body *b)
{
	struct stmt *s;

	dec_deep();
	put_in_place(b);
	for (s = b->first; s; s = s->next) {
		put_all_in_place(&s->body);
		put_all_in_place(&s->other);
		put_all_in_place(&s->last);
		if (s->kind == S_DEF)
			put_all_in_place(&s->function->body);
	}
}

static void tidy(struct dec *d, struct body *b)
{
	struct stmt *s;

	dec_deep();
	for (s = b->first; s; s = s->next) /* all of them, before several of these become one */
		while (unpacked(b, s))
			;
	for (s = b->first; s; s = s->next) {
		while (unpacked(b, s))
			;
		if (!augmented(b, s))
			multi_assign_tidy(d, b, s);
	}
	decorators_tidy(d, b);
	put_in_place(b);
	for (s = b->first; s; s = s->next) {
		tidy(d, &s->body);
		tidy(d, &s->other);
		tidy(d, &s->last);
		if (s->kind == S_DEF)
			tidy(d, &s->function->body);
		if (s->kind == S_FOR || s->kind == S_WITH)
			first_store(&s->body, &s->target);
		if (s->kind == S_WITH && s->target && s->target->kind == E_TEMP && !s->target->temp->uses)
			s->target = NULL;
		while_tidy(d, b, s);
	}
	for (s = b->first; s; s = s->next) /* what follows is tidied by now: it may be what the handler does, too */
		if (s->kind == S_TRY)
			clause_tidy(d, b, s);
}

/* a, t, _ = v: a, _, _ = v.  later: a name that is stored to after e. */
static void unused_targets(struct expr *e, struct expr *later)
{
	int i;

	for (i = e && e->kind == E_TUPLE ? e->n - 1 : -1; i >= 0; i--) {
		unused_targets(e->kid[i], later);
		if (later && unused(e->kid[i]))
			e->kid[i] = later;
		if (!later && e->kid[i]->kind == E_NAME && e->kid[i]->steady)
			later = e->kid[i];
	}
}

static void all_unused_targets(struct body *b)
{
	struct stmt *s;

	dec_deep();
	for (s = b->first; s; s = s->next) {
		if (s->kind == S_ASSIGN || s->kind == S_FOR)
			unused_targets(s->target, NULL);
		all_unused_targets(&s->body);
		all_unused_targets(&s->other);
		all_unused_targets(&s->last);
		if (s->kind == S_DEF)
			all_unused_targets(&s->function->body);
	}
}

/* Only temporaries and constants: to evaluate it does nothing. */
static bool is_quiet(const struct expr *e)
{
	int i;

	if (e->kind != E_TEMP && e->kind != E_CONST && e->kind != E_COMPARE && e->kind != E_BOOL)
		return false;
	for (i = 0; i < e->n; i++)
		if (!is_quiet(e->kid[i]))
			return false;
	return true;
}

/* `_t = constant` that nothing reads, and a test of temporaries that nothing depends on any more.  empty: no statement
   may be left. */
static void drop_unread(struct body *b, bool empty)
{
	struct stmt **at, *s;

	dec_deep();
	for (at = &b->first; (s = *at) != NULL;) {
		const bool emptied = s->kind == S_IF && s->body.first && !s->other.first && is_quiet(s->value);

		drop_unread(&s->body, emptied);
		drop_unread(&s->other, false);
		drop_unread(&s->last, false);
		if ((s->kind == S_ASSIGN && s->target->kind == E_TEMP && !s->target->temp->uses &&
		     s->value->kind == E_CONST && (empty || s->next || b->first != s)) ||
		    (emptied && !s->body.first))
			*at = s->next;
		else
			at = &s->next;
	}
	b->end = at;
}

void statements_body(struct dec *d, struct body *b)
{
	count_body(b, 0);
	count_body(b, 1);
	tidy(d, b);
	count_body(b, 0);
	count_body(b, 1);
	put_all_in_place(b); /* clauses have lost statements between others */
	count_body(b, 0);
	count_body(b, 1);
	return_value_tidy(b);
	repeated_return_tidy(d, b);
	count_body(b, 0);
	count_body(b, 1);
	all_unused_targets(b);
	drop_unread(b, false);
}

/* else: if c: A; return.  B  is  elif c: A; return.  else: B */
static void chain_else(struct body *b)
{
	struct stmt *s, *next;

	dec_deep();
	for (s = b->first; s; s = s->next) {
		next = s->kind == S_IF ? s->other.first : NULL;
		if (next && next->kind == S_IF && next->next && !next->other.first && dec_body_leaves(&next->body)) {
			next->other.first = next->next;
			next->next = NULL;
			dec_body_end(&next->other);
			s->other.end = &next->next;
		}
		chain_else(&s->body);
		chain_else(&s->other);
		chain_else(&s->last);
		if (s->kind == S_DEF)
			chain_else(&s->function->body);
	}
}

void statements_count(struct dec *d, struct body *b)
{
	struct temp *t;

	for (t = d->temps; t; t = t->next)
		t->uses = t->stores = 0;
	count_body(b, 1);
}

void statements_chain_else(struct dec *d, struct body *b)
{
	(void)d;
	chain_else(b);
}
