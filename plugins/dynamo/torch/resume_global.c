/* SPDX-License-Identifier: BSD-3-Clause */
#include "torch/dynamo_torch.h"
#include "torch/py_text.h"
#include <string.h>

/* A resume global is a function, a factory that holds the code in a cell, or (torch 2.6) the code. */
PyCodeObject *resume_global_code(PyObject *v)
{
	PyObject *closure, *names, *cell;
	PyCodeObject *code;
	Py_ssize_t i;

	if (PyCode_Check(v))
		return (PyCodeObject *)v;
	if (!PyFunction_Check(v))
		return NULL;
	code = (PyCodeObject *)PyFunction_GET_CODE(v);
	if (strcmp(py_text_utf8_kept(code->co_name), "_make_fn"))
		return code;
	closure = PyFunction_GET_CLOSURE(v);
	names = PyCode_GetFreevars(code);
	for (i = 0; closure && names && i < PyTuple_GET_SIZE(closure) && i < PyTuple_GET_SIZE(names); i++) {
		cell = PyCell_GET(PyTuple_GET_ITEM(closure, i));
		if (cell && PyCode_Check(cell) &&
		    !PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(names, i), "code")) {
			Py_DECREF(names);
			return (PyCodeObject *)cell;
		}
	}
	Py_XDECREF(names);
	return NULL;
}

PyCodeObject *resume_global_named(const char *name)
{
	PyObject *modules = PyImport_GetModuleDict(), *key, *module, *v, *wanted;
	PyCodeObject *found = NULL;
	Py_ssize_t at = 0;

	if (strncmp(name, "__resume_at", 11))
		return NULL;
	wanted = PyUnicode_FromString(name);
	while (wanted && !found && PyDict_Next(modules, &at, &key, &module)) {
		v = PyModule_Check(module) ? PyDict_GetItemWithError(PyModule_GetDict(module), wanted) : NULL;
		found = v ? resume_global_code(v) : NULL;
	}
	Py_XDECREF(wanted);
	PyErr_Clear();
	return found;
}
