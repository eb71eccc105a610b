/* SPDX-License-Identifier: BSD-3-Clause */
/* Values as the program would print them: its own repr and str, bounded, their exceptions caught.  Containers of
   exact built-in types are walked here, as far as the bound goes and no further. */
#include <Python.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "base/buf.h"
#include "base/err.h"
#include "py/value/value.h"

/* Takes parts of large values, so that a repr that will be cut is not computed completely. */

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

/*
 * A value whose repr begins as that of v and has at least `keep` characters, or v itself where its repr is shorter,
 * where the type is not known here, or where it abbreviates itself.  *cut: it is a part.  A new reference, NULL with
 * an exception.  Runs no code of the program; of numpy's and torch's it reads shapes and takes slices.
 */
static PyObject *part_of(PyObject *v, size_t keep, bool *cut)
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

#define NESTED_MAX 200 /* deeper than anybody reads, but safe for the C stack */

struct repr {
	struct buf *out;
	size_t start, max;
	int nested;
	bool cut; /* something was left out */
};

static int repr_value(struct repr *r, PyObject *v);

static bool repr_full(const struct repr *r)
{
	return r->out->len - r->start > r->max;
}

/* The part that is shown, and one byte more if there is more. */
static int repr_add(struct repr *r, PyObject *text)
{
	size_t used = r->out->len - r->start;

	if (!text)
		return -1;
	if (!value_text((struct py_obj *)text, r->out, r->max > used ? r->max - used + 1 : 1))
		r->cut = true;
	return 0;
}

/* An int so large that Python refuses to convert it, or needs very long. */
static bool repr_huge_int(struct repr *r, PyObject *v)
{
	enum { DIGITS = 100000 };
	size_t bits = PyLong_CheckExact(v) ? _PyLong_NumBits(v) : 0;

	if (bits <= DIGITS * 10 / 3)
		return false;
	buf_addf(r->out, "<int of %zu bits>", bits);
	return true;
}

static int repr_leaf(struct repr *r, PyObject *v)
{
	bool cut = false;
	PyObject *part, *text;
	int ret;

	if (repr_huge_int(r, v) || value_unreadable((struct py_obj *)v, r->out))
		return 0;
	part = part_of(v, r->max + 1, &cut);
	text = part ? PyObject_Repr(part) : NULL;
	Py_XDECREF(part);
	ret = repr_add(r, text);
	r->cut |= cut;
	Py_XDECREF(text);
	return ret;
}

/* The first items of a container, held: a repr may change the container.  Dicts give key, value, key, value. */
static PyObject *repr_items(struct repr *r, PyObject *v)
{
	Py_ssize_t most = (Py_ssize_t)(r->max / 2 + 2), pos = 0, i;
	PyObject *items, *iter, *key, *value;

	if (PyList_Check(v))
		return PyList_GetSlice(v, 0, most);
	if (PyTuple_Check(v))
		return PyTuple_GetSlice(v, 0, most);
	items = PyList_New(0);
	if (PyDict_Check(v)) {
		for (i = 0; items && i < most && PyDict_Next(v, &pos, &key, &value); i++)
			if (PyList_Append(items, key) < 0 || PyList_Append(items, value) < 0)
				Py_CLEAR(items);
		return items;
	}
	iter = items ? PyObject_GetIter(v) : NULL;
	for (i = 0; iter && i < most && (key = PyIter_Next(iter)); i++) {
		if (PyList_Append(items, key) < 0)
			PyErr_Clear();
		Py_DECREF(key);
	}
	Py_XDECREF(iter);
	return items;
}

static int repr_walk(struct repr *r, PyObject *v, PyObject *items)
{
	Py_ssize_t i, n = PySequence_Fast_GET_SIZE(items);
	bool dict = PyDict_Check(v);

	for (i = 0; i < n && !repr_full(r); i++) {
		if (i)
			buf_adds(r->out, dict && i % 2 ? ": " : ", ");
		if (repr_value(r, PySequence_Fast_GET_ITEM(items, i)) < 0)
			return -1;
	}
	if (PyTuple_Check(v) && n == 1)
		buf_addc(r->out, ',');
	return 0;
}

static int repr_container(struct repr *r, PyObject *v, const char *open, const char *close)
{
	PyObject *items;
	int ret = -1, again = Py_ReprEnter(v);

	if (again < 0)
		return -1;
	if (again || r->nested == NESTED_MAX) {
		buf_addf(r->out, "%s...%s", open, close);
		r->cut |= !again;
		if (!again)
			Py_ReprLeave(v);
		return 0;
	}
	items = repr_items(r, v);
	if (items) {
		r->nested++;
		buf_adds(r->out, open);
		ret = repr_walk(r, v, items);
		buf_adds(r->out, close);
		r->nested--;
	}
	Py_XDECREF(items);
	Py_ReprLeave(v);
	return ret;
}

/* The types of the module collections show all their items, too. */
static int repr_deque(struct repr *r, PyObject *v)
{
	PyObject *most = PyObject_GetAttrString(v, "maxlen");
	char close[40] = "])";

	if (most && most != Py_None)
		snprintf(close, sizeof(close), "], maxlen=%zd)", PyLong_AsSsize_t(most));
	Py_XDECREF(most);
	return PyErr_Occurred() ? -1 : repr_container(r, v, "deque([", close);
}

static int repr_defaultdict(struct repr *r, PyObject *v)
{
	PyObject *factory = PyObject_GetAttrString(v, "default_factory");
	int ret = -1;

	buf_adds(r->out, "defaultdict(");
	if (factory && repr_value(r, factory) == 0)
		ret = repr_container(r, v, ", {", "})");
	Py_XDECREF(factory);
	return ret;
}

/* OSError and others have a __str__ of their own. */
static int repr_exception(struct repr *r, PyObject *v)
{
	PyObject *args = ((PyBaseExceptionObject *)v)->args;
	int ret;

	buf_adds(r->out, value_type((struct py_obj *)v));
	if (!args || !PyTuple_CheckExact(args) || PyTuple_GET_SIZE(args) != 1)
		return repr_value(r, args ? args : Py_None);
	Py_INCREF(args);
	buf_addc(r->out, '(');
	ret = repr_value(r, PyTuple_GET_ITEM(args, 0));
	buf_addc(r->out, ')');
	Py_DECREF(args);
	return ret;
}

static int repr_set(struct repr *r, PyObject *v)
{
	char *open = PySet_CheckExact(v) ? mem_str("{") : mem_fmt("%s({", Py_TYPE(v)->tp_name);
	int ret = repr_container(r, v, open, PySet_CheckExact(v) ? "}" : "})");

	free(open);
	return ret;
}

/* Writes what CPython's own repr of a type writes, for values of that type and of derived types without another
   repr. */
static int repr_value(struct repr *r, PyObject *v)
{
	reprfunc repr = Py_TYPE(v)->tp_repr;

	if (repr == PyList_Type.tp_repr && PyList_Check(v))
		return repr_container(r, v, "[", "]");
	if (repr == PyTuple_Type.tp_repr && PyTuple_Check(v))
		return repr_container(r, v, "(", ")");
	if (repr == PyDict_Type.tp_repr && PyDict_Check(v))
		return repr_container(r, v, "{", "}");
	if (repr == PySet_Type.tp_repr && PyAnySet_Check(v) && PySet_GET_SIZE(v))
		return repr_set(r, v);
	if (Py_IS_TYPE(v, &PyDictKeys_Type))
		return repr_container(r, v, "dict_keys([", "])");
	if (Py_IS_TYPE(v, &PyDictValues_Type))
		return repr_container(r, v, "dict_values([", "])");
	if (Py_IS_TYPE(v, &PyDictItems_Type))
		return repr_container(r, v, "dict_items([", "])");
	if (!strcmp(Py_TYPE(v)->tp_name, "collections.deque"))
		return repr_deque(r, v);
	if (!strcmp(Py_TYPE(v)->tp_name, "collections.defaultdict"))
		return repr_defaultdict(r, v);
	if (PyExceptionInstance_Check(v) && repr == ((PyTypeObject *)PyExc_BaseException)->tp_repr)
		return repr_exception(r, v);
	return repr_leaf(r, v);
}

/* Cut to the bound, never through a character. */
static bool repr_cut(struct repr *r)
{
	size_t len;

	if (!repr_full(r))
		return r->cut;
	len = r->start + text_whole(r->out->s + r->start, r->max);
	r->out->len = len;
	r->out->s[len] = '\0';
	return true;
}

/* Common to value_repr() and value_str(): the pending exception of the program stays pending. */
static int repr_run(struct repr *r, PyObject *v, int (*work)(struct repr *, PyObject *), struct err *err)
{
	/* owned */
	PyObject *type, *value, *tb;
	int ret;

	PyErr_Fetch(&type, &value, &tb);
	Py_INCREF(v);
	ret = work(r, v);
	if (ret < 0) {
		err_from_python(err, NULL);
		r->out->len = r->start;
		if (r->out->s)
			r->out->s[r->start] = '\0';
	}
	Py_DECREF(v);
	PyErr_Restore(type, value, tb);
	return ret;
}

int value_repr(struct py_obj *v, struct buf *out, size_t max, bool *cut, struct err *err)
{
	struct repr r = { .out = out, .start = out->len, .max = max };
	int ret = repr_run(&r, (PyObject *)v, repr_value, err);
	bool more = repr_cut(&r);

	if (cut)
		*cut = more;
	return ret;
}

static int str_value(struct repr *r, PyObject *v)
{
	PyObject *text = PyObject_Str(v); /* a str is its own: no copy */
	int ret = repr_add(r, text);

	Py_XDECREF(text);
	return ret;
}

int value_str(struct py_obj *v, struct buf *out, size_t max, struct err *err)
{
	struct repr r = { .out = out, .start = out->len, .max = max };
	int ret = repr_run(&r, (PyObject *)v, str_value, err);

	repr_cut(&r);
	return ret;
}

struct py_obj *value_attr(struct py_obj *v, const char *name)
{
	PyObject *type, *value, *tb, *attr;

	PyErr_Fetch(&type, &value, &tb);
	attr = PyObject_GetAttrString((PyObject *)v, name);
	PyErr_Clear();
	PyErr_Restore(type, value, tb);
	return (struct py_obj *)attr;
}

int err_from_python(struct err *err, const char *what)
{
	PyObject *type, *value, *tb, *text;
	struct buf b = { 0 };

	PyErr_Fetch(&type, &value, &tb);
	PyErr_NormalizeException(&type, &value, &tb);
	if (what)
		buf_addf(&b, "%s: ", what);
	buf_adds(&b, value ? value_type((struct py_obj *)value) : "unknown error");
	text = value ? PyObject_Str(value) : NULL;
	if (text && PyUnicode_GET_LENGTH(text)) {
		buf_adds(&b, ": ");
		value_text((struct py_obj *)text, &b, sizeof(err->text));
	}
	PyErr_Clear();
	err_set(err, "%s", buf_str(&b));
	buf_release(&b);
	Py_XDECREF(text);
	Py_XDECREF(type);
	Py_XDECREF(value);
	Py_XDECREF(tb);
	return -1;
}
