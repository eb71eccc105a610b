/* SPDX-License-Identifier: BSD-3-Clause */
/* Loops that only fill a list, a set or a dictionary, or only yield, as comprehensions.  Knows statements and nothing
   of where they came from. */
#include <Python.h>
#include <string.h>
#include "py/decompile/stack/run.h"

enum { CLAUSES = 12 };

struct comp {
	struct dec *d;
	struct expr *of; /* the temporary that is filled; NULL: it yields */
	struct expr *element, *value;
	struct expr *clause[2 * CLAUSES];
	int n;
};

static bool is_of(const struct comp *c, const struct expr *e)
{
	return c->of && e && e->kind == E_TEMP && e->temp == c->of->temp;
}

/* `_t.append(v)`, `_t.add(v)`, `_t.__setitem__(k, v)` or `yield v`. */
static bool leaf(struct comp *c, const struct stmt *s)
{
	const struct expr *e = s->value, *f;

	if (s->kind != S_EXPR || s->next)
		return false;
	if (!c->of) {
		c->element = e->kind == E_YIELD ? e->kid[0] : NULL;
		return c->element != NULL;
	}
	f = e->kind == E_CALL && e->n >= 2 && e->kid[0]->kind == E_ATTR && !e->kid[0]->obj ? e->kid[0] : NULL;
	if (!f || !is_of(c, f->kid[0]))
		return false;
	c->element = e->kid[1];
	c->value = e->n == 3 ? e->kid[2] : NULL;
	return !strcmp(f->text, "append") || !strcmp(f->text, "add") || (c->value && !strcmp(f->text, "__setitem__"));
}

static bool clause(struct comp *c, struct expr *target, struct expr *of)
{
	if (c->n == CLAUSES)
		return false;
	c->clause[2 * c->n] = target;
	c->clause[2 * c->n++ + 1] = of;
	return true;
}

static bool only_goes_on(const struct body *b)
{
	return b->first && !b->first->next && b->first->kind == S_CONTINUE;
}

/* x = v; if x ...: if (x := v) ...  The value may be in a temporary first.  Returns what follows; NULL: nothing. */
static struct stmt *comp_walrus(struct comp *c, struct stmt *s)
{
	struct stmt *store = s->kind == S_ASSIGN && s->target->kind == E_TEMP && s->next ? s->next : s;
	struct expr **use, *both[2];

	if (store->kind != S_ASSIGN || store->target->kind != E_NAME || !store->next)
		return NULL;
	if (store == s)
		use = first_use_name(store->next, store->target->obj);
	else if (store->value->kind == E_TEMP && store->value->temp == s->target->temp && s->target->temp->uses == 2)
		use = first_use_find(store->next, s->target->temp);
	else
		return NULL;
	if (!use)
		return NULL;
	both[0] = store->target;
	both[1] = s->value;
	*use = dec_expr_n(c->d, E_WALRUS, NULL, both, 2);
	return store->next;
}

static bool comp_body(struct comp *c, struct stmt *s)
{
	struct expr *target;
	struct stmt *next;

	dec_deep();
	while (s && (next = comp_walrus(c, s)))
		s = next;
	if (!s || s->last.first)
		return false;
	if (s->kind == S_FOR && !s->other.first && !s->next) {
		target = s->text ? dec_expr(c->d, E_AWAIT, NULL, 1, s->target) : s->target;
		return clause(c, target, s->value) && comp_body(c, s->body.first);
	}
	if (s->kind != S_IF)
		return leaf(c, s);
	if (only_goes_on(&s->body))
		return clause(c, NULL, dec_not(c->d, s->value)) &&
		       comp_body(c, s->other.first && !s->next ? s->other.first : s->next);
	if (s->other.first || (s->next && !(s->next->kind == S_CONTINUE && !s->next->next)))
		return false;
	return clause(c, NULL, s->value) && comp_body(c, s->body.first);
}

static bool drop_continue(struct body *b)
{
	struct stmt **at;

	dec_deep();
	for (at = &b->first; *at; at = &(*at)->next) {
		drop_continue(&(*at)->body);
		if ((*at)->kind == S_CONTINUE && !(*at)->next && at != &b->first) {
			*at = NULL;
			b->end = at;
			return true;
		}
	}
	return false;
}

const char *comprehension_brackets(struct code *c)
{
	static const char *const names[][2] = {
		{ "<listcomp>", "[]" }, { "<setcomp>", "{}" }, { "<dictcomp>", "{}" }, { "<genexpr>", "()" }
	};
	const PyCodeObject *co = (const PyCodeObject *)c->co;
	int i;

	for (i = 0; i < 4 && strcmp(code_name(c), names[i][0]); i++)
		;
	return i < 4 && co->co_argcount == 1 && !co->co_kwonlyargcount ? names[i][1] : NULL;
}

struct expr *comprehension_of(struct dec *d, struct body *b, const char *brackets)
{
	struct comp c = { .d = d };
	struct expr *kid[2 + 2 * CLAUSES], *e;
	struct stmt *s, *end;
	int i;

	d->steps->join(d, b);
	drop_continue(b);
	s = b->first;
	if (*brackets != '(' && s && s->kind == S_ASSIGN && s->target->kind == E_TEMP &&
	    (s->value->kind == E_LIST || s->value->kind == E_SET || s->value->kind == E_DICT))
		s = s->next; /* the empty list */
	end = s ? s->next : NULL;
	if (!s || s->kind != S_FOR || s->other.first || !end || end->kind != S_RETURN || end->next)
		return NULL;
	if (*brackets == '(' ? !dec_is_none(end->value) : end->value->kind != E_TEMP)
		return NULL;
	c.of = *brackets == '(' ? NULL : end->value;
	end->next = NULL;
	s->next = NULL;
	if (!comp_body(&c, s) || !c.clause[0])
		return NULL;
	kid[0] = c.element;
	kid[1] = c.value;
	dec_copy(kid + 2, c.clause, (size_t)c.n * 2 * sizeof(*kid));
	kid[3] = NULL;
	e = dec_expr_n(d, E_COMPREHENSION, brackets, kid, 2 + 2 * c.n);
	for (i = 0; i < e->n; i++)
		if (dec_has_temp(e->kid[i]))
			return NULL;
	return e;
}

bool comprehension_open(const struct item *i)
{
	return i->kind == I_VALUE && i->e->kind == E_COMPREHENSION && !i->e->kid[3];
}

struct expr *comprehension_close(struct dec *d, const struct expr *e, struct expr *iterable)
{
	struct expr *copy = dec_expr_n(d, E_COMPREHENSION, e->text, e->kid, e->n);

	copy->kid[3] = iterable;
	if (iterable->index >= 0 && (copy->index < 0 || iterable->index < copy->index))
		copy->index = iterable->index;
	return copy;
}

void comprehension_name(struct dec *d, struct body *b)
{
	const char *const code = code_name(d->c);
	const struct stmt *s = b->first;
	struct temp *t = s && s->kind == S_ASSIGN && s->target->kind == E_TEMP ? s->target->temp : NULL;

	if (d->depth || !t || t->hint)
		return;
	t->hint = s->value->kind == E_LIST && !strcmp(code, "<listcomp>") ? "new_list" :
		  s->value->kind == E_SET && !strcmp(code, "<setcomp>")	  ? "new_set" :
		  s->value->kind == E_DICT && !strcmp(code, "<dictcomp>") ? "new_dict" :
									    NULL;
}
