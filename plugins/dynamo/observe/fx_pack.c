/* SPDX-License-Identifier: BSD-3-Clause */
/* A copy of an FX graph's nodes in few objects: a copy that torch.fx makes takes 25 us and eight objects a node, which
   the garbage collector visits from then on.  Knows torch.fx only. */
#include "observe/dynamo_observe.h"
#include "torch/attrs.h"

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

PyObject *fx_pack(PyObject *graph, fx_named *named, void *arg)
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

PyObject *fx_unpack(PyObject *packed)
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
