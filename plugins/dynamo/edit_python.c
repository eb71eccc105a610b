/* SPDX-License-Identifier: BSD-3-Clause */
/* What edits want of Python: functions of edit.py, exceptions as errors, copies of guard trees.  Changes nothing. */
#include "edit.h"

PyObject *edit_call(const char *name, PyObject *a, PyObject *b, PyObject *c)
{
	static PyObject *names;
	PyObject *fn;
	struct err err;

	if (!names)
		names = observe_load("edit.py", &err);
	fn = names ? PyDict_GetItemString(names, name) : NULL;
	if (!fn) {
		PyErr_Format(PyExc_RuntimeError, "edit.py has no %s", name);
		return NULL;
	}
	return PyObject_CallFunctionObjArgs(fn, a, b, c, NULL);
}

int edit_raised(struct err *err, const char *what)
{
	PyObject *type, *value, *tb, *text;
	const char *s, *name;

	PyErr_Fetch(&type, &value, &tb);
	PyErr_NormalizeException(&type, &value, &tb);
	text = value ? PyObject_Str(value) : NULL;
	s = text ? PyUnicode_AsUTF8(text) : NULL;
	name = type && PyType_Check(type) ? ((PyTypeObject *)type)->tp_name : "exception";
	host->err_set(err, "%s: %s: %.400s", what, name, s ? s : "");
	PyErr_Clear();
	Py_XDECREF(text);
	Py_XDECREF(type);
	Py_XDECREF(value);
	Py_XDECREF(tb);
	return -1;
}

static PyObject *keep_node(PyObject *self, PyObject *node)
{
	(void)self;
	(void)node;
	Py_RETURN_TRUE;
}

static PyMethodDef keep_def = { "cdbg_keep", keep_node, METH_O, NULL };

PyObject *edit_clone(PyObject *manager)
{
	PyObject *root = PyObject_GetAttrString(manager, "root"), *keep = PyCFunction_New(&keep_def, NULL), *r = NULL;

	if (root && keep)
		r = PyObject_CallMethod(root, "clone_manager", "O", keep);
	Py_XDECREF(keep);
	Py_XDECREF(root);
	return r;
}

bool edit_alive(PyObject *watched)
{
	bool dead = false;
	Py_ssize_t i;
	PyObject *o;

	for (i = 0; watched && PyList_Check(watched) && i < PyList_GET_SIZE(watched) && !dead; i++) {
		if (!PyWeakref_CheckRef(PyList_GET_ITEM(watched, i)))
			continue;
		o = PyObject_CallNoArgs(PyList_GET_ITEM(watched, i));
		dead = o == Py_None;
		Py_XDECREF(o);
	}
	return !dead;
}
