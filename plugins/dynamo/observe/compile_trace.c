/* SPDX-License-Identifier: BSD-3-Clause */
/* Records Dynamo's symbolic execution of a function, instruction by instruction, while `trace-compile` is on.
   Realizes no value, so Dynamo adds no guard. */
#include "observe/compile_trace.h"
#include "torch/attrs.h"
#include "torch/py_text.h"
#include "model/breaks.h"
#include "model/compiling.h"
#include "observe/symbolic.h"
#include <stdlib.h>
#include <string.h>

enum { MOST = 100000 }; /* steps of one run that are kept */

struct trace *compile_traces;
static bool on, awake;

/* ---- while Dynamo runs ------------------------------------------------------------------------------------------ */

static int attr_int(PyObject *v, const char *name)
{
	PyObject *a = attr(v, name);
	int n = a && PyLong_Check(a) ? (int)PyLong_AsLong(a) : -1;

	PyErr_Clear();
	Py_XDECREF(a);
	return n;
}

static long graph_size(PyObject *graph)
{
	PyObject *nodes = attr(graph, "nodes");
	Py_ssize_t n = nodes ? PyObject_Size(nodes) : 0;

	PyErr_Clear();
	Py_XDECREF(nodes);
	return n < 0 ? 0 : (long)n;
}

static PyObject *traced_graph(PyObject *tx)
{
	PyObject *output = attr(tx, "output"), *graph = attr(output, "graph");

	Py_XDECREF(output);
	return graph;
}

static void free_steps(struct trace *t)
{
	size_t i;

	for (i = 0; i < t->n; i++) {
		free(t->step[i].arg);
		free(t->step[i].stack);
		free(t->step[i].nodes);
		Py_XDECREF(t->step[i].made);
	}
	t->n = 0;
}

/* The nodes that are new in the graph since the last step were made by that step. */
static void close_step(struct trace *t)
{
	PyObject *node = attr(t->graph, "_root"), *before;
	struct step *s = t->n ? &t->step[t->n - 1] : NULL;
	long more = t->graph ? graph_size(t->graph) - t->made : 0, i;

	if (s && more > 0 && !s->made)
		s->made = PyList_New(0);
	for (i = 0; s && s->made && i < more && node; i++) {
		before = attr(node, "_prev");
		Py_SETREF(node, before);
		if (node)
			PyList_Insert(s->made, 0, node);
	}
	t->made += more;
	PyErr_Clear();
	Py_XDECREF(node);
}

/* Dynamo renames a node after the variable that it is stored in, so the names are read at the end. */
static void name_nodes(struct trace *t)
{
	struct buf out = { 0 };
	PyObject *name;
	struct step *s;
	Py_ssize_t i;

	for (s = t->step; s < t->step + t->n; s++) {
		out.len = 0;
		for (i = 0; s->made && i < PyList_GET_SIZE(s->made); i++) {
			name = attr(PyList_GET_ITEM(s->made, i), "name");
			if (name && PyUnicode_Check(name))
				buf_addf(&out, "%s%s", out.len ? ", " : "", py_text_utf8_kept(name));
			Py_XDECREF(name);
		}
		if (out.len)
			s->nodes = mem_str(out.s);
		Py_CLEAR(s->made);
	}
	PyErr_Clear();
	buf_release(&out);
}

static struct trace *trace_here(struct compiling *c)
{
	struct trace *t = c->run.trace;

	if (t)
		return t;
	t = c->run.trace = mem_alloc(sizeof(*t));
	t->func = c->func;
	t->id = mem_str(c->id ? c->id : "?");
	return t;
}

/* Each attempt has its own translator: its record starts again. */
static void follow_root(struct trace *t, PyObject *tx, int depth)
{
	PyObject *graph;

	if (!depth && t->root != tx) {
		free_steps(t);
		Py_XSETREF(t->root, Py_NewRef(tx));
		Py_CLEAR(t->graph);
		t->attempts++;
	}
	graph = traced_graph(tx);
	if (graph && graph != t->graph) {
		Py_XSETREF(t->graph, Py_NewRef(graph));
		t->made = graph_size(graph);
	}
	Py_XDECREF(graph);
}

static char *instruction_arg(PyObject *instruction, const char *op)
{
	PyObject *v = attr(instruction, "argval");
	struct buf out = { 0 };
	char *text;

	if (v && PyUnicode_Check(v) && !strstr(op, "CONST"))
		buf_addf(&out, "%s", py_text_utf8_kept(v));
	else if (v && v != Py_None)
		host->values.show((struct py_obj *)v, &out, 80);
	else if (v && strstr(op, "CONST"))
		buf_adds(&out, "None");
	text = mem_str(buf_str(&out));
	buf_release(&out);
	PyErr_Clear();
	Py_XDECREF(v);
	return text;
}

static const char *text_attr(PyObject *v, const char *name)
{
	PyObject *a = attr(v, name);
	const char *kept = py_text_utf8_kept(a);

	Py_XDECREF(a);
	return kept;
}

static void add_step(struct trace *t, PyObject *tx, PyObject *instruction, int depth)
{
	PyObject *code = attr(tx, "f_code"), *stack = attr(tx, "stack");
	PyObject *at = attr(instruction, "positions");
	struct buf text = { 0 };
	struct step *s;

	t->step = mem_grow(t->step, &t->cap, t->n + 1, sizeof(*t->step));
	s = &t->step[t->n++];
	memset(s, 0, sizeof(*s));
	s->function = text_attr(code, "co_name");
	s->file = text_attr(code, "co_filename");
	s->op = text_attr(instruction, "opname");
	s->arg = instruction_arg(instruction, s->op);
	s->line = attr_int(at, "lineno");
	if (s->line < 0)
		s->line = attr_int(tx, "lineno");
	s->offset = attr_int(instruction, "offset");
	s->depth = depth;
	symbolic_items(stack, &text);
	s->stack = mem_str(buf_str(&text));
	buf_release(&text);
	PyErr_Clear();
	Py_XDECREF(at);
	Py_XDECREF(stack);
	Py_XDECREF(code);
}

static int inline_depth(PyObject *tx)
{
	PyObject *v = Py_NewRef(tx), *parent;
	int depth = 0;

	while (v && (parent = attr(v, "parent"))) {
		Py_SETREF(v, parent);
		if (parent == Py_None || depth > 200)
			break;
		depth++;
	}
	Py_XDECREF(v);
	return depth;
}

void compile_trace_step(PyObject *tx)
{
	struct compiling *c = compiling_top();
	PyObject *all = attr(tx, "instructions");
	int depth = inline_depth(tx), at = attr_int(tx, "instruction_pointer");
	struct trace *t;

	if (c && c->func && all && PyList_Check(all) && at >= 0 && at < PyList_GET_SIZE(all)) {
		t = trace_here(c);
		close_step(t);
		follow_root(t, tx, depth);
		if (t->root && t->n < MOST)
			add_step(t, tx, PyList_GET_ITEM(all, at), depth);
	}
	PyErr_Clear();
	Py_XDECREF(all);
}

/* ---- when it has run -------------------------------------------------------------------------------------------- */

static void trace_free(struct trace *t)
{
	free_steps(t);
	free(t->step);
	free(t->id);
	free(t->reason);
	free(t);
}

void compile_trace_end(struct compiling *c)
{
	struct trace *t = c->run.trace, **at;
	struct breakage *b;

	c->run.trace = NULL;
	if (!t)
		return;
	name_nodes(t);
	for (b = *c->mark; b; b = b->next)
		if (b->func == t->func && !t->reason)
			t->reason = mem_fmt("%.*s", (int)strcspn(b->reason, "\n"), b->reason);
	Py_CLEAR(t->root);
	Py_CLEAR(t->graph);
	for (at = &compile_traces; *at && (*at)->func != t->func; at = &(*at)->next)
		;
	if (*at) {
		struct trace *old = *at;

		*at = old->next;
		trace_free(old);
	}
	t->next = compile_traces;
	compile_traces = t;
}

/* ---- the option ------------------------------------------------------------------------------------------------- */

void compile_trace_wake(void)
{
	awake = true;
	on = host->talk.option_number("trace-compile") != 0;
	symbolic_steps(STEPS_TRACE, on);
}

void compile_trace_stop(void)
{
	awake = false;
	symbolic_steps(STEPS_TRACE, false);
}

void compile_trace_changed(struct session *s)
{
	(void)s;
	if (awake)
		compile_trace_wake();
	if (awake && on && !attrs_have(ATTR_STEP))
		host->talk.note(1, "this version of torch does not allow tracing its compiler");
}
