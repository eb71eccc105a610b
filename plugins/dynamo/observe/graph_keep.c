/* SPDX-License-Identifier: BSD-3-Clause */
/* Keeps captured graphs so that they can be run again: copies them before the backend changes them.  Knows
   no command. */
#include "model/compiling.h"
#include "model/graph.h"
#include "observe/dynamo_observe.h"
#include "observe/graph_keep.h"
#include "torch/attrs.h"
#include "torch/py_text.h"
#include "torch/weak.h"
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

/* What is kept is a packed graph with the objects that it names, until it is needed: a list of these. */
enum { PACKED, OBJECTS, SUB_GRAPHS, PARTS };

/* The objects of a module that a graph names, by target: two dicts, one of them with what is kept of sub-graphs. */
struct naming {
	PyObject *module, *kind, *objects, *subs;
};

static int add_named(void *arg, PyObject *target)
{
	struct naming *n = arg;
	PyObject *v = PyUnicode_Check(target) ? named_object(n->module, target) : NULL, *sub = NULL;
	int bad;

	if (v && n->kind && PyObject_IsInstance(v, n->kind) > 0) {
		sub = graph_keep(v);
		bad = sub ? PyDict_SetItem(n->subs, target, sub) : -1;
	} else
		bad = v ? PyDict_SetItem(n->objects, target, v) : -1;
	if (bad && !PyErr_Occurred())
		PyErr_SetString(PyExc_ValueError, "a graph names something that cannot be kept");
	Py_XDECREF(sub);
	Py_XDECREF(v);
	return bad;
}

PyObject *graph_keep(PyObject *module)
{
	PyObject *graph = PyObject_GetAttrString(module, "graph"), *packed, *kept = NULL;
	struct naming n = { module, attrs_get(ATTR_FX_MODULE), PyDict_New(), PyDict_New() };

	packed = graph && n.objects && n.subs ? fx_pack(graph, add_named, &n) : NULL;
	kept = packed ? Py_BuildValue("[OOO]", packed, n.objects, n.subs) : NULL;
	PyErr_Clear();
	Py_XDECREF(packed);
	Py_XDECREF(n.subs);
	Py_XDECREF(n.objects);
	Py_XDECREF(n.kind);
	Py_XDECREF(graph);
	return kept;
}

/* The pair (torch.fx.Graph, {target: object or such a pair}): a new reference, or NULL with an exception. */
static PyObject *open_kept(PyObject *kept)
{
	PyObject *graph = fx_unpack(PyList_GET_ITEM(kept, PACKED)), *key, *value, *sub, *pair;
	PyObject *named = graph ? PyDict_Copy(PyList_GET_ITEM(kept, OBJECTS)) : NULL;
	Py_ssize_t at = 0;

	while (named && PyDict_Next(PyList_GET_ITEM(kept, SUB_GRAPHS), &at, &key, &value)) {
		sub = open_kept(value);
		if (!sub || PyDict_SetItem(named, key, sub) < 0)
			Py_CLEAR(named);
		Py_XDECREF(sub);
	}
	pair = named ? PyTuple_Pack(2, graph, named) : NULL;
	Py_XDECREF(named);
	Py_XDECREF(graph);
	return pair;
}

static PyObject *keep_later(PyObject *module)
{
	PyObject *ref = PyWeakref_NewRef(module, NULL);

	if (ref)
		return ref;
	PyErr_Clear();
	return graph_keep(module);
}

/* What was put off is kept now. */
static void keep_put_off(PyObject **kept)
{
	PyObject *module, *copy;

	if (!*kept || !PyWeakref_CheckRef(*kept))
		return;
	module = weak_target(*kept);
	copy = module ? graph_keep(module) : NULL;
	Py_XDECREF(module);
	Py_XSETREF(*kept, copy);
}

void graph_keep_open(PyObject **kept)
{
	PyObject *pair;

	keep_put_off(kept);
	if (!*kept || !PyList_CheckExact(*kept) || PyList_GET_SIZE(*kept) != PARTS)
		return;
	pair = open_kept(*kept);
	PyErr_Clear();
	Py_XSETREF(*kept, pair);
}

static bool has_text(PyObject *v, const char *name, const char *text)
{
	PyObject *a = attr(v, name);
	const char *s = py_text_utf8(a);
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

bool graph_keep_waits(PyObject *output_graph)
{
	PyObject *backend = attr(output_graph, "compiler_fn");
	bool waits = backend && can_wait(backend);

	Py_XDECREF(backend);
	return waits;
}

PyObject *graph_keep_for(PyObject *output_graph, PyObject *module)
{
	return graph_keep_waits(output_graph) ? keep_later(module) : graph_keep(module);
}

/* A copy that was put off is made now if another function than the module's own is called in the end: then
   torch._dynamo.config replaced the backend for this graph. */
void graph_keep_called(struct call *call)
{
	struct compiling *c = compiling_top();
	PyObject *gm = call_arg(call, 1, "gm"), *row = c && gm ? compiling_whole(c) : NULL;
	struct nodes *nodes;

	if (!row || (call->result && PyMethod_Check(call->result) && PyMethod_GET_SELF(call->result) == gm))
		return;
	nodes = PyCapsule_GetPointer(PyTuple_GET_ITEM(row, 1), "nodes");
	if (nodes && nodes->kept && PyWeakref_CheckRef(nodes->kept) && weak_is(nodes->kept, gm))
		keep_put_off(&nodes->kept);
	PyErr_Clear();
}

static PyObject *torch_module(const char *name)
{
	return PyDict_GetItemString(PyImport_GetModuleDict(), name); /* borrowed */
}

/* The pair (is autocast on, the type that it casts to), for one kind of device. */
static PyObject *autocast_of(PyObject *torch, const char *kind)
{
	PyObject *on = PyObject_CallMethod(torch, "is_autocast_enabled", "s", kind);
	PyObject *dtype = on ? PyObject_CallMethod(torch, "get_autocast_dtype", "s", kind) : NULL;
	PyObject *pair = dtype ? PyTuple_Pack(2, on, dtype) : NULL;

	Py_XDECREF(dtype);
	Py_XDECREF(on);
	return pair;
}

PyObject *graph_keep_modes(void)
{
	static const char *const kinds[] = { "cpu", "cuda" };
	PyObject *torch = torch_module("torch"), *c = torch_module("torch._C"), *found = PyDict_New(), *modes = NULL;
	PyObject *dtype = NULL, *on = NULL, *warn = NULL, *pair;
	size_t i;

	for (i = 0; torch && found && i < sizeof(kinds) / sizeof(*kinds); i++) {
		pair = autocast_of(torch, kinds[i]);
		if (!pair || PyDict_SetItemString(found, kinds[i], pair) < 0)
			Py_CLEAR(found);
		Py_XDECREF(pair);
	}
	if (torch && c && found) {
		dtype = PyObject_CallMethod(torch, "get_default_dtype", NULL);
		on = PyObject_CallMethod(c, "_get_deterministic_algorithms", NULL);
		warn = PyObject_CallMethod(c, "_get_deterministic_algorithms_warn_only", NULL);
	}
	if (dtype && on && warn)
		modes = Py_BuildValue("(O(OO)O)", dtype, on, warn, found);
	PyErr_Clear();
	Py_XDECREF(warn);
	Py_XDECREF(on);
	Py_XDECREF(dtype);
	Py_XDECREF(found);
	return modes;
}
