/* SPDX-License-Identifier: BSD-3-Clause */
/* A jump over code in between sets a variable.  An exception on the way, of __exit__() for one, ends the jump: handlers
   reset the variable, and with statements, which may swallow the exception, are refused.  Knows statements only. */
#include <Python.h>
#include "py/decompile/dec_flow.h"

static struct temp *jump_of(const struct expr *e)
{
	return e && e->kind == E_TEMP && e->temp->jumps ? e->temp : NULL;
}

static bool is_zero(const struct expr *e)
{
	return e->kind == E_CONST && PyLong_CheckExact(e->obj) && PyLong_AsLong(e->obj) == 0;
}

/* The variable that a statement in this body sets for a jump; NULL: none does. */
static struct temp *sets(const struct body *b)
{
	const struct stmt *s;
	struct temp *t = NULL;

	dec_deep();
	for (s = b->first; s && !t; s = s->next) {
		if (s->kind == S_ASSIGN && jump_of(s->target) && !is_zero(s->value))
			t = s->target->temp;
		if (!t && s->kind != S_DEF)
			t = sets(&s->body);
		if (!t)
			t = sets(&s->other);
		if (!t)
			t = sets(&s->last);
	}
	return t;
}

static bool tests_jump(const struct expr *e)
{
	int i;

	dec_deep();
	if (e->kind == E_BOOL) {
		for (i = 0; i < e->n; i++)
			if (!tests_jump(e->kid[i]))
				return false;
		return true;
	}
	return e->kind == E_COMPARE && jump_of(e->kid[0]);
}

/* Nothing that can raise runs from s on while a jump is under way. */
static bool quiet(const struct stmt *s)
{
	const struct stmt *in;

	for (; s; s = s->next) {
		if (s->kind == S_BREAK || s->kind == S_CONTINUE || (s->kind == S_ASSIGN && jump_of(s->target)))
			return true;
		if (s->kind != S_IF || s->other.first || !tests_jump(s->value))
			return false;
		in = s->body.first;
		if (!(s->value->kind == E_COMPARE && is_zero(s->value->kid[1])) &&
		    !(in && in->kind == S_ASSIGN && jump_of(in->target)))
			return false;
	}
	return true;
}

static bool has_finally(const struct stmt *s)
{
	const struct stmt *c;

	for (c = s->other.first; c && c->value; c = c->next)
		;
	return c != NULL;
}

/* Can an exception leave this body while a jump is under way?  The variable. */
static struct temp *jump_interrupted(const struct body *b)
{
	const struct stmt *s, *c;
	struct temp *t;

	dec_deep();
	for (s = b->first; s; s = s->next) {
		if (s->kind == S_ASSIGN && jump_of(s->target) && !is_zero(s->value) && !quiet(s->next))
			return s->target->temp;
		if (s->kind == S_DEF)
			continue;
		t = sets(&s->body);
		if (!t)
			t = sets(&s->other);
		if (!t)
			t = sets(&s->last);
		if (!t)
			continue;
		if (s->kind == S_WITH || (s->kind == S_TRY && has_finally(s)) || !quiet(s->next) ||
		    jump_interrupted(&s->body) || jump_interrupted(&s->last))
			return t;
		if (s->kind != S_TRY && jump_interrupted(&s->other))
			return t;
		for (c = s->kind == S_TRY ? s->other.first : NULL; c; c = c->next)
			if (jump_interrupted(&c->body))
				return t;
	}
	return NULL;
}

static void end_jump(struct dec *d, struct stmt *clause, struct temp *t)
{
	struct body first;
	PyObject *zero = dec_hold(d, PyLong_FromLong(0));

	dec_body_init(&first);
	if (!zero)
		dec_refuse(d, clause->from, "out of memory");
	dec_stmt(&first, d, S_ASSIGN, dec_temp_use(d, t), dec_const(d, zero), clause->from);
	first.first->next = clause->body.first;
	clause->body.first = first.first;
	if (!first.first->next)
		clause->body.end = &first.first->next;
}

void stale_tidy(struct dec *d, struct body *b)
{
	struct stmt *s, *c;
	struct temp *t;

	dec_deep();
	for (s = b->first; s; s = s->next) {
		t = s->kind == S_TRY || s->kind == S_WITH ? jump_interrupted(&s->body) : NULL;
		if (t && s->kind == S_WITH)
			dec_refuse(d, s->from, "a with statement that a jump leaves from within another one");
		for (c = t ? s->other.first : NULL; c; c = c->next) {
			if (c->value)
				end_jump(d, c, t);
			else if (sets(&c->body))
				dec_refuse(d, c->from, "a jump in a finally clause that another jump leads to");
		}
		stale_tidy(d, &s->body);
		stale_tidy(d, &s->other);
		stale_tidy(d, &s->last);
		if (s->kind == S_DEF)
			stale_tidy(d, &s->function->body);
	}
}
