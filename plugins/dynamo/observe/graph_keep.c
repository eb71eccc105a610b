/* SPDX-License-Identifier: BSD-3-Clause */
/* Keeps captured graphs so that they can be run again: copies them before the backend changes them.  Knows
   no command. */
#include "observe/graph_keep.h"
#include "torch/attrs.h"
#include "torch/py_text.h"
#include "torch/weak.h"
#include "model/compiling.h"
#include "model/graph.h"
#include <string.h>

/* The object that a node's target names: "layer.weight". */
static PyObject *named_object(PyObject *module, PyObject *target)
{
	PyObject *dot = PyUnicode_FromString("."), *parts = dot ? PyUnicode_Split(target, dot, -1) : NULL;
	PyObject *v = parts ? Py_NewRef(module) : NULL;
	Py_ssize_t i;

	for (i = 0; v && i < PyList_GET_SIZE(parts); i++)
		Py_SETREF(v, PyObject_GetAttr(v, PyList_GET_ITEM(parts, i)));
	Py_XDECREF(parts);
	Py_XDECREF(dot);
	return v;
}

/* Does a node of this kind name an object of its module? */
static bool names_object(PyObject *op)
{
	return PyUnicode_Check(op) && (!PyUnicode_CompareWithASCIIString(op, "get_attr") ||
				       !PyUnicode_CompareWithASCIIString(op, "call_module"));
}

/* {target: object} of all nodes that name one; NULL with an exception. */
static PyObject *named_objects(PyObject *module, PyObject *graph)
{
	PyObject *found = PyDict_New(), *nodes = PyObject_GetAttrString(graph, "nodes");
	PyObject *it = nodes ? PyObject_GetIter(nodes) : NULL, *node, *op, *target, *v, *sub;
	PyObject *kind = attrs_get(ATTR_FX_MODULE);
	bool bad = !found || !it;

	while (!bad && (node = PyIter_Next(it))) {
		op = PyObject_GetAttrString(node, "op");
		target = op && names_object(op) ? PyObject_GetAttrString(node, "target") : NULL;
		v = target ? named_object(module, target) : NULL;
		if (v && kind && PyObject_IsInstance(v, kind) > 0) {
			sub = graph_keep(v);
			Py_SETREF(v, sub);
		}
		bad = !op || (names_object(op) && (!v || PyDict_SetItem(found, target, v) < 0));
		Py_XDECREF(v);
		Py_XDECREF(target);
		Py_XDECREF(op);
		Py_DECREF(node);
	}
	if (bad || PyErr_Occurred())
		Py_CLEAR(found);
	Py_XDECREF(kind);
	Py_XDECREF(it);
	Py_XDECREF(nodes);
	return found;
}

PyObject *graph_keep(PyObject *module)
{
	/* owned */
	PyObject *make = attrs_get(ATTR_FX_GRAPH), *copy = make ? PyObject_CallNoArgs(make) : NULL;
	PyObject *graph = copy ? PyObject_GetAttrString(module, "graph") : NULL, *map = PyDict_New();
	PyObject *result = NULL, *node = NULL, *named = NULL, *kept = NULL;

	result = graph && map ? PyObject_CallMethod(copy, "graph_copy", "OO", graph, map) : NULL;
	node = result ? PyObject_CallMethod(copy, "output", "(O)", result) : NULL;
	named = node ? named_objects(module, copy) : NULL;
	kept = named ? PyTuple_Pack(2, copy, named) : NULL;
	PyErr_Clear();
	Py_XDECREF(named);
	Py_XDECREF(node);
	Py_XDECREF(result);
	Py_XDECREF(map);
	Py_XDECREF(graph);
	Py_XDECREF(copy);
	Py_XDECREF(make);
	return kept;
}

static PyObject *keep_later(PyObject *module)
{
	PyObject *ref = PyWeakref_NewRef(module, NULL);

	if (ref)
		return ref;
	PyErr_Clear();
	return graph_keep(module);
}

void graph_keep_now(PyObject **kept)
{
	PyObject *module, *copy;

	if (!*kept || !PyWeakref_CheckRef(*kept))
		return;
	module = weak_target(*kept);
	copy = module ? graph_keep(module) : NULL;
	Py_XDECREF(module);
	Py_XSETREF(*kept, copy);
}

static bool has_text(PyObject *v, const char *name, const char *text)
{
	PyObject *a = attr(v, name);
	const char *s = utf8_of(a);
	bool same = s && !strcmp(s, text);

	Py_XDECREF(a);
	return same;
}

/* Is it torch's backend `eager`, below the wrappers that Dynamo puts around a backend? */
static bool can_wait(PyObject *backend)
{
	static const char *const inner[] = { "_torchdynamo_orig_backend", "compiler_fn" };
	PyObject *fn = Py_NewRef(backend), *below;
	bool eager;
	size_t i;

	for (i = 0; i < sizeof(inner) / sizeof(*inner) && !PyFunction_Check(fn); i++) {
		below = attr(fn, inner[i]);
		if (below)
			Py_SETREF(fn, below);
	}
	eager = PyFunction_Check(fn) && has_text(fn, "__qualname__", "eager") &&
		has_text(fn, "__module__", "torch._dynamo.backends.debugging");
	Py_DECREF(fn);
	return eager;
}

PyObject *graph_keep_for(PyObject *output_graph, PyObject *module)
{
	PyObject *backend = attr(output_graph, "compiler_fn");
	PyObject *kept = backend && can_wait(backend) ? keep_later(module) : graph_keep(module);

	Py_XDECREF(backend);
	return kept;
}

/* A copy that was put off is made now if another function than the module's own is called in the end: then
   torch._dynamo.config replaced the backend for this graph. */
void graph_keep_called(struct call *call)
{
	struct compiling *c = compiling_top();
	PyObject *gm = call_arg(call, 1, "gm"), *row;
	Py_ssize_t n = c && gm ? PyList_GET_SIZE(c->parts.graphs) : 0;
	struct nodes *nodes;

	if (!n || (call->result && PyMethod_Check(call->result) && PyMethod_GET_SELF(call->result) == gm))
		return;
	row = PyList_GET_ITEM(c->parts.graphs, n - 1);
	nodes = PyCapsule_GetPointer(PyTuple_GET_ITEM(row, 1), "nodes");
	if (nodes && nodes->kept && PyWeakref_CheckRef(nodes->kept) && weak_is(nodes->kept, gm))
		graph_keep_now(&nodes->kept);
	PyErr_Clear();
}
