/* SPDX-License-Identifier: BSD-3-Clause */
/* Cases of one subject as one match statement: the symbolic run writes each as a statement of its own, and those that
   compare with a constant, or with a name with dots, as `if`.  Knows no instructions. */
#include <Python.h>
#include <string.h>
#include "py/decompile/bytecode/match.h"
#include "py/decompile/shape/shape.h"

static const struct expr *subject_of(const struct stmt *s)
{
	return s->kind == S_MATCH ? dec_match_of(s->value)->kid[0] : NULL;
}

/* Nobody else changes it, and reading it twice is reading it once. */
static bool is_variable(const struct expr *e)
{
	return e->kind == E_TEMP || (e->kind == E_NAME && e->steady);
}

/* A name with dots as a pattern: it is looked up and compared, as the test does; NULL: another expression. */
static const char *dotted_name(struct dec *d, const struct expr *e, bool last)
{
	const char *name = e->obj && dec_is_identifier(e->obj) ? PyUnicode_AsUTF8(e->obj) : NULL, *of;

	PyErr_Clear();
	if (!name || (e->kind != E_ATTR && (e->kind != E_NAME || last)))
		return NULL;
	of = e->kind == E_ATTR ? dotted_name(d, e->kid[0], false) : "";
	return of ? dec_text(d, "%s%s%s", of, *of ? "." : "", name) : NULL;
}

/* What is tested before a guard. */
static const struct expr *test_of(const struct expr *e)
{
	return e->kind == E_BOOL && !strcmp(e->text, "and") ? e->kid[0] : e;
}

/* `if subject == CONSTANT`, `if subject == A.NAME` and `if subject is None`: the case's pattern; NULL: it is another
   test. */
static const char *value_case(struct dec *d, const struct stmt *s, const struct expr *subject)
{
	const struct expr *e = test_of(s->value);
	bool is;

	if (s->kind != S_IF || !subject || e->kind != E_COMPARE || e->n != 2 || !is_variable(subject) ||
	    !dec_same(e->kid[0], subject))
		return NULL;
	if (e->kid[1]->kind == E_ATTR && !strcmp(e->text, "=="))
		return dotted_name(d, e->kid[1], true);
	if (e->kid[1]->kind != E_CONST)
		return NULL;
	is = !strcmp(e->text, "is");
	if ((!is && strcmp(e->text, "==")) || is != (e->kid[1]->obj == Py_None || PyBool_Check(e->kid[1]->obj)))
		return NULL;
	return pattern_constant(d, e->kid[1]->obj, is);
}

static bool as_case(struct dec *d, struct stmt *s, const struct expr *subject)
{
	const char *text;
	struct expr *e;

	if (s->kind == S_MATCH)
		return dec_same(subject_of(s), subject);
	text = value_case(d, s, subject);
	if (!text)
		return false;
	e = dec_expr(d, E_MATCH, text, 1, test_of(s->value)->kid[0]);
	s->kind = S_MATCH;
	if (s->value->kind == E_BOOL) {
		s->value = dec_expr_n(d, E_BOOL, s->value->text, s->value->kid, s->value->n);
		s->value->kid[0] = e;
	} else {
		s->value = e;
	}
	return true;
}

/* The case that is tried next, if it is one of the same subject. */
static bool join_next(struct dec *d, struct body *b, struct stmt *s)
{
	struct stmt *n = s->other.first;
	const struct expr *subject;
	bool after = !n;

	if ((s->kind != S_MATCH && s->kind != S_IF) || (n ? n->next != NULL : !dec_body_leaves(&s->body)))
		return false;
	n = after ? s->next : n;
	if (!n || (!subject_of(s) && !subject_of(n)) || (s->kind == S_MATCH && n->kind == S_MATCH && !after))
		return false;
	subject = subject_of(s) ? subject_of(s) : subject_of(n);
	if ((s->kind == S_IF && !value_case(d, s, subject)) || !as_case(d, n, subject) || !as_case(d, s, subject))
		return false;
	if (after) {
		s->next = n->next;
		if (!s->next)
			b->end = &s->next;
		n->next = NULL;
		s->other.first = n;
		s->other.end = &n->next;
	}
	return true;
}

void cases_join(struct dec *d, struct body *b)
{
	struct stmt *s, *before = NULL, *end = NULL;

	for (s = b->first; s && s->kind != S_MATCH && !(s->other.first && s->other.first->kind == S_MATCH); s = s->next)
		;
	while (s && end != b->first) { /* backwards: a case takes in those after it */
		for (before = b->first; before->next != end; before = before->next)
			;
		join_next(d, b, before);
		end = before;
	}
}

/* Is the statement a case of this temporary? */
static bool tests(const struct stmt *s, const struct temp *t)
{
	const struct expr *e = s ? subject_of(s) : NULL;

	return e && e->kind == E_TEMP && e->temp == t;
}

/* t = value; match t: case ...: match value: case ... */
void cases_subject(struct body *b)
{
	struct stmt **at, *s, *c;
	struct temp *t;
	int n;

	for (at = &b->first; (s = *at); at = &(*at)->next) {
		t = s->kind == S_ASSIGN && s->target->kind == E_TEMP ? s->target->temp : NULL;
		if (!t || !s->next || !subject_of(s->next) || t->stores != 1)
			continue;
		for (n = 0, c = s->next; tests(c, t); n++)
			c = c->other.first && !c->other.first->next ? c->other.first : NULL;
		if (n != t->uses)
			continue;
		for (c = s->next; n--; c = c->other.first)
			((struct expr *)dec_match_of(c->value))->kid[0] = s->value;
		if (s->from >= 0)
			s->next->from = s->from;
		*at = s->next;
	}
}
