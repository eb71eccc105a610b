/* SPDX-License-Identifier: BSD-3-Clause */
/* Python strings as C text.  A C text ends at its first NUL and holds UTF-8 only, a str may hold NULs and lone
   surrogates: these are written as Python writes them in a literal, so that nothing is lost.  Knows no stop. */
#include <Python.h>
#include <string.h>
#include "base/buf.h"
#include "base/visible.h"
#include "py/value/value.h"

/* The bytes of UTF-8 with each NUL as \x00. */
static void add_bytes(struct buf *out, const char *s, size_t n)
{
	size_t k;

	for (; (k = strnlen(s, n)) < n; s += k + 1, n -= k + 1) {
		buf_add(out, s, k);
		buf_adds(out, "\\x00");
	}
	buf_add(out, s, n);
}

/* The first `keep` characters; a new reference, NULL with the exception cleared. */
static PyObject *start_of(PyObject *text, size_t keep)
{
	PyObject *part = (size_t)PyUnicode_GET_LENGTH(text) <= keep ? Py_NewRef(text) :
								      PyUnicode_Substring(text, 0, (Py_ssize_t)keep);

	if (!part)
		PyErr_Clear();
	return part;
}

bool value_text(struct py_obj *text, struct buf *out, size_t max)
{
	/* owned; a pending exception stays pending */
	PyObject *type, *value, *tb, *part, *bytes = NULL;
	size_t from = out->len, end;
	bool whole = false;

	if (!text || !PyUnicode_Check((PyObject *)text)) {
		buf_adds(out, "?");
		return false;
	}
	PyErr_Fetch(&type, &value, &tb);
	part = start_of((PyObject *)text, max); /* not a copy of the whole text, which may have gigabytes */
	bytes = part ? PyUnicode_AsEncodedString(part, "utf-8", "backslashreplace") : NULL;
	if (bytes) {
		add_bytes(out, PyBytes_AS_STRING(bytes), (size_t)PyBytes_GET_SIZE(bytes));
		whole = out->len - from <= max && PyUnicode_GET_LENGTH(part) == PyUnicode_GET_LENGTH((PyObject *)text);
	}
	if (out->len - from > max) { /* never through a character */
		end = from + text_whole(out->s + from, max);
		out->len = end;
		out->s[end] = '\0';
	}
	Py_XDECREF(bytes);
	Py_XDECREF(part);
	PyErr_Clear();
	PyErr_Restore(type, value, tb);
	return whole;
}

/* Names that had to be rewritten: str to bytes. They are few, and are never freed. */
static const char *rewritten(PyObject *name)
{
	static PyObject *known;
	/* owned */
	PyObject *type, *value, *tb, *key, *bytes = NULL;
	/* borrowed */
	PyObject *found;
	struct buf raw = { 0 }, text = { 0 };
	const char *s = "?";

	PyErr_Fetch(&type, &value, &tb);
	if (!known)
		known = PyDict_New();
	key = PyUnicode_FromObject(name); /* not of a subclass, because the program defines its hash */
	found = known && key ? PyDict_GetItemWithError(known, key) : NULL;
	if (!found && known && key) {
		value_text((struct py_obj *)key, &raw, SIZE_MAX / 2);
		visible_add(&text, buf_str(&raw), raw.len, false);
		bytes = PyBytes_FromStringAndSize(buf_str(&text), (Py_ssize_t)text.len);
		if (bytes && PyDict_SetItem(known, key, bytes) == 0)
			found = bytes;
		buf_release(&raw);
		buf_release(&text);
	}
	if (found)
		s = PyBytes_AS_STRING(found);
	Py_XDECREF(bytes);
	Py_XDECREF(key);
	PyErr_Clear();
	PyErr_Restore(type, value, tb);
	return s;
}

const char *value_name(struct py_obj *name)
{
	PyObject *type, *value, *tb;
	const char *s;
	Py_ssize_t n;

	if (!name || !PyUnicode_Check((PyObject *)name))
		return "?";
	if (PyUnicode_IS_COMPACT_ASCII((PyObject *)name)) {
		s = PyUnicode_DATA((PyObject *)name);
		n = PyUnicode_GET_LENGTH((PyObject *)name);
	} else {
		PyErr_Fetch(&type, &value, &tb);
		s = PyUnicode_AsUTF8AndSize((PyObject *)name, &n);
		PyErr_Clear();
		PyErr_Restore(type, value, tb);
	}
	return s && visible_is(s, (size_t)n) ? s : rewritten((PyObject *)name);
}
