/* SPDX-License-Identifier: BSD-3-Clause */
/* Kind of stop: Dynamo is about to compile a function again, because none of its entries fits the call. */
#include "guards.h"
#include <stdlib.h>
#include <string.h>

static struct val *detail_of(struct compiling *c, PyObject *items, PyObject *frame, PyObject *backend)
{
	struct val *map = host->val_map(), *list = host->val_list();
	struct scene scene;
	struct entry *e;
	struct why why;
	Py_ssize_t i;

	scene_compiling(frame, &scene);
	host->val_put(map, "function", host->val_str(c->func->name));
	host->val_put(map, "entry", host->val_str(c->id));
	for (i = 0; i < PyList_GET_SIZE(items); i++) {
		e = model_entry_item(c->func, PyList_GET_ITEM(items, i));
		if (!e)
			continue;
		why_of(e, &scene, backend, &why);
		if (!why.reason)
			why.reason = host->mem_fmt("every guard holds now; the lookup must have seen something else");
		host->val_push(list, why_detail(&why));
		why_release(&why);
	}
	host->val_put(map, "entries", list);
	scene_release(&scene);
	return map;
}

PyObject *see_missed(PyObject *self, PyObject *args)
{
	struct compiling *c = compiling_top();
	PyObject *items, *frame, *backend;
	struct val *detail;

	(void)self;
	if (c && c->func && c->id && host->catching("recompile") &&
	    PyArg_ParseTuple(args, "OOO", &items, &frame, &backend) && PyList_Check(items)) {
		detail = detail_of(c, items, frame, backend);
		compiling_event(&ev_recompile, c, 0, c->id, detail, NULL, NULL);
	}
	PyErr_Clear();
	Py_RETURN_NONE;
}

/* "0/0: n == 1   # LINE  # FILE:N in F\nUser stack trace:...": what comes before the line. */
static void add_reason(struct buf *all, const char *s)
{
	const char *end = strstr(s, "  #"), *stack = strstr(s, "\nUser stack");
	size_t n = end ? (size_t)(end - s) : stack ? (size_t)(stack - s) : strlen(s);

	while (n && strchr(" \n", s[n - 1]))
		n--;
	host->buf_addf(all, "%s%.*s", all->len ? "; " : "", (int)n, s);
}

PyObject *see_reasons(PyObject *self, PyObject *reasons)
{
	struct compiling *c = compiling_top();
	struct buf all = { 0 };
	const char *s;
	Py_ssize_t i;

	(void)self;
	for (i = 0; c && PyList_Check(reasons) && i < PyList_GET_SIZE(reasons); i++) {
		s = PyUnicode_Check(PyList_GET_ITEM(reasons, i)) ? PyUnicode_AsUTF8(PyList_GET_ITEM(reasons, i)) : NULL;
		if (s)
			add_reason(&all, s);
	}
	if (c && all.len) {
		free(c->why);
		c->why = host->mem_fmt("%s", all.s);
	}
	host->buf_release(&all);
	PyErr_Clear();
	Py_RETURN_NONE;
}

static bool matches(const struct event *ev, const char *words)
{
	struct compiling *c = compiling_top();

	(void)ev;
	return c && places_func_is(c->func, words);
}

static const struct val *get(const struct val *map, const char *key)
{
	size_t i;

	for (i = 0; map && map->type == VAL_MAP && i < map->u.list.n; i++)
		if (!strcmp(map->u.list.key[i], key))
			return map->u.list.item[i];
	return NULL;
}

static const char *text(const struct val *map, const char *key)
{
	const struct val *v = get(map, key);

	return v && v->type == VAL_STR ? v->u.s : NULL;
}

/* The entry that is nearest: the fewest failing guards; of those with a tree. */
static const struct val *nearest(const struct val *entries)
{
	const struct val *best = NULL, *f, *most = NULL;
	size_t i;

	for (i = 0; entries && entries->type == VAL_LIST && i < entries->u.list.n; i++) {
		f = get(entries->u.list.item[i], "failing");
		if (!best || (f->u.list.n && (!most->u.list.n || f->u.list.n < most->u.list.n))) {
			best = entries->u.list.item[i];
			most = f;
		}
	}
	return best;
}

static void describe(const struct event *ev, struct buf *out)
{
	const struct val *entries = get(ev->detail, "entries"), *e = nearest(entries), *failing = get(e, "failing"), *f;
	const char *reason = text(e, "reason");
	size_t others = entries ? entries->u.list.n : 0;

	host->buf_addf(out, "%s compiles again as %s: ", text(ev->detail, "function"), text(ev->detail, "entry"));
	f = failing && failing->u.list.n ? failing->u.list.item[0] : NULL;
	if (f && text(f, "live")) {
		host->buf_addf(out, "%s: %s is ", text(e, "entry"),
			       text(f, "source") && *text(f, "source") ? text(f, "source") : text(f, "kind"));
		host->view_cut(out, text(f, "live"), 60);
		host->buf_addf(out, ", expected ");
		host->view_cut(out, text(f, "expected"), 60);
	} else {
		host->buf_addf(out, "%s: %.*s", e ? text(e, "entry") : "?", reason ? (int)strcspn(reason, "\n") : 0,
			       reason ? reason : "");
	}
	if (failing && failing->u.list.n > 1)
		host->buf_addf(out, " (and %zu more)", failing->u.list.n - 1);
	if (others > 1)
		host->buf_addf(out, "; %zu other %s", others - 1,
			       others == 2 ? "entry misses too" : "entries miss too");
}

const struct event_kind ev_recompile = {
	.name = "recompile", .args = "[FUNC]",
	.help = "Dynamo is about to compile a function again: which guards of which entries failed",
	.matches = matches, .describe = describe,
};
