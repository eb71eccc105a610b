/* SPDX-License-Identifier: BSD-3-Clause */
/* Kind of stop: Dynamo is about to compile a function again, because none of its entries fits the call. */
#include "guards.h"
#include <stdlib.h>
#include <string.h>

static struct val *detail_of(struct compiling *c, PyObject *items, PyObject *frame, PyObject *backend)
{
	struct entry **all = host->mem_alloc((size_t)PyList_GET_SIZE(items) * sizeof(*all) + 1);
	struct scene scene;
	struct val *map;
	Py_ssize_t i;
	int n = 0;

	for (i = 0; i < PyList_GET_SIZE(items); i++) {
		all[n] = model_entry_item(c->func, PyList_GET_ITEM(items, i));
		n += all[n] != NULL;
	}
	scene_compiling(frame, &scene);
	map = why_all(c->func, c->id, all, n, &scene, backend);
	scene_release(&scene);
	free(all);
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

static void describe(const struct event *ev, struct buf *out)
{
	struct compiling *c = compiling_top();

	host->buf_addf(out, "%s compiles again as %s: ", c ? c->func->name : "?", c && c->id ? c->id : "?");
	why_describe(ev->detail, out);
}

const struct event_kind ev_recompile = {
	.name = "recompile", .args = "[FUNC]",
	.help = "Dynamo is about to compile a function again: which guards of which entries failed",
	.matches = matches, .describe = describe,
};
