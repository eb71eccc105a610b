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

/* ---- a graph's nodes in few objects ------------------------------------------------------------------------ */

/* A copy that torch.fx makes takes 25 us and eight objects a node, which the garbage collector visits from then on. */

/* Called for a node that names an object of its module.  -1 with an exception: the graph cannot be copied. */
typedef int fx_named(void *arg, PyObject *target);

/* Where an argument is a node, its packed form has a capsule with the number of the node; the first is 1. */
static const char node_number[] = "FX node";

/* The cells of a packed node. */
enum part { OP, TARGET, ARGS, KWARGS, NAME, TYPE, META, CELLS };

static const char *const cell_name[CELLS] = { "op", "target", "args", "kwargs", "name", "type", "meta" };

/* Packing: number holds {node: capsule}.  Unpacking: made has the new nodes. */
struct walk {
	PyObject *number, *made;
	PyTypeObject *node;
};

static PyObject *convert(const struct walk *w, PyObject *v);

static PyObject *convert_node(const struct walk *w, PyObject *v)
{
	Py_ssize_t i;

	if (w->number) {
		v = PyDict_GetItemWithError(w->number, v);
		if (!v && !PyErr_Occurred())
			PyErr_SetString(PyExc_ValueError, "a node of another graph");
		return Py_XNewRef(v);
	}
	i = (Py_ssize_t)PyCapsule_GetPointer(v, node_number) - 1;
	return i >= 0 ? Py_NewRef(PyList_GET_ITEM(w->made, i)) : NULL;
}

/* The parts of a tuple or a list, or that object itself if it has no node: torch.fx's are never changed in place. */
static PyObject *convert_items(const struct walk *w, PyObject *v)
{
	Py_ssize_t i, n = PySequence_Fast_GET_SIZE(v);
	PyObject *out = PyTuple_Check(v) ? PyTuple_New(n) : PyList_New(n), *item;
	bool same = true;

	for (i = 0; out && i < n; i++) {
		item = convert(w, PySequence_Fast_GET_ITEM(v, i));
		same &= item == PySequence_Fast_GET_ITEM(v, i);
		if (!item)
			Py_CLEAR(out);
		else if (PyTuple_Check(v))
			PyTuple_SET_ITEM(out, i, item);
		else
			PyList_SET_ITEM(out, i, item);
	}
	if (out && same && !PyList_CheckExact(v))
		Py_SETREF(out, Py_NewRef(v));
	if (out && Py_TYPE(out) != Py_TYPE(v) && PyTuple_Check(v)) /* a named tuple, or torch.Size */
		Py_SETREF(out, PyObject_HasAttrString(v, "_fields") ? PyObject_Call((PyObject *)Py_TYPE(v), out, NULL) :
								      PyObject_CallOneArg((PyObject *)Py_TYPE(v), out));
	return out;
}

static PyObject *convert_dict(const struct walk *w, PyObject *v)
{
	PyObject *out = PyDict_New(), *key, *value, *item;
	Py_ssize_t at = 0;

	while (out && PyDict_Next(v, &at, &key, &value)) {
		item = convert(w, value);
		if (!item || PyDict_SetItem(out, key, item) < 0)
			Py_CLEAR(out);
		Py_XDECREF(item);
	}
	return out;
}

static PyObject *convert_slice(const struct walk *w, PySliceObject *s)
{
	PyObject *start = convert(w, s->start), *stop = start ? convert(w, s->stop) : NULL;
	PyObject *step = stop ? convert(w, s->step) : NULL, *out = step ? PySlice_New(start, stop, step) : NULL;

	Py_XDECREF(step);
	Py_XDECREF(stop);
	Py_XDECREF(start);
	return out;
}

/* An argument, with capsules in the place of nodes or the other way: a new reference, or NULL with an exception.
   torch.fx's map_arg() looks into the same containers. */
static PyObject *convert(const struct walk *w, PyObject *v)
{
	if (w->number ? PyObject_TypeCheck(v, w->node) : PyCapsule_IsValid(v, node_number))
		return convert_node(w, v);
	if (PyTuple_Check(v) || PyList_Check(v))
		return convert_items(w, v);
	if (PyDict_Check(v))
		return convert_dict(w, v);
	return PySlice_Check(v) ? convert_slice(w, (PySliceObject *)v) : Py_NewRef(v);
}

/* ---- packing ----------------------------------------------------------------------------------------------------- */

static bool is_node_op(PyObject *op, const char *name)
{
	return PyUnicode_Check(op) && !PyUnicode_CompareWithASCIIString(op, name);
}

/* A copy without the argument of the compiled function, which holds examples and is Dynamo's alone. */
static PyObject *packed_meta(PyObject *meta)
{
	static const char argument[] = "grapharg";
	PyObject *out = PyDict_Check(meta) ? PyDict_Copy(meta) : NULL;

	if (!out && !PyErr_Occurred())
		PyErr_SetString(PyExc_TypeError, "a node's meta is not a dict");
	if (out && PyDict_GetItemString(out, argument) && PyDict_DelItemString(out, argument) < 0)
		Py_CLEAR(out);
	return out;
}

static PyObject *packed_cell(const struct walk *w, enum part part, PyObject *v)
{
	switch (part) {
	case ARGS:
		return convert(w, v);
	case KWARGS:
		return PyDict_Check(v) && !PyDict_GET_SIZE(v) ? Py_NewRef(Py_None) : convert(w, v);
	case META:
		return packed_meta(v);
	default:
		return Py_NewRef(v);
	}
}

/* Appends the cells of a node. */
static int pack_node(struct walk *w, PyObject *packed, PyObject *node, fx_named *named, void *arg)
{
	Py_ssize_t number = PyList_GET_SIZE(packed) / CELLS + 1;
	PyObject *cell[CELLS] = { 0 }, *v;
	int i, bad = 0;

	w->node = Py_TYPE(node);
	for (i = 0; !bad && i < CELLS; i++) {
		v = PyObject_GetAttrString(node, cell_name[i]);
		cell[i] = v ? packed_cell(w, (enum part)i, v) : NULL;
		bad = !cell[i] || PyList_Append(packed, cell[i]) < 0 ? -1 : 0;
		Py_XDECREF(v);
	}
	if (!bad && (is_node_op(cell[OP], "get_attr") || is_node_op(cell[OP], "call_module")))
		bad = named(arg, cell[TARGET]);
	v = bad ? NULL : PyCapsule_New((void *)number, node_number, NULL);
	bad = !v || PyDict_SetItem(w->number, node, v) < 0 ? -1 : 0;
	Py_XDECREF(v);
	for (i = 0; i < CELLS; i++)
		Py_XDECREF(cell[i]);
	return bad;
}

/* A list that only fx_unpack() reads.  Names, targets, types and constants are shared with the graph, a node's dict
   `meta` is copied, and no node stays alive.  It costs about 2 us and 0.5 KB a node.  NULL with an exception. */
static PyObject *fx_pack(PyObject *graph, fx_named *named, void *arg)
{
	PyObject *nodes = PyObject_GetAttrString(graph, "nodes"), *it = nodes ? PyObject_GetIter(nodes) : NULL, *node;
	PyObject *packed = it ? PyList_New(0) : NULL;
	struct walk w = { .number = packed ? PyDict_New() : NULL };
	int bad = w.number ? 0 : -1;

	while (!bad && (node = PyIter_Next(it))) {
		bad = pack_node(&w, packed, node, named, arg);
		Py_DECREF(node);
	}
	if (bad || PyErr_Occurred())
		Py_CLEAR(packed);
	Py_XDECREF(w.number);
	Py_XDECREF(it);
	Py_XDECREF(nodes);
	return packed;
}

/* ---- unpacking --------------------------------------------------------------------------------------------------- */

/* The node of these cells, made in a graph: a new reference. */
static PyObject *unpack_node(const struct walk *w, PyObject *graph, PyObject *const *cell)
{
	PyObject *args = convert(w, cell[ARGS]);
	PyObject *kwargs = !args ? NULL : cell[KWARGS] == Py_None ? PyDict_New() : convert(w, cell[KWARGS]);
	PyObject *meta = kwargs ? PyDict_Copy(cell[META]) : NULL, *node = NULL;

	if (meta && is_node_op(cell[OP], "output"))
		node = PyObject_CallMethod(graph, "output", "(O)", PyTuple_GET_ITEM(args, 0));
	else if (meta)
		node = PyObject_CallMethod(graph, "create_node", "OOOOOO", cell[OP], cell[TARGET], args, kwargs,
					   cell[NAME], cell[TYPE]);
	if (node && PyObject_SetAttrString(node, "meta", meta) < 0)
		Py_CLEAR(node);
	Py_XDECREF(meta);
	Py_XDECREF(kwargs);
	Py_XDECREF(args);
	return node;
}

/* A new torch.fx.Graph with the same nodes; about 20 us a node.  NULL with an exception. */
static PyObject *fx_unpack(PyObject *packed)
{
	PyObject *make = attrs_get(ATTR_FX_GRAPH), *graph = make ? PyObject_CallNoArgs(make) : NULL, *node;
	struct walk w = { .made = graph ? PyList_New(0) : NULL };
	bool bad = !w.made;
	Py_ssize_t i;

	for (i = 0; !bad && i < PyList_GET_SIZE(packed); i += CELLS) {
		node = unpack_node(&w, graph, ((PyListObject *)packed)->ob_item + i);
		bad = !node || PyList_Append(w.made, node) < 0;
		Py_XDECREF(node);
	}
	if (!make)
		PyErr_SetString(PyExc_RuntimeError, "torch.fx has no Graph");
	if (bad)
		Py_CLEAR(graph);
	Py_XDECREF(w.made);
	Py_XDECREF(make);
	return graph;
}

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
