/* SPDX-License-Identifier: BSD-3-Clause */
/* Parts of large values: see part.h.  Knows no frame and no stop. */
#include "py/value/part.h"
#include <string.h>

static PyObject *part_sequence(PyObject *v, size_t keep, bool *cut)
{
	Py_ssize_t n = PySequence_Size(v);

	if (n < 0)
		return NULL;
	if ((size_t)n <= keep)
		return Py_NewRef(v);
	*cut = true;
	return PySequence_GetSlice(v, 0, (Py_ssize_t)keep);
}

/* ---- arrays of numpy and torch ------------------------------------------------------------------ */

/* The attribute of an attribute ... of a module that has been imported; NULL without an exception. */
static PyObject *imported_attribute(const char *module, const char *const *path)
{
	PyObject *v = PyDict_GetItemString(PyImport_GetModuleDict(), module), *next;

	Py_XINCREF(v);
	for (; v && *path; path++) {
		next = PyObject_GetAttrString(v, *path);
		Py_SETREF(v, next);
	}
	PyErr_Clear();
	return v;
}

/* Values with more elements than this abbreviate their own repr; -1: not known. */
static double numpy_threshold(void)
{
	static const char *const path[] = { "get_printoptions", NULL };
	PyObject *get = imported_attribute("numpy", path), *all = get ? PyObject_CallNoArgs(get) : NULL;
	PyObject *n = all && PyDict_Check(all) ? PyDict_GetItemString(all, "threshold") : NULL;
	double threshold = n ? PyFloat_AsDouble(n) : -1;

	PyErr_Clear();
	Py_XDECREF(all);
	Py_XDECREF(get);
	return threshold;
}

static double torch_threshold(void)
{
	static const char *const path[] = { "_tensor_str", "PRINT_OPTS", "threshold", NULL };
	PyObject *n = imported_attribute("torch", path);
	double threshold = n ? PyFloat_AsDouble(n) : -1;

	PyErr_Clear();
	Py_XDECREF(n);
	return threshold;
}

static bool is_tensor(PyTypeObject *type)
{
	static const char *const path[] = { "Tensor", NULL };
	PyObject *tensor = imported_attribute("torch", path);

	Py_XDECREF(tensor);
	return tensor == (PyObject *)type;
}

/* v[0:1, 0:1, 0:k]: the first elements in their order, at least `keep` of them, without a copy. */
static PyObject *first_elements(PyObject *v, PyObject *shape, size_t keep)
{
	Py_ssize_t dims = PyTuple_GET_SIZE(shape), i, k;
	PyObject *index = PyTuple_New(dims), *part = NULL, *end, *slice;
	size_t inner, size;

	for (i = 0; index && i < dims; i++) {
		for (inner = 1, k = i + 1; k < dims && inner <= keep; k++) {
			size = PyLong_AsSize_t(PyTuple_GET_ITEM(shape, k));
			inner = size <= keep ? inner * size : keep + 1;
		}
		end = inner > keep ? PyLong_FromLong(1) : PyLong_FromSize_t(keep / (inner ? inner : 1) + 1);
		slice = end && !PyErr_Occurred() ? PySlice_New(NULL, end, NULL) : NULL;
		Py_XDECREF(end);
		if (!slice)
			Py_CLEAR(index);
		else
			PyTuple_SET_ITEM(index, i, slice);
	}
	if (index)
		part = PyObject_GetItem(v, index);
	Py_XDECREF(index);
	return part;
}

static PyObject *part_array(PyObject *v, double threshold, size_t keep, bool *cut)
{
	PyObject *shape = PyObject_GetAttrString(v, "shape"), *part = NULL;
	double elements = 1;
	Py_ssize_t i;

	for (i = 0; shape && PyTuple_Check(shape) && i < PyTuple_GET_SIZE(shape); i++)
		elements *= PyFloat_AsDouble(PyTuple_GET_ITEM(shape, i));
	if (shape && PyTuple_Check(shape) && PyTuple_GET_SIZE(shape) && !PyErr_Occurred() && elements > (double)keep &&
	    elements <= threshold)
		part = first_elements(v, shape, keep);
	*cut = part != NULL;
	PyErr_Clear(); /* for example a symbolic size: it is shown by its own repr */
	Py_XDECREF(shape);
	return part ? part : Py_NewRef(v);
}

PyObject *part_of(PyObject *v, size_t keep, bool *cut)
{
	PyTypeObject *type = Py_TYPE(v);

	*cut = false;
	if (keep > PY_SSIZE_T_MAX / 2)
		return Py_NewRef(v);
	if (PyUnicode_Check(v) && type->tp_repr == PyUnicode_Type.tp_repr) {
		*cut = (size_t)PyUnicode_GET_LENGTH(v) > keep;
		return PyUnicode_Substring(v, 0, *cut ? (Py_ssize_t)keep : PyUnicode_GET_LENGTH(v));
	}
	if (PyBytes_Check(v) && type->tp_repr == PyBytes_Type.tp_repr) {
		*cut = (size_t)PyBytes_GET_SIZE(v) > keep;
		return *cut ? PyBytes_FromStringAndSize(PyBytes_AS_STRING(v), (Py_ssize_t)keep) : Py_NewRef(v);
	}
	if (PyByteArray_CheckExact(v)) {
		*cut = (size_t)PyByteArray_GET_SIZE(v) > keep;
		return *cut ? PyByteArray_FromStringAndSize(PyByteArray_AS_STRING(v), (Py_ssize_t)keep) : Py_NewRef(v);
	}
	if (!strcmp(type->tp_name, "array.array"))
		return part_sequence(v, keep, cut);
	if (!strcmp(type->tp_name, "numpy.ndarray"))
		return part_array(v, numpy_threshold(), keep, cut);
	if (!strcmp(type->tp_name, "Tensor") && is_tensor(type))
		return part_array(v, torch_threshold(), keep, cut);
	return Py_NewRef(v);
}
