/* SPDX-License-Identifier: BSD-3-Clause */
/* Which constants have a literal that compiles to the very same value, and that literal.  Runs none of the program's
   code. */
#include <Python.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "py/asm/asm_impl.h"
#include "py/decompile/tree/dec.h"

enum { BITS_MAX = 10000 };

bool dec_is_literal(PyObject *v)
{
	Py_ssize_t i;

	dec_deep();
	if (v == Py_None || v == Py_Ellipsis || PyBool_Check(v) || PyUnicode_CheckExact(v) || PyBytes_CheckExact(v))
		return true;
	if (PyLong_CheckExact(v))
		return _PyLong_NumBits(v) < BITS_MAX;
	if (PyFloat_CheckExact(v))
		return isfinite(PyFloat_AS_DOUBLE(v));
	if (PyComplex_CheckExact(v)) { /* any other is an operation, whose zeros may have other signs */
		Py_complex z = PyComplex_AsCComplex(v);

		return z.real == 0 && !signbit(z.real) && isfinite(z.imag) && !signbit(z.imag);
	}
	if (!PyTuple_CheckExact(v))
		return false;
	for (i = 0; i < PyTuple_GET_SIZE(v); i++)
		if (!dec_is_literal(PyTuple_GET_ITEM(v, i)))
			return false;
	return true;
}

static void string(PyObject *v, struct buf *out)
{
	Py_ssize_t i, n = PyUnicode_GET_LENGTH(v);
	bool single = PyUnicode_FindChar(v, '\'', 0, n, 1) >= 0, twice = PyUnicode_FindChar(v, '"', 0, n, 1) >= 0;
	const char quote = single && !twice ? '"' : '\'';
	char u[8];

	buf_addc(out, quote);
	for (i = 0; i < n; i++) {
		Py_UCS4 c = PyUnicode_READ_CHAR(v, i);

		if (c == (Py_UCS4)quote || c == '\\')
			buf_addf(out, "\\%c", (int)c);
		else if (c == '\n')
			buf_adds(out, "\\n");
		else if (c == '\t')
			buf_adds(out, "\\t");
		else if (c < 0x20 || c == 0x7f)
			buf_addf(out, "\\x%02x", (unsigned)c);
		else if (c < 0x7f)
			buf_addc(out, (char)c);
		else if (Py_UNICODE_ISPRINTABLE(c) && !(c >= 0xd800 && c < 0xe000))
			buf_add(out, u, text_encode(u, c));
		else if (c > 0xffff)
			buf_addf(out, "\\U%08x", (unsigned)c);
		else
			buf_addf(out, "\\u%04x", (unsigned)c);
	}
	buf_addc(out, quote);
}

static void bytes(PyObject *v, struct buf *out)
{
	const unsigned char *s = (const unsigned char *)PyBytes_AS_STRING(v);
	Py_ssize_t i;

	buf_adds(out, "b'");
	for (i = 0; i < PyBytes_GET_SIZE(v); i++)
		if (s[i] == '\'' || s[i] == '\\')
			buf_addf(out, "\\%c", s[i]);
		else if (s[i] < 0x20 || s[i] >= 0x7f)
			buf_addf(out, "\\x%02x", s[i]);
		else
			buf_addc(out, (char)s[i]);
	buf_addc(out, '\'');
}

static void by_repr(PyObject *v, struct buf *out)
{
	PyObject *text = PyObject_Repr(v); /* of an int, float or complex itself: CPython's own code */
	const char *s = text ? PyUnicode_AsUTF8(text) : NULL;

	buf_adds(out, s ? s : "None");
	PyErr_Clear();
	Py_XDECREF(text);
}

void dec_literal(PyObject *v, struct buf *out)
{
	Py_ssize_t i;

	if (v == Py_Ellipsis) {
		buf_adds(out, "...");
	} else if (PyUnicode_CheckExact(v)) {
		string(v, out);
	} else if (PyBytes_CheckExact(v)) {
		bytes(v, out);
	} else if (PyLong_CheckExact(v) && _PyLong_NumBits(v) > 4000) { /* beyond what int() and repr() take */
		PyObject *hex = PyNumber_ToBase(v, 16);

		buf_adds(out, hex ? PyUnicode_AsUTF8(hex) : "0");
		Py_XDECREF(hex);
	} else if (PyTuple_CheckExact(v)) {
		buf_addc(out, '(');
		for (i = 0; i < PyTuple_GET_SIZE(v); i++) {
			buf_adds(out, i ? ", " : "");
			dec_literal(PyTuple_GET_ITEM(v, i), out);
		}
		buf_adds(out, i == 1 ? ",)" : ")");
	} else {
		by_repr(v, out);
	}
}

bool dec_is_identifier(PyObject *name)
{
	static PyObject *keywords; /* of the keyword module; owned for good */
	PyObject *m, *list;
	int yes;

	if (!PyUnicode_Check(name) || !PyUnicode_IsIdentifier(name))
		return false;
	if (!keywords) {
		m = PyImport_ImportModuleLevel("keyword", NULL, NULL, NULL, 0);
		list = m ? PyObject_GetAttrString(m, "kwlist") : NULL;
		keywords = list ? PyFrozenSet_New(list) : NULL;
		Py_XDECREF(list);
		Py_XDECREF(m);
	}
	yes = keywords ? PySet_Contains(keywords, name) : 0;
	PyErr_Clear();
	return !yes && PyUnicode_CompareWithASCIIString(name, "__debug__");
}

/* ---- docstrings --------------------------------------------------------------------------------- */

bool literal_doc_margin_goes(void)
{
	return op_named("CALL_KW") >= 0;
}

/* A text that CPython 3.13 and later would not change, which remove its indentation. */
bool literal_doc_is_plain(PyObject *doc)
{
	const char *s = PyUnicode_CheckExact(doc) ? PyUnicode_AsUTF8(doc) : NULL, *line;
	bool margin = false;

	PyErr_Clear();
	if (!literal_doc_margin_goes())
		return PyUnicode_CheckExact(doc);
	if (!s || *s == ' ' || strchr(s, '\t') || strchr(s, '\r'))
		return false;
	for (line = strchr(s, '\n'); line; line = strchr(line + 1, '\n'))
		margin = margin || (line[1] && line[1] != ' ' && line[1] != '\n');
	return margin || !strchr(s, '\n');
}

/* The first constant of a function is its docstring, if it is a str; from 3.14 on a flag marks it. */
static PyObject *doc_constant(PyObject *code)
{
	const PyCodeObject *co = (const PyCodeObject *)code;
	const int has_doc = 0x4000000;
	const bool flagged = py_facts.function_parts >= 16;
	PyObject *doc = PyTuple_GET_SIZE(co->co_consts) ? PyTuple_GET_ITEM(co->co_consts, 0) : NULL;

	return !doc || !PyUnicode_CheckExact(doc) || (flagged && !(co->co_flags & has_doc)) ? NULL : doc;
}

bool literal_doc_has_text(PyObject *code)
{
	PyObject *doc = doc_constant(code);

	return !doc || literal_doc_is_plain(doc);
}

PyObject *literal_doc_of(struct dec *d, PyObject *code)
{
	PyObject *doc = doc_constant(code);

	if (doc && !literal_doc_is_plain(doc))
		dec_refuse(d, -1, "a docstring that is indented");
	return doc;
}

PyObject *literal_doc_of_function(PyObject *function)
{
	PyObject *doc = ((PyFunctionObject *)function)->func_doc;

	return doc && PyUnicode_CheckExact(doc) && literal_doc_is_plain(doc) ? doc : NULL;
}

static PyObject *literal_text(PyObject *v)
{
	struct buf b = { NULL, 0, 0 };
	PyObject *text;

	dec_literal(v, &b);
	text = PyUnicode_FromStringAndSize(buf_str(&b), (Py_ssize_t)b.len);
	buf_release(&b);
	return text;
}

/* The literals of the elements in their order, or where they have none, in that of the texts; NULL: not all are. */
static PyObject *element_texts(PyObject *list)
{
	const bool ordered = PyList_Sort(list) == 0;
	Py_ssize_t i;

	PyErr_Clear();
	for (i = 0; i < PyList_GET_SIZE(list); i++) {
		PyObject *text = literal_text(PyList_GET_ITEM(list, i));

		if (!text || PyList_SetItem(list, i, text) < 0)
			return NULL;
	}
	return ordered || PyList_Sort(list) == 0 ? list : NULL;
}

bool dec_set_literal(PyObject *v, struct buf *out)
{
	PyObject *list = PyFrozenSet_CheckExact(v) && PySet_GET_SIZE(v) ? PySequence_List(v) : NULL, *texts;
	bool literal = list != NULL;
	Py_ssize_t i;

	for (i = 0; literal && i < PyList_GET_SIZE(list); i++)
		literal = dec_is_literal(PyList_GET_ITEM(list, i));
	texts = literal ? element_texts(list) : NULL;
	for (i = 0; texts && i < PyList_GET_SIZE(texts); i++)
		buf_addf(out, "%s%s", i ? ", " : "{", PyUnicode_AsUTF8(PyList_GET_ITEM(texts, i)));
	if (texts)
		buf_addc(out, '}');
	PyErr_Clear();
	Py_XDECREF(list);
	return texts != NULL;
}
