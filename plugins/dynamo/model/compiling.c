/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions that Dynamo compiles now, by thread, and stops that show one as their innermost frame.  Knows no
   particular event. */
#include "model/compiling.h"
#include "model/breaks.h"
#include "model/effects.h"
#include "model/evaluated.h"
#include "model/graph.h"
#include "model/reads.h"
#include "model/stages.h"
#include "torch/py_text.h"
#include <stdlib.h>
#include <string.h>

static _Thread_local struct compiling *top;

struct compiling *compiling_top(void)
{
	return top;
}

struct compiling *compiling_push(PyObject *frame)
{
	struct compiling *c = mem_alloc(sizeof(*c));

	c->frame = Py_XNewRef(frame);
	c->caller = Py_XNewRef(PyEval_GetFrame());
	c->parts.graphs = PyList_New(0);
	c->parts.resumes = PyList_New(0);
	c->mark = model_breaks_end();
	PyErr_Clear();
	c->next = top;
	top = c;
	return c;
}

void compiling_drop_run(struct compiling *c)
{
	Py_CLEAR(c->run.tx);
	Py_CLEAR(c->run.erased_of);
	graphs_free(c->run.nodes);
	c->run.nodes = NULL;
}

void compiling_pop(void)
{
	struct compiling *c = top;
	struct snapshot *s;

	top = c->next;
	while ((s = c->run.snapshots)) {
		c->run.snapshots = s->next;
		val_free(s->locals);
		val_free(s->stack);
		free(s);
	}
	Py_XDECREF(c->frame);
	Py_XDECREF(c->caller);
	Py_XDECREF(c->generated);
	Py_XDECREF(c->parts.graphs);
	Py_XDECREF(c->parts.resumes);
	effects_free(c->parts.effects);
	evaluated_free(c->parts.evaluated);
	reads_free(c->parts.reads);
	stages_free(c->parts.stages);
	Py_XDECREF(c->guard.added);
	compiling_drop_run(c);
	free(c->parts.why);
	free(c->parts.limit);
	val_free(c->parts.missed);
	free(c->wraps);
	free(c->parts.skip);
	Py_XDECREF(c->parts.calls);
	Py_XDECREF(c->parts.backend);
	Py_XDECREF(c->parts.compiler);
	free(c->raw);
	free(c->id);
	free(c);
}

PyObject *compiling_whole(const struct compiling *c)
{
	Py_ssize_t i;
	PyObject *row;
	const char *name;

	for (i = PyList_GET_SIZE(c->parts.graphs) - 1; i >= 0; i--) {
		row = PyList_GET_ITEM(c->parts.graphs, i);
		name = py_text_utf8(PyTuple_GET_ITEM(row, 0)); /* torch 2.6 has none yet */
		if (!name || !strchr(name, '.'))
			return row;
	}
	return NULL;
}

PyObject *compiling_last(const struct compiling *c)
{
	Py_ssize_t n = PyList_GET_SIZE(c->parts.graphs);

	return n ? PyList_GET_ITEM(c->parts.graphs, n - 1) : NULL;
}
