/* SPDX-License-Identifier: BSD-3-Clause */
/* Values over several lines, by the standard library's pprint.  Knows no stop. */
#include <Python.h>
#include "base/buf.h"
#include "base/err.h"
#include "py/value/value.h"

/* pprint walks a whole container twice and cuts texts into lines: larger values are shown in one line. */
enum { ROOM = 1 << 20, ITEM = 100, NESTED = 20 };

static PyObject *pretty_text(PyObject *v)
{
	PyObject *module = PyImport_ImportModuleLevel("pprint", NULL, NULL, NULL, 0), *text;

	text = module ? PyObject_CallMethod(module, "pformat", "O", v) : NULL;
	Py_XDECREF(module);
	return text;
}

/* Subtracts the size of v and its contents from *room; false: *room is too small. Runs no code of the program. */
static bool fits_in(PyObject *v, size_t *room, int depth)
{
	Py_ssize_t i, n = PyUnicode_Check(v)		      ? PyUnicode_GET_LENGTH(v) / ITEM + 1 :
			  PyBytes_Check(v)		      ? PyBytes_GET_SIZE(v) / ITEM + 1 :
			  PyByteArray_Check(v)		      ? PyByteArray_GET_SIZE(v) / ITEM + 1 :
			  PyDict_Check(v)		      ? PyDict_GET_SIZE(v) + 1 :
			  PyAnySet_Check(v)		      ? PySet_GET_SIZE(v) + 1 :
			  PyList_Check(v) || PyTuple_Check(v) ? PySequence_Fast_GET_SIZE(v) + 1 :
								1;
	Py_ssize_t pos = 0;
	PyObject *key, *value;
	bool yes = true;

	if ((size_t)n > *room / ITEM || value_unreadable((struct py_obj *)v, NULL))
		return false;
	*room -= (size_t)n * ITEM;
	if (!depth)
		return true;
	for (i = 0; (PyList_Check(v) || PyTuple_Check(v)) && yes && i < PySequence_Fast_GET_SIZE(v); i++)
		yes = fits_in(PySequence_Fast_GET_ITEM(v, i), room, depth - 1);
	while (PyDict_Check(v) && yes && PyDict_Next(v, &pos, &key, &value))
		yes = fits_in(key, room, depth - 1) && fits_in(value, room, depth - 1);
	return yes;
}

static bool pretty_large(PyObject *v)
{
	size_t room = ROOM;

	return !fits_in(v, &room, NESTED);
}

int value_pretty(struct py_obj *pv, struct buf *out, size_t max, bool *cut, struct err *err)
{
	/* owned */
	PyObject *type, *value, *tb, *text;
	int ret = 0;

	if (pretty_large((PyObject *)pv))
		return value_repr(pv, out, max, cut, err);
	PyErr_Fetch(&type, &value, &tb);
	text = pretty_text((PyObject *)pv);
	*cut = false;
	if (text)
		*cut = !value_text((struct py_obj *)text, out, max);
	else
		ret = err_from_python(err, NULL);
	Py_XDECREF(text);
	PyErr_Clear();
	PyErr_Restore(type, value, tb);
	return ret;
}
