/* SPDX-License-Identifier: BSD-3-Clause */
/* Guards counted: the leaves of a guard manager's tree.  Child managers die with their root and are not kept. */
#include "dynamo.h"

static PyObject *call(PyObject *v, const char *method)
{
	PyObject *r = v ? PyObject_CallMethod(v, method, NULL) : NULL;

	PyErr_Clear();
	return r;
}

static Py_ssize_t length(PyObject *list)
{
	Py_ssize_t n = list ? PyObject_Length(list) : 0;

	PyErr_Clear();
	return n < 0 ? 0 : n;
}

/* Guards on several values at once hang on each of them, and count once. */
static int leaves(PyObject *manager, PyObject *seen, PyObject *relational)
{
	PyObject *list = call(manager, "get_leaf_guards"), *leaf, *parts, *key;
	Py_ssize_t i;
	int n = 0;

	for (i = 0; list && i < length(list); i++) {
		leaf = PySequence_GetItem(list, i);
		if (leaf && relational && PyObject_IsInstance(leaf, relational) > 0) {
			parts = call(leaf, "verbose_code_parts");
			key = parts ? PySequence_Tuple(parts) : NULL;
			if (key && PySet_Contains(seen, key) > 0)
				n--;
			else if (key)
				PySet_Add(seen, key);
			Py_XDECREF(key);
			Py_XDECREF(parts);
		}
		n++;
		Py_XDECREF(leaf);
	}
	Py_XDECREF(list);
	PyErr_Clear();
	return n;
}

static int tree(PyObject *manager, PyObject *seen, PyObject *relational);

static int key_values(PyObject *manager, PyObject *seen, PyObject *relational)
{
	PyObject *dict = call(manager, "get_key_value_managers"), *key, *pair, *m;
	Py_ssize_t pos = 0;
	int n = 0, i;

	while (dict && PyDict_Check(dict) && PyDict_Next(dict, &pos, &key, &pair))
		for (i = 0; i < 2; i++) {
			m = PySequence_GetItem(pair, i);
			if (m && m != Py_None)
				n += tree(m, seen, relational);
			Py_XDECREF(m);
		}
	Py_XDECREF(dict);
	PyErr_Clear();
	return n;
}

static int tree(PyObject *manager, PyObject *seen, PyObject *relational)
{
	PyObject *children, *child;
	Py_ssize_t i;
	int n;

	if (Py_EnterRecursiveCall(" while guards are counted")) {
		PyErr_Clear();
		return 0;
	}
	n = leaves(manager, seen, relational) + key_values(manager, seen, relational);
	children = call(manager, "get_child_managers");
	for (i = 0; children && i < length(children); i++) {
		child = PySequence_GetItem(children, i);
		if (child)
			n += tree(child, seen, relational);
		Py_XDECREF(child);
	}
	Py_XDECREF(children);
	PyErr_Clear();
	Py_LeaveRecursiveCall();
	return n;
}

int model_leaf_guards(PyObject *guard_manager)
{
	PyObject *root = PyObject_GetAttrString(guard_manager, "root"), *seen = PySet_New(NULL), *tail;
	PyObject *relational = names_get(NAME_RELATIONAL);
	int n = -1;

	PyErr_Clear();
	if (root && root != Py_None && seen) {
		n = tree(root, seen, relational);
		tail = call(root, "get_epilogue_lambda_guards");
		n += (int)length(tail);
		Py_XDECREF(tail);
	}
	Py_XDECREF(relational);
	Py_XDECREF(seen);
	Py_XDECREF(root);
	PyErr_Clear();
	return n;
}
