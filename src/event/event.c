/* SPDX-License-Identifier: BSD-3-Clause */
/* The kinds of stop events: tables that module.c and plugins add, and how a kind is found by its name.  Knows no single
   kind. */
#include "event/event.h"
#include <string.h>
#include "base/buf.h"
#include "base/err.h"
#include "base/pick.h"
#include "py/code/code.h"

static struct {
	const struct event_kind *const **tables;
	size_t n, cap;
} added;

void event_add(const struct event_kind *const *kinds)
{
	size_t i;

	for (i = 0; i < added.n; i++)
		if (added.tables[i] == kinds)
			return;
	added.tables = mem_grow(added.tables, &added.cap, added.n + 1, sizeof(*added.tables));
	added.tables[added.n++] = kinds;
}

void event_hold(struct event *ev)
{
	py_ref(ev->frame);
	py_ref(ev->code ? ev->code->co : NULL);
	py_ref(ev->value);
	py_ref(ev->type);
	py_ref(ev->exc);
	py_ref(ev->tb);
}

void event_drop(struct event *ev)
{
	py_unref_later(ev->frame);
	py_unref_later(ev->code ? ev->code->co : NULL);
	py_unref_later(ev->value);
	py_unref_later(ev->type);
	py_unref_later(ev->exc);
	py_unref_later(ev->tb);
}

void event_set_value(struct event *ev, struct py_obj *value)
{
	struct py_obj *old = ev->value;

	ev->value = py_ref(value);
	py_unref_later(old);
}

const struct event_kind *event_at(int i)
{
	const struct event_kind *const *k;
	size_t t;

	for (t = 0; t < added.n; t++)
		for (k = added.tables[t]; *k; k++)
			if (i-- == 0)
				return *k;
	return NULL;
}

/* Those that can be caught. */
static const char *event_name_at(const void *arg, int i)
{
	const struct event_kind *k = event_at(i);

	(void)arg;
	return !k ? NULL : k->args ? k->name : "";
}

const struct event_kind *event_find(const char *name, struct err *err)
{
	static const struct pick names = { .what = "catchpoint kind", .at = event_name_at };
	struct buf all = { 0 };
	const char *kind;
	int i;

	if (*name) {
		i = pick_name(&names, name, err);
		return i < 0 ? NULL : event_at(i);
	}
	for (i = 0; (kind = event_name_at(NULL, i)); i++)
		if (*kind)
			buf_addf(&all, "%s%s", all.len ? ", " : "", kind);
	err_set(err, "'catch' needs a kind of stop: %s", buf_str(&all));
	buf_release(&all);
	return NULL;
}
