/* SPDX-License-Identifier: BSD-3-Clause */
/* Notes torch's settings when a compile ends: the copies that torch keeps with its own figures of the compile, and
   switches that no guard covers.  Changes nothing and runs no Python. */
#include "model/compiling.h"
#include "model/reads.h"
#include "observe/dynamo_observe.h"
#include "torch/attrs.h"
#include "torch/py_text.h"
#include <string.h>

static const char *const copies[SETTINGS] = {
	[SETTINGS_DYNAMO] = "dynamo_config",
	[SETTINGS_FUNCTORCH] = "functorch_config",
	[SETTINGS_INDUCTOR] = "inductor_config",
};

/* Settings seldom change between compiles: one text for all that have the same. */
static PyObject *shared_text(int i, PyObject *text)
{
	static PyObject *last[SETTINGS];

	if (!last[i] || PyUnicode_Compare(last[i], text))
		Py_XSETREF(last[i], Py_NewRef(text));
	return Py_NewRef(last[i]);
}

/* torch's figures of this compile, the last that it added: a new reference, or NULL. */
static PyObject *figures_of(const struct compiling *c)
{
	PyObject *all = attrs_get(ATTR_METRICS), *last = NULL, *id;
	const Py_ssize_t n = all ? PySequence_Size(all) : 0;
	const char *name;

	if (n > 0)
		last = PySequence_GetItem(all, n - 1);
	id = attr(last, "compile_id");
	name = py_text_utf8(id);
	if (!name || !c->raw || strcmp(name, c->raw))
		Py_CLEAR(last);
	PyErr_Clear();
	Py_XDECREF(id);
	Py_XDECREF(all);
	return last;
}

void settings_note(struct compiling *c)
{
	PyObject *figures = figures_of(c), *text;
	struct reads *r;
	int i;

	if (!c->parts.reads)
		c->parts.reads = reads_new();
	r = c->parts.reads;
	for (i = 0; i < SETTINGS; i++) {
		text = attr(figures, copies[i]);
		if (text && PyUnicode_CheckExact(text))
			r->settings[i] = shared_text(i, text);
		Py_XDECREF(text);
	}
	torch_state_read(r->state);
	PyErr_Clear();
	Py_XDECREF(figures);
}
