/* SPDX-License-Identifier: BSD-3-Clause */
/* Compiles text silently: keeps assertions whatever the interpreter's options are, and shows no warning.  Knows no
   decompiler. */
#include <Python.h>
#include "py/decompile/text/print.h"

/* The list of filters that the interpreter asks; a new reference, NULL: there is none. */
static PyObject *warning_filters(void)
{
	PyObject *modules = PyImport_GetModuleDict(), *m = PyDict_GetItemString(modules, "warnings"), *list;

	if (!m) /* those that are built in */
		m = PyDict_GetItemString(modules, "_warnings");
	list = m ? PyObject_GetAttrString(m, "filters") : NULL;
	PyErr_Clear();
	if (list && !PyList_CheckExact(list))
		Py_CLEAR(list);
	return list;
}

/* The program has shown the warnings of its text before.  While compile() runs, a filter comes before the program's:
   no Python code runs meanwhile, and no other thread, since the collector waits. */
static PyObject *compiled_silently(PyObject *compile, const char *text)
{
	PyObject *list = warning_filters(), *out,
		 *filter = Py_BuildValue("(sOOOi)", "ignore", Py_None, PyExc_SyntaxWarning, Py_None, 0),
		 *args = Py_BuildValue("(sssiOi)", text, "<decompiled>", "exec", 0, Py_True, 0);
	int collects = PyGC_Disable(), put = list && filter && PyList_Insert(list, 0, filter) == 0;

	PyErr_Clear();
	out = args ? PyObject_Call(compile, args, NULL) : NULL;
	if (put && PyList_GET_SIZE(list) && PyList_GET_ITEM(list, 0) == filter)
		PyList_SetSlice(list, 0, 1, NULL);
	if (collects)
		PyGC_Enable();
	Py_XDECREF(list);
	Py_XDECREF(filter);
	Py_XDECREF(args);
	return out;
}

PyObject *compile_silently(const char *text)
{
	PyObject *builtins = PyImport_ImportModuleLevel("builtins", NULL, NULL, NULL, 0),
		 *f = builtins ? PyObject_GetAttrString(builtins, "compile") : NULL, *out = NULL;

	if (f)
		out = compiled_silently(f, text);
	Py_XDECREF(f);
	Py_XDECREF(builtins);
	return out;
}
