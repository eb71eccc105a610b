/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions that Dynamo is looking at now, thread by thread, and the stops that show one as their innermost frame.
   Knows no particular event. */
#include "model/graphs.h"
#include <stdlib.h>

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
	c->graphs = PyList_New(0);
	c->resumes = PyList_New(0);
	c->mark = model_breaks_end();
	PyErr_Clear();
	c->next = top;
	top = c;
	return c;
}

void compiling_pop(void)
{
	struct compiling *c = top;
	struct snapshot *s;

	top = c->next;
	while ((s = c->snapshots)) {
		c->snapshots = s->next;
		val_free(s->locals);
		val_free(s->stack);
		free(s);
	}
	trace_end(c);
	Py_XDECREF(c->frame);
	Py_XDECREF(c->caller);
	Py_XDECREF(c->generated);
	Py_XDECREF(c->graphs);
	Py_XDECREF(c->resumes);
	effects_free(c->effects);
	evaluated_free(c->evaluated);
	stages_free(c->stages);
	stacks_free(c->stacks);
	Py_XDECREF(c->added);
	Py_XDECREF(c->tx);
	free(c->why);
	free(c->wraps);
	free(c->skip);
	Py_XDECREF(c->calls);
	Py_XDECREF(c->backend);
	free(c->raw);
	free(c->id);
	free(c);
}

bool compiling_matches(const struct event *ev, const char *words)
{
	(void)ev;
	return top && top->func && meant_names(top->func, words);
}

void compiling_event(const struct event_kind *kind, struct compiling *c, int line, const char *entry,
		     struct val *detail, const struct val *locals, const struct val *stack)
{
	PyObject *real = c->frame ? PyObject_GetAttrString(c->frame, "f_locals") : NULL;
	PyObject *globals = c->frame ? PyObject_GetAttrString(c->frame, "f_globals") : NULL;
	struct fake_frame fake = {
		.function = c->func->name, .file = c->func->file, .line = line ? line : c->func->line, .entry = entry,
		.code = (struct py_code *)c->func->co,
		.locals = (struct py_obj *)(real && PyDict_Check(real) ? real : NULL),
		.globals = (struct py_obj *)globals, .symbolic = locals, .stack = stack,
	};
	struct event ev = {
		.kind = kind, .frame = (struct py_frame *)c->caller, .index = -1, .top = &fake, .detail = detail,
	};

	PyErr_Clear();
	host->event(&ev);
	Py_XDECREF(real);
	Py_XDECREF(globals);
	val_free(detail);
}
