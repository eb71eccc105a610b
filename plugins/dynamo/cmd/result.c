/* SPDX-License-Identifier: BSD-3-Clause */
/* What a function of the Python package returns: see result.h.  Calls nothing of the package and does not know what it
   computes. */
#include "cmd/result.h"
#include "torch/py_text.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

PyObject *result_get(PyObject *dict, const char *name)
{
	PyObject *v = dict && PyDict_Check(dict) ? PyDict_GetItemString(dict, name) : NULL;

	return v ? v : Py_None;
}

const char *result_text(PyObject *dict, const char *name)
{
	PyObject *v = result_get(dict, name);

	return PyUnicode_Check(v) ? py_text_utf8(v) : NULL;
}

long long result_int(PyObject *dict, const char *name, long long absent)
{
	PyObject *v = result_get(dict, name);
	long long n = PyLong_Check(v) ? PyLong_AsLongLong(v) : absent;

	PyErr_Clear();
	return n;
}

double result_real(PyObject *dict, const char *name)
{
	PyObject *v = result_get(dict, name);

	return PyFloat_Check(v) ? PyFloat_AS_DOUBLE(v) : 0;
}

bool result_true(PyObject *dict, const char *name)
{
	return result_get(dict, name) == Py_True;
}

Py_ssize_t result_length(PyObject *list)
{
	return PyList_Check(list) ? PyList_GET_SIZE(list) : 0;
}

void result_lines(PyObject *list, const char *before, struct buf *out)
{
	const char *text;
	Py_ssize_t i;

	for (i = 0; i < result_length(list); i++) {
		text = py_text_utf8(PyList_GET_ITEM(list, i));
		buf_addf(out, "%s%s\n", before, text ? text : "?");
	}
	PyErr_Clear();
}

struct val *result_val(PyObject *v)
{
	PyObject *key, *item;
	Py_ssize_t i = 0;
	struct val *r;

	if (PyList_Check(v)) {
		for (r = val_list(); i < PyList_GET_SIZE(v); i++)
			val_push(r, result_val(PyList_GET_ITEM(v, i)));
	} else if (PyDict_Check(v)) {
		for (r = val_map(); PyDict_Next(v, &i, &key, &item);)
			val_put(r, py_text_utf8(key), result_val(item));
	} else {
		r = PyBool_Check(v)    ? val_bool(v == Py_True) :
		    PyLong_Check(v)    ? val_int(PyLong_AsLongLong(v)) :
		    PyFloat_Check(v)   ? val_real(PyFloat_AS_DOUBLE(v)) :
		    PyUnicode_Check(v) ? val_str(py_text_utf8(v)) :
					 val_null();
	}
	PyErr_Clear();
	return r;
}

/* ---- cells ------------------------------------------------------------------------------------------------------- */

void result_put_number(struct rows *out, const char *col, PyObject *v, const char *form, double scale)
{
	char shown[48];

	if (PyBool_Check(v)) {
		host->rows.flag(out, col, v == Py_True);
	} else if (PyLong_Check(v)) {
		host->rows.num(out, col, PyLong_AsLongLong(v));
	} else if (PyFloat_Check(v)) {
		host->rows.val(out, col, ROLE_NUMBER, val_real(PyFloat_AS_DOUBLE(v)));
		if (isnan(PyFloat_AS_DOUBLE(v)))
			snprintf(shown, sizeof(shown), "nan");
		else
			snprintf(shown, sizeof(shown), form, PyFloat_AS_DOUBLE(v) * scale);
		host->rows.shown(out, col, shown);
	}
	PyErr_Clear();
}

void result_put_place(struct rows *out, const char *file, long long line)
{
	char *shown;

	if (!file)
		return;
	if (line) {
		shown = mem_fmt("%s:%lld", py_text_file_name(file), line);
		host->rows.num(out, "line", line);
		host->rows.shown(out, "line", shown);
		free(shown);
	}
	host->rows.str(out, "file", ROLE_DIM, file);
}

/* It may be as long as a parameter's path. */
void result_put_node(struct rows *out, const char *name)
{
	struct buf shown = { 0 };

	if (!name)
		return;
	host->rows.str(out, "node", ROLE_NAME, name);
	host->rows.cut_name(&shown, name, 30);
	host->rows.shown(out, "node", shown.s);
	buf_release(&shown);
}

void result_put(struct rows *out, const struct result_col *cols, PyObject *row)
{
	PyObject *v;

	for (; cols->name; cols++) {
		if (!strcmp(cols->name, "line")) {
			result_put_place(out, result_text(row, "file"), result_int(row, "line", 0));
			continue;
		}
		v = result_get(row, cols->name);
		if (!PyUnicode_Check(v))
			result_put_number(out, cols->name, v, cols->form ? cols->form : "%g", 1);
		else if (!strcmp(cols->name, "node"))
			result_put_node(out, py_text_utf8(v));
		else
			host->rows.str(out, cols->name, cols->role, py_text_utf8(v));
	}
}

void result_rows(struct rows *out, const struct view_req *req, const struct result_col *cols, PyObject *answer,
		 const char *judged)
{
	PyObject *rows = result_get(answer, "rows"), *row;
	Py_ssize_t i;

	for (i = 0; i < result_length(rows); i++) {
		row = PyList_GET_ITEM(rows, i);
		if (!host->rows.want(out, req))
			continue;
		host->rows.add(out, result_get(row, judged) == Py_False ? MARK_ERROR : 0);
		result_put(out, cols, row);
	}
}
