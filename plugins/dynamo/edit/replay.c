/* SPDX-License-Identifier: BSD-3-Clause */
/* An entry's guards built again from their record, with some of the calls changed.  Knows no ledger and no command. */
#include "edit/replay.h"
#include "torch/attrs.h"
#include "edit/edit_python.h"
#include "edit/record.h"
#include <string.h>

static PyObject *node_at(PyObject *nodes, PyObject *number)
{
	Py_ssize_t i = PyLong_AsSsize_t(number);

	return i >= 0 && i < PyList_GET_SIZE(nodes) ? PyList_GET_ITEM(nodes, i) : NULL;
}

/* An argument as it is given: numbers of nodes become nodes. */
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

static int replay_method(PyObject *nodes, PyObject *row, PyObject *method, PyObject *args, PyObject *named)
{
	PyObject *manager = node_at(nodes, PyTuple_GET_ITEM(row, ROW_NODE)), *r = NULL, *fn;
	Py_ssize_t result = PyLong_AsSsize_t(PyTuple_GET_ITEM(row, ROW_RESULT));

	fn = manager ? PyObject_GetAttr(manager, method) : NULL;
	if (fn)
		r = PyObject_Call(fn, args, named);
	if (r && result == PyList_GET_SIZE(nodes))
		PyList_Append(nodes, r);
	Py_XDECREF(fn);
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

/* edit: what is called instead, a list of (method, arguments). */
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

PyObject *record_replay(PyObject *record, PyObject *edits, struct err *err)
{
	PyObject *make = attrs_get(ATTR_TREE_ROOT), *root = make ? PyObject_CallNoArgs(make) : NULL;
	PyObject *nodes = PyList_New(0), *row, *edit, *key;
	Py_ssize_t i;
	int ret = root && nodes ? PyList_Append(nodes, root) : -1, collects = PyGC_Disable();

	record_pause(true);                  /* nothing of this is garbage; looking for some took half of the time */
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
			edit_raised(err, "the guards cannot be built again in this torch");
		else
			err_set(err, "the guards cannot be built again in this torch");
		Py_CLEAR(root);
	}
	PyErr_Clear();
	Py_XDECREF(nodes);
	Py_XDECREF(make);
	return root;
}

PyObject *record_one(PyObject *method, PyObject *args)
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
