/* SPDX-License-Identifier: BSD-3-Clause */
/* Values as the program would print them: its own repr and str, bounded, their exceptions caught.  Containers of
   exact built-in types are walked here, as far as the bound goes and no further. */
#include <Python.h>
#include <stdlib.h>
#include <string.h>
#include "base/buf.h"
#include "base/err.h"
#include "py/value.h"

#define NESTED_MAX 200                       /* deeper than what anybody reads, shallower than the C stack */

struct repr {
	struct buf *out;
	size_t start, max;
	int nested;
	bool cut;                            /* something was left out */
};

static int repr_value(struct repr *r, PyObject *v);

static bool repr_full(const struct repr *r)
{
	return r->out->len - r->start > r->max;
}

static int repr_add(struct repr *r, PyObject *text)
{
	Py_ssize_t n;
	const char *s = text ? PyUnicode_AsUTF8AndSize(text, &n) : NULL;
	PyObject *bytes;

	if (text && !s) {                    /* lone surrogates */
		PyErr_Clear();
		bytes = PyUnicode_AsEncodedString(text, "utf-8", "backslashreplace");
		if (bytes)
			buf_add(r->out, PyBytes_AS_STRING(bytes), (size_t)PyBytes_GET_SIZE(bytes));
		Py_XDECREF(bytes);
		return bytes ? 0 : -1;
	}
	if (s)
		buf_add(r->out, s, (size_t)n);
	return s ? 0 : -1;
}

static int repr_leaf(struct repr *r, PyObject *v)
{
	size_t keep = r->max + 1;
	PyObject *part, *text;
	int ret;

	if (PyUnicode_CheckExact(v) && (size_t)PyUnicode_GET_LENGTH(v) > keep)
		part = PyUnicode_Substring(v, 0, (Py_ssize_t)keep);
	else if (PyBytes_CheckExact(v) && (size_t)PyBytes_GET_SIZE(v) > keep)
		part = PyBytes_FromStringAndSize(PyBytes_AS_STRING(v), (Py_ssize_t)keep);
	else
		part = Py_NewRef(v);
	text = part ? PyObject_Repr(part) : NULL;
	ret = repr_add(r, text);
	Py_XDECREF(part);
	Py_XDECREF(text);
	return ret;
}

/* The first items of a container, held: a repr may change the container.  Dicts give key, value, key, value. */
static PyObject *repr_items(struct repr *r, PyObject *v)
{
	Py_ssize_t most = (Py_ssize_t)(r->max / 2 + 2), pos = 0, i;
	PyObject *items, *iter, *key, *value;

	if (PyList_CheckExact(v))
		return PyList_GetSlice(v, 0, most);
	if (PyTuple_CheckExact(v))
		return PyTuple_GetSlice(v, 0, most);
	items = PyList_New(0);
	if (PyDict_CheckExact(v)) {
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
	bool dict = PyDict_CheckExact(v);

	for (i = 0; i < n && !repr_full(r); i++) {
		if (i)
			buf_adds(r->out, dict && i % 2 ? ": " : ", ");
		if (repr_value(r, PySequence_Fast_GET_ITEM(items, i)) < 0)
			return -1;
	}
	if (PyTuple_CheckExact(v) && n == 1)
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

static int repr_value(struct repr *r, PyObject *v)
{
	if (PyList_CheckExact(v))
		return repr_container(r, v, "[", "]");
	if (PyTuple_CheckExact(v))
		return repr_container(r, v, "(", ")");
	if (PyDict_CheckExact(v))
		return repr_container(r, v, "{", "}");
	if (PySet_CheckExact(v) && PySet_GET_SIZE(v))
		return repr_container(r, v, "{", "}");
	if (PyFrozenSet_CheckExact(v) && PySet_GET_SIZE(v))
		return repr_container(r, v, "frozenset({", "})");
	return repr_leaf(r, v);
}

/* Cut to the bound, never through a character. */
static bool repr_cut(struct repr *r)
{
	size_t len = r->start + r->max;

	if (!repr_full(r))
		return r->cut;
	while (len > r->start && ((unsigned char)r->out->s[len] & 0xC0) == 0x80)
		len--;
	r->out->len = len;
	r->out->s[len] = '\0';
	return true;
}

/* What either of them does around the work: the program's pending exception stays pending. */
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
	PyObject *text;
	int ret;

	if (PyUnicode_CheckExact(v) && (size_t)PyUnicode_GET_LENGTH(v) > r->max)
		text = PyUnicode_Substring(v, 0, (Py_ssize_t)r->max + 1);
	else
		text = PyObject_Str(v);
	ret = repr_add(r, text);
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

bool value_is_exception(struct py_obj *type, struct py_obj *wanted)
{
	return type && wanted && PyErr_GivenExceptionMatches((PyObject *)type, (PyObject *)wanted);
}

int err_from_python(struct err *err, const char *what)
{
	PyObject *type, *value, *tb, *text;
	struct buf b = { 0 };
	const char *s;

	PyErr_Fetch(&type, &value, &tb);
	PyErr_NormalizeException(&type, &value, &tb);
	if (what)
		buf_addf(&b, "%s: ", what);
	buf_adds(&b, value ? value_type((struct py_obj *)value) : "unknown error");
	text = value ? PyObject_Str(value) : NULL;
	s = text ? PyUnicode_AsUTF8(text) : NULL;
	if (s && *s)
		buf_addf(&b, ": %s", s);
	PyErr_Clear();
	err_set(err, "%s", buf_str(&b));
	buf_release(&b);
	Py_XDECREF(text);
	Py_XDECREF(type);
	Py_XDECREF(value);
	Py_XDECREF(tb);
	return -1;
}
