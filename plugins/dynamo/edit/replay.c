/* SPDX-License-Identifier: BSD-3-Clause */
/* Builds an entry's guards again from their record, with some of the calls changed.  Knows no ledger and
   no command. */
#include "edit/dynamo_edit.h"
#include "torch/attrs.h"
#include <stdlib.h>
#include <string.h>

static PyObject *node_at(PyObject *nodes, PyObject *number)
{
	Py_ssize_t i = PyLong_AsSsize_t(number);

	return i >= 0 && i < PyList_GET_SIZE(nodes) ? PyList_GET_ITEM(nodes, i) : NULL;
}

/* An argument of the call, with numbers of nodes replaced by nodes. */
static PyObject *give_arg(PyObject *nodes, PyObject *v)
{
	PyObject *first = PyTuple_Check(v) && PyTuple_GET_SIZE(v) ? PyTuple_GET_ITEM(v, 0) : NULL, *out, *m;
	Py_ssize_t i;

	if (!first || !PyUnicode_Check(first) || PyUnicode_READ_CHAR(first, 0) != 1)
		return Py_NewRef(v);
	if (!PyUnicode_CompareWithASCIIString(first, "\1node"))
		return Py_XNewRef(node_at(nodes, PyTuple_GET_ITEM(v, 1)));
	out = PyList_New(0);
	for (i = 1; out && i < PyTuple_GET_SIZE(v); i++) {
		m = node_at(nodes, PyTuple_GET_ITEM(v, i));
		if (!m || PyList_Append(out, m) < 0)
			Py_CLEAR(out);
	}
	return out;
}

static int replay_function(PyObject *nodes, PyObject *row, const char *method)
{
	PyObject *args = PyTuple_GET_ITEM(row, ROW_ARGS), *list = PyTuple_New(PyTuple_GET_SIZE(args)), *fn;
	PyObject *r = NULL, *v;
	PyObject *name = PyUnicode_FromString("torch._C._dynamo.guards"), *m = name ? PyImport_GetModule(name) : NULL;
	Py_ssize_t i;

	for (i = 0; list && i < PyTuple_GET_SIZE(args); i++) {
		v = give_arg(nodes, PyTuple_GET_ITEM(args, i));
		if (!v)
			Py_CLEAR(list);
		else
			PyTuple_SET_ITEM(list, i, v);
	}
	fn = m && list ? PyObject_GetAttrString(m, method) : NULL;
	v = PyTuple_GET_ITEM(row, ROW_NAMED);
	if (fn)
		r = PyObject_Call(fn, list, v == Py_None ? NULL : v);
	Py_XDECREF(fn);
	Py_XDECREF(list);
	Py_XDECREF(m);
	Py_XDECREF(name);
	Py_XDECREF(r);
	return r ? 0 : -1;
}

static PyObject *live_named(PyObject *named)
{
	PyObject *v = named == Py_None ? NULL : PyDict_GetItemString(named, "example_value"), *out, *value;

	if (!v || !PyWeakref_CheckRef(v))
		return named == Py_None ? NULL : Py_NewRef(named);
	out = PyDict_Copy(named);
	value = edit_call("live", v, NULL, NULL);
	if (out && value)
		PyDict_SetItemString(out, "example_value", value);
	Py_XDECREF(value);
	return out;
}

/* Calls a method of this node; its result is a new reference, or NULL with the exception set. */
static PyObject *call_node(PyObject *manager, PyObject *method, PyObject *args, PyObject *named)
{
	PyObject *fn = manager ? PyObject_GetAttr(manager, method) : NULL;
	PyObject *r = fn ? PyObject_Call(fn, args, named) : NULL;

	Py_XDECREF(fn);
	return r;
}

static int replay_method(PyObject *nodes, PyObject *row, PyObject *method, PyObject *args, PyObject *named)
{
	Py_ssize_t result = PyLong_AsSsize_t(PyTuple_GET_ITEM(row, ROW_RESULT));
	PyObject *r = call_node(node_at(nodes, PyTuple_GET_ITEM(row, ROW_NODE)), method, args, named);

	if (r && result == PyList_GET_SIZE(nodes))
		PyList_Append(nodes, r);
	Py_XDECREF(r);
	return r ? 0 : -1;
}

static int replay_row(PyObject *nodes, PyObject *row)
{
	PyObject *method = PyTuple_GET_ITEM(row, ROW_METHOD), *named;
	const char *name = PyUnicode_AsUTF8(method);
	int ret;

	if (name && !strncmp(name, "install_", 8))
		return replay_function(nodes, row, name);
	named = live_named(PyTuple_GET_ITEM(row, ROW_NAMED));
	ret = PyErr_Occurred() ? -1 : replay_method(nodes, row, method, PyTuple_GET_ITEM(row, ROW_ARGS), named);
	Py_XDECREF(named);
	return ret;
}

/* edit: the calls to make instead, a list of (method, arguments). */
static int replay_edit(PyObject *nodes, PyObject *row, PyObject *edit)
{
	PyObject *call;
	Py_ssize_t i;
	int ret = 0;

	for (i = 0; ret == 0 && i < PyList_GET_SIZE(edit); i++) {
		call = PyList_GET_ITEM(edit, i);
		ret = replay_method(nodes, row, PyTuple_GET_ITEM(call, 0), PyTuple_GET_ITEM(call, 1), NULL);
	}
	return ret;
}

PyObject *replay_all(PyObject *record, PyObject *edits, struct err *err)
{
	PyObject *make = attrs_get(ATTR_TREE_ROOT), *root = make ? PyObject_CallNoArgs(make) : NULL;
	PyObject *nodes = PyList_New(0), *row, *edit, *key;
	Py_ssize_t i;
	int ret = root && nodes ? PyList_Append(nodes, root) : -1, collects = PyGC_Disable();

	record_pause(true); /* none of these objects is garbage, and garbage collection took half of the time */
	for (i = 0; ret == 0 && i < PyList_GET_SIZE(record); i++) {
		row = PyList_GET_ITEM(record, i);
		key = PyLong_FromSsize_t(i);
		edit = edits && key ? PyDict_GetItem(edits, key) : NULL;
		Py_XDECREF(key);
		ret = edit ? replay_edit(nodes, row, edit) : replay_row(nodes, row);
	}
	record_pause(false);
	if (collects)
		PyGC_Enable();
	if (ret < 0) {
		if (PyErr_Occurred())
			edit_raised(err, "this version of torch does not allow building the guards again");
		else
			err_set(err, "this version of torch does not allow building the guards again");
		Py_CLEAR(root);
	}
	PyErr_Clear();
	Py_XDECREF(nodes);
	Py_XDECREF(make);
	return root;
}

PyObject *replay_one(PyObject *method, PyObject *args)
{
	PyObject *make = attrs_get(ATTR_TREE_ROOT), *root = make ? PyObject_CallNoArgs(make) : NULL;
	PyObject *r = NULL, *fn = root ? PyObject_GetAttr(root, method) : NULL;

	record_pause(true);
	if (fn)
		r = PyObject_Call(fn, args, NULL);
	record_pause(false);
	if (!r)
		Py_CLEAR(root);
	PyErr_Clear();
	Py_XDECREF(r);
	Py_XDECREF(fn);
	Py_XDECREF(make);
	return root;
}

/* ---- single nodes ------------------------------------------------------------------------------------------- */

/* The nodes of a tree, by number.  Those with an edited guard, and all nodes below them, are built again. */
struct partial {
	Py_ssize_t n;
	Py_ssize_t *parent;   /* -1: the root */
	PyObject **source;    /* borrowed from the record, NULL: not recorded */
	bool *again, *needed; /* needed: it is built again, or is on the path to such a node */
	PyObject *sources;    /* owned: the sources of the uppermost nodes that are built again */
	Py_ssize_t tops, left_out;
};

static Py_ssize_t row_number(PyObject *row, int column)
{
	return PyLong_AsSsize_t(PyTuple_GET_ITEM(row, column));
}

/* False if the tree has guards on several values: these keep state for the whole tree, which a copy lacks. */
static bool read_parents(PyObject *record, struct partial *p)
{
	Py_ssize_t i, of;
	PyObject *row;
	PyObject *named;
	const char *method;
	size_t cap = 0, sources_cap = 0;

	p->parent = mem_grow(NULL, &cap, 1, sizeof(*p->parent));
	p->source = mem_grow(NULL, &sources_cap, 1, sizeof(*p->source));
	p->parent[0] = -1;
	p->source[0] = NULL;
	p->n = 1;
	for (i = 0; i < PyList_GET_SIZE(record); i++) {
		row = PyList_GET_ITEM(record, i);
		of = row_number(row, ROW_NODE);
		method = PyUnicode_AsUTF8(PyTuple_GET_ITEM(row, ROW_METHOD));
		if (!method || !strncmp(method, "install_", 8) || of < 0 || of >= p->n)
			return false;
		if (row_number(row, ROW_RESULT) != p->n)
			continue;
		p->parent = mem_grow(p->parent, &cap, (size_t)p->n + 1, sizeof(*p->parent));
		p->source = mem_grow(p->source, &sources_cap, (size_t)p->n + 1, sizeof(*p->source));
		named = PyTuple_GET_ITEM(row, ROW_NAMED);
		p->source[p->n] = named == Py_None ? NULL : PyDict_GetItemString(named, "source");
		p->parent[p->n++] = of;
	}
	return true;
}

/* False if a guard of the root is edited, or so many nodes that the whole tree may as well be built again. */
static bool choose_nodes(PyObject *record, PyObject *edits, struct partial *p)
{
	PyObject *key, *value, *row;
	Py_ssize_t pos = 0, k, of, again = 0;

	p->again = mem_alloc((size_t)p->n * sizeof(*p->again));
	p->needed = mem_alloc((size_t)p->n * sizeof(*p->needed));
	while (PyDict_Next(edits, &pos, &key, &value)) {
		of = row_number(PyList_GET_ITEM(record, PyLong_AsSsize_t(key)), ROW_NODE);
		if (of <= 0)
			return false;
		p->again[of] = true;
	}
	for (k = 1; k < p->n; k++) {
		p->again[k] = p->again[k] || p->again[p->parent[k]];
		again += p->again[k];
		for (of = p->again[k] ? k : -1; of >= 0 && !p->needed[of]; of = p->parent[of])
			p->needed[of] = true;
	}
	for (pos = 0; p->sources && PyDict_Next(edits, &pos, &key, &value);) {
		row = PyList_GET_ITEM(record, PyLong_AsSsize_t(key));
		of = row_number(row, ROW_NODE);
		if (!p->again[p->parent[of]] && PySet_Add(p->sources, PyTuple_GET_ITEM(row, ROW_SOURCE)) < 0)
			return false;
	}
	for (k = 1; p->sources && k < p->n; k++) {
		p->tops += p->again[k] && !p->again[p->parent[k]];
		if (!p->again[k] && (!p->source[k] || PySet_Contains(p->sources, p->source[k])))
			return false; /* the source does not identify one node */
	}
	return p->sources && again && again <= p->n / 4;
}

static PyObject *keep_others(PyObject *self, PyObject *node)
{
	static PyObject *get;
	struct partial *p = PyCapsule_GetPointer(self, NULL);
	PyObject *source;
	int out;

	if (!get)
		get = PyUnicode_InternFromString("get_source");
	source = get ? PyObject_CallMethodNoArgs(node, get) : NULL;
	out = source ? PySet_Contains(p->sources, source) : -1;
	Py_XDECREF(source);
	if (out < 0)
		return NULL;
	p->left_out += out;
	return PyBool_FromLong(!out);
}

static PyMethodDef keep_def = { "cdbg_keep", keep_others, METH_O, NULL };

/* A copy of the tree with the other nodes only: a new root; NULL if their sources do not identify them. */
static PyObject *copy_others(PyObject *manager, struct partial *p)
{
	PyObject *root = PyObject_GetAttrString(manager, "root"), *self = PyCapsule_New(p, NULL, NULL);
	PyObject *keep = self ? PyCFunction_New(&keep_def, self) : NULL, *copy = NULL;

	if (root && keep)
		copy = PyObject_CallMethod(root, "clone_manager", "O", keep);
	if (p->left_out != p->tops)
		Py_CLEAR(copy);
	Py_XDECREF(keep);
	Py_XDECREF(self);
	Py_XDECREF(root);
	return copy;
}

/* A call on the path to a node returns the node that the copy already has. */
static int replay_needed(PyObject *record, PyObject *edits, const struct partial *p, PyObject *nodes)
{
	Py_ssize_t i, of, result, made = 1;
	PyObject *row, *key, *edit, *named, *r;
	bool makes;
	int ret = 0;

	for (i = 0; ret == 0 && i < PyList_GET_SIZE(record); i++) {
		row = PyList_GET_ITEM(record, i);
		of = row_number(row, ROW_NODE);
		result = row_number(row, ROW_RESULT);
		makes = result == made;
		made += makes;
		if (!p->again[of] && !(makes && p->needed[result]))
			continue;
		key = PyLong_FromSsize_t(i);
		edit = key ? PyDict_GetItemWithError(edits, key) : NULL;
		Py_XDECREF(key);
		if (edit) {
			ret = replay_edit(nodes, row, edit);
			continue;
		}
		named = live_named(PyTuple_GET_ITEM(row, ROW_NAMED));
		r = PyErr_Occurred() ? NULL :
				       call_node(PyList_GET_ITEM(nodes, of), PyTuple_GET_ITEM(row, ROW_METHOD),
						 PyTuple_GET_ITEM(row, ROW_ARGS), named);
		ret = r ? 0 : -1;
		if (makes && r)
			PyList_SetItem(nodes, result, Py_NewRef(r));
		Py_XDECREF(r);
		Py_XDECREF(named);
	}
	return ret;
}

PyObject *replay_nodes(PyObject *record, PyObject *edits, PyObject *manager)
{
	struct partial p = { .sources = PySet_New(NULL) };
	PyObject *root = NULL, *nodes = NULL;
	Py_ssize_t k;

	record_pause(true);
	if (read_parents(record, &p) && choose_nodes(record, edits, &p))
		root = copy_others(manager, &p);
	nodes = root ? PyList_New(p.n) : NULL;
	for (k = 0; nodes && k < p.n; k++)
		PyList_SET_ITEM(nodes, k, Py_NewRef(k ? Py_None : root));
	if (!nodes || replay_needed(record, edits, &p, nodes) < 0)
		Py_CLEAR(root);
	record_pause(false);
	PyErr_Clear();
	Py_XDECREF(nodes);
	Py_XDECREF(p.sources);
	free(p.parent);
	free(p.source);
	free(p.again);
	free(p.needed);
	return root;
}
