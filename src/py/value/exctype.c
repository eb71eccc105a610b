/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds types by the names that users type: "ValueError", "json.JSONDecodeError".  Runs no code of the program. */
#include <Python.h>
#include <string.h>
#include "py/value/value.h"

static bool same_text(PyObject *text, const char *s, size_t n)
{
	Py_ssize_t len;
	const char *t = text && PyUnicode_Check(text) ? PyUnicode_AsUTF8AndSize(text, &len) : NULL;

	if (!t)
		PyErr_Clear();
	return t && (size_t)len == n && !memcmp(t, s, n);
}

static bool exctype_is_named(PyTypeObject *t, const char *name)
{
	const char *dot = strrchr(name, '.'), *last = strrchr(t->tp_name, '.');
	const char *own = dot ? dot + 1 : name;
	PyObject *module;

	if (strcmp(last ? last + 1 : t->tp_name, own))
		return false;
	if (!dot)
		return true;
	module = t->tp_dict ? PyDict_GetItemString(t->tp_dict, "__module__") : NULL;
	if (module)
		return same_text(module, name, (size_t)(dot - name));
	return last ? !strncmp(t->tp_name, name, strlen(name)) : !strncmp(name, "builtins.", 9);
}

bool value_type_named(struct py_obj *type, const char *name)
{
	PyObject *t = (PyObject *)type, *mro;
	PyObject *exc_type, *value, *tb;
	bool yes = false;
	Py_ssize_t i;

	if (!t || !PyType_Check(t))
		return false;
	mro = ((PyTypeObject *)t)->tp_mro;
	PyErr_Fetch(&exc_type, &value, &tb);
	for (i = 0; mro && i < PyTuple_GET_SIZE(mro) && !yes; i++)
		if (PyType_Check(PyTuple_GET_ITEM(mro, i)))
			yes = exctype_is_named((PyTypeObject *)PyTuple_GET_ITEM(mro, i), name);
	PyErr_Restore(exc_type, value, tb);
	return yes;
}
