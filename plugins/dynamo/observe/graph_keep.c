/* SPDX-License-Identifier: BSD-3-Clause */
/* Keeps captured graphs so that they can be run again: copies them before the backend changes them.  Knows
   no command. */
#include "observe/graph_keep.h"
#include "torch/attrs.h"

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
