/* SPDX-License-Identifier: BSD-3-Clause */
/* Expressions shown at every stop: see display.h.  Knows no command and no view. */
#include "engine/display.h"
#include <stdlib.h>
#include "base/visible.h"
#include "engine/missing_variable.h"
#include "engine/session.h"
#include "py/interp/eval.h"
#include "py/value/value.h"

enum { SUMMARY = 200 }; /* bytes of a value */

int display_add(struct session *s, const char *text, struct err *err)
{
	struct expr *e = expr_new(text, err);
	struct display *d, **end;

	if (!e)
		return -1;
	if (!s->displays)
		s->displays = mem_alloc(sizeof(*s->displays));
	d = mem_alloc(sizeof(*d));
	d->expr = e;
	d->number = ++s->displays->last;
	for (end = &s->displays->first; *end; end = &(*end)->next)
		;
	*end = d;
	return d->number;
}

static void forget_value(struct display *d)
{
	py_unref(d->value);
	free(d->trouble);
	d->value = NULL;
	d->trouble = NULL;
	d->known = false;
}

static void drop(struct display **p)
{
	struct display *d = *p;

	*p = d->next;
	forget_value(d);
	expr_unref(d->expr);
	free(d);
}

int display_drop(struct session *s, int number, struct err *err)
{
	struct display **p;

	for (p = s->displays ? &s->displays->first : NULL; p && *p; p = &(*p)->next)
		if ((*p)->number == number) {
			drop(p);
			return 0;
		}
	return err_set(err, "no display %d: 'info display' lists them", number);
}

void display_drop_all(struct session *s)
{
	while (s->displays && s->displays->first)
		drop(&s->displays->first);
}

struct display *display_first(const struct session *s)
{
	return s->displays ? s->displays->first : NULL;
}

const char *display_expr(const struct display *d)
{
	return expr_text(d->expr);
}

static struct py_obj *evaluated(struct session *s, const struct display *d, struct err *err)
{
	struct scope scope;
	struct py_obj *v;

	if (session_scope(s, &scope, err) < 0)
		return NULL;
	v = expr_eval(d->expr, &scope, err);
	if (!v && scope.frame && err)
		missing_variable_explain(s, frame_code(scope.frame), err);
	return v;
}

int display_value(struct session *s, const struct display *d, struct buf *out, struct err *err)
{
	struct py_obj *v = evaluated(s, d, err);

	if (!v)
		return -1;
	value_show_data(v, out, SUMMARY);
	py_unref(v);
	return 0;
}

void display_forget(struct session *s)
{
	struct display *d;

	for (d = display_first(s); d; d = d->next)
		forget_value(d);
}

/* A command may have changed what an expression gives, and another frame gives something else. */
static void forget_old(struct session *s)
{
	struct display_list *all = s->displays;

	if (all->asked == s->asked && all->level == s->selected && all->thread == s->viewed)
		return;
	display_forget(s);
	session_ask(s);
	all->asked = s->asked;
	all->level = s->selected;
	all->thread = s->viewed;
}

struct py_obj *display_object(struct session *s, struct display *d, const char **trouble)
{
	struct err err = { "" };

	forget_old(s);
	if (!d->known) {
		d->value = evaluated(s, d, &err);
		d->trouble = d->value ? NULL : mem_str(err.text);
		d->known = true;
	}
	*trouble = d->trouble;
	return d->value ? py_ref(d->value) : NULL;
}

void display_text(struct session *s, struct buf *out)
{
	struct display *d;
	struct err err;

	for (d = display_first(s); d; d = d->next) {
		session_ask(s);
		buf_addf(out, "%d: %s = ", d->number, display_expr(d));
		if (display_value(s, d, out, &err) < 0)
			buf_addf(out, "<%s>", visible(err.text));
		buf_addc(out, '\n');
	}
}

void display_script(const struct session *s, struct buf *out)
{
	struct display *d;

	for (d = display_first(s); d; d = d->next)
		buf_addf(out, "display %s\n", display_expr(d));
}
