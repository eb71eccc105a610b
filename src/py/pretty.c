/* SPDX-License-Identifier: BSD-3-Clause */
/* Values over several lines, by the standard library's pprint.  Knows no stop. */
#include <Python.h>
#include "base/buf.h"
#include "base/err.h"
#include "py/value.h"

#define ITEMS_MAX 10000                      /* pprint walks all of a container, and twice */

static PyObject *pretty_text(PyObject *v)
{
	PyObject *module = PyImport_ImportModule("pprint"), *text;

	text = module ? PyObject_CallMethod(module, "pformat", "O", v) : NULL;
	Py_XDECREF(module);
	return text;
}

static bool pretty_large(PyObject *v)
{
	return (PyList_Check(v) && PyList_GET_SIZE(v) > ITEMS_MAX) ||
	       (PyTuple_Check(v) && PyTuple_GET_SIZE(v) > ITEMS_MAX) ||
	       (PyDict_Check(v) && PyDict_GET_SIZE(v) > ITEMS_MAX) ||
	       (PyAnySet_Check(v) && PySet_GET_SIZE(v) > ITEMS_MAX);
}

int value_pretty(struct py_obj *pv, struct buf *out, size_t max, bool *cut, struct err *err)
{
	/* owned */
	PyObject *type, *value, *tb, *text;
	/* borrowed */
	const char *s;
	int ret;

	if (pretty_large((PyObject *)pv))
		return value_repr(pv, out, max, cut, err);
	PyErr_Fetch(&type, &value, &tb);
	text = pretty_text((PyObject *)pv);
	s = text ? PyUnicode_AsUTF8(text) : NULL;
	if (s)
		ret = value_str((struct py_obj *)text, out, max, err);
	else
		ret = err_from_python(err, NULL);
	*cut = s && strlen(s) > max;
	Py_XDECREF(text);
	PyErr_Clear();
	PyErr_Restore(type, value, tb);
	return ret;
}
