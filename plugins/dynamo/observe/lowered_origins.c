/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads inductor's graph lowerings: see dynamo_observe.h. */
#include "model/stages.h"
#include "observe/dynamo_observe.h"
#include "torch/attrs.h"
#include "torch/py_text.h"
#include <stdlib.h>
#include <string.h>

struct lowered {
	struct stage *s;
	size_t cap;
	PyObject *
		seen; /* set of the lowerings that were read, by address: a sub-graph may be called at several places */
};

/* Inductor also names the nodes around an operator among those of what its sub-graphs compute. */
static bool is_inside(PyObject *node, PyObject *graph)
{
	PyObject *of = graph ? attr(node, "graph") : NULL;
	bool yes = of == graph;

	Py_XDECREF(of);
	return yes;
}

/* The names of a set of nodes, separated by spaces; graph: of those of this graph only, NULL: of all. */
static char *node_names(PyObject *set, PyObject *graph, const char *path)
{
	PyObject *it = set ? PyObject_GetIter(set) : NULL, *n, *name;
	struct buf all = { 0 };

	while (it && (n = PyIter_Next(it))) {
		name = is_inside(n, graph) ? attr(n, "name") : NULL;
		if (name && PyUnicode_Check(name) && py_text_utf8(name))
			buf_addf(&all, "%s%s%s", all.len ? " " : "", path, py_text_utf8(name));
		Py_XDECREF(name);
		Py_DECREF(n);
	}
	PyErr_Clear();
	Py_XDECREF(it);
	return buf_detach(&all);
}

/* graph: that of the lowering if it is a sub-graph, whose path ends with a dot; else NULL and "". */
static void add_buffer(struct lowered *l, PyObject *name, PyObject *buffer, PyObject *graph, const char *path)
{
	PyObject *node = attr(buffer, "origin_node"), *origins = attr(buffer, "origins");
	struct stage *s = l->s;
	char *own = node && node != Py_None && is_inside(node, graph) ? py_text_str(node) : NULL;
	struct origin *o;

	s->origin = mem_grow(s->origin, &l->cap, (size_t)s->norigins + 1, sizeof(*s->origin));
	o = &s->origin[s->norigins++];
	o->buffer = mem_str(py_text_utf8(name) ? py_text_utf8(name) : "?");
	o->node = own ? mem_fmt("%s%s", path, own) : NULL;
	o->all = node_names(origins, graph, path);
	free(own);
	Py_XDECREF(origins);
	Py_XDECREF(node);
}

static void add_lowering(struct lowered *l, PyObject *lowering, const char *path);

/* v: what an operation has, its sub-graphs among others. */
static void add_if_subgraph(struct lowered *l, PyObject *v, const char *path)
{
	PyObject *graph, *name;
	char *inner;

	if (strcmp(_PyType_Name(Py_TYPE(v)), "Subgraph"))
		return;
	graph = attr(v, "graph");
	name = attr(v, "name");
	if (graph && graph != Py_None && py_text_utf8(name)) {
		inner = mem_fmt("%s%s.", path, py_text_utf8(name));
		add_lowering(l, graph, inner);
		free(inner);
	}
	Py_XDECREF(name);
	Py_XDECREF(graph);
}

static void add_subgraphs(struct lowered *l, PyObject *operation, const char *path)
{
	PyObject *parts = attr(operation, "__dict__"), *v;
	Py_ssize_t at = 0, i;
	bool several;

	while (parts && PyDict_Check(parts) && PyDict_Next(parts, &at, NULL, &v)) {
		add_if_subgraph(l, v, path);
		several = PyList_Check(v) || PyTuple_Check(v); /* torch 2.15 has the branches of a cond so */
		for (i = 0; several && i < PySequence_Fast_GET_SIZE(v); i++)
			add_if_subgraph(l, PySequence_Fast_GET_ITEM(v, i), path);
	}
	PyErr_Clear();
	Py_XDECREF(parts);
}

static bool is_seen(struct lowered *l, PyObject *lowering)
{
	PyObject *address = l->seen ? PyLong_FromVoidPtr(lowering) : NULL;
	bool yes = !address || PySet_Contains(l->seen, address) == 1;

	if (!yes)
		PySet_Add(l->seen, address);
	PyErr_Clear();
	Py_XDECREF(address);
	return yes;
}

static bool has_subgraphs(PyObject *lowering)
{
	PyObject *module = attr(lowering, "orig_gm"), *parts = module ? attr(module, "_modules") : NULL;
	bool yes = parts && PyDict_Check(parts) && PyDict_GET_SIZE(parts);

	PyErr_Clear();
	Py_XDECREF(parts);
	Py_XDECREF(module);
	return yes;
}

static void add_lowering(struct lowered *l, PyObject *lowering, const char *path)
{
	PyObject *buffers, *operations, *graph, *name, *buffer;
	Py_ssize_t at = 0, i;

	if (is_seen(l, lowering))
		return;
	graph = *path ? attr(lowering, "graph") : NULL;
	buffers = attr(lowering, "name_to_buffer");
	operations = has_subgraphs(lowering) ? attr(lowering, "operations") : NULL;
	while (buffers && PyDict_Check(buffers) && PyDict_Next(buffers, &at, &name, &buffer))
		add_buffer(l, name, buffer, graph, path);
	for (i = 0; operations && PyList_Check(operations) && i < PyList_GET_SIZE(operations); i++)
		add_subgraphs(l, PyList_GET_ITEM(operations, i), path);
	PyErr_Clear();
	Py_XDECREF(operations);
	Py_XDECREF(buffers);
	Py_XDECREF(graph);
}

void lowered_origins_add(struct stage *s, PyObject *lowering)
{
	struct lowered l = { .s = s, .seen = PySet_New(NULL) };

	add_lowering(&l, lowering, "");
	PyErr_Clear();
	Py_XDECREF(l.seen);
}
