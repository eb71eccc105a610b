/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls functions of edit.py; converts exceptions to errors; copies guard trees.  Changes nothing. */
#include "edit/dynamo_edit.h"
#include "torch/attrs.h"
#include "torch/dynamo_torch.h"
#include <stdlib.h>
#include <string.h>

PyObject *edit_call(const char *name, PyObject *a, PyObject *b, PyObject *c)
{
	PyObject *fn = package_function("edit", name), *r = fn ? PyObject_CallFunctionObjArgs(fn, a, b, c, NULL) : NULL;

	Py_XDECREF(fn);
	return r;
}

int edit_raised(struct err *err, const char *what)
{
	PyObject *type, *value, *tb, *text;
	struct buf words = { 0 };
	const char *name;
	char *end;

	PyErr_Fetch(&type, &value, &tb);
	PyErr_NormalizeException(&type, &value, &tb);
	text = value ? PyObject_Str(value) : NULL;
	if (text)
		host->values.text((struct py_obj *)text, &words, 400);
	end = words.len ? strstr(words.s, "\n\n") : NULL;
	if (end) /* what follows is torch's trace of a node */
		*end = 0;
	name = type && PyType_Check(type) ? ((PyTypeObject *)type)->tp_name : "exception";
	if (type && PyErr_GivenExceptionMatches(type, PyExc_KeyboardInterrupt))
		name = "interrupted"; /* Ctrl-C */
	err_set(err, "%s: %s%s%s", what, name, words.len ? ": " : "", words.len ? words.s : "");
	buf_release(&words);
	PyErr_Clear();
	Py_XDECREF(text);
	Py_XDECREF(type);
	Py_XDECREF(value);
	Py_XDECREF(tb);
	return -1;
}

static PyObject *keep_every_node(PyObject *self, PyObject *node)
{
	(void)self;
	(void)node;
	Py_RETURN_TRUE;
}

static PyMethodDef keep_def = { "cdbg_keep", keep_every_node, METH_O, NULL };

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

/* Newer versions take a stack, too. */
static bool takes_stack(PyObject *fn)
{
	static int takes = -1;
	PyObject *make = takes < 0 ? attrs_get(ATTR_TREE_ROOT) : NULL, *root = make ? PyObject_CallNoArgs(make) : NULL;
	PyObject *r = root ? PyObject_CallMethod(root, "add_lambda_guard", "O[s]O", fn, "", Py_None) : NULL;

	if (root)
		takes = r != NULL;
	PyErr_Clear();
	Py_XDECREF(r);
	Py_XDECREF(root);
	Py_XDECREF(make);
	return takes > 0;
}

PyObject *edit_lambda_args(PyObject *fn, const char *text)
{
	return takes_stack(fn) ? Py_BuildValue("(O[s]O)", fn, text, Py_None) : Py_BuildValue("(O[s])", fn, text);
}
