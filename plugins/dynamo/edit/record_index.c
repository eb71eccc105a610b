/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds rows of a record: the call that made a guard, and the nodes that can have guards of a kind. */
#include "edit/dynamo_edit.h"
#include "edit/record_index.h"
#include "guards/guard_index.h"
#include "guards/guard_model.h"
#include <string.h>

static bool says(PyObject *args, const struct guard *g)
{
	PyObject *parts = guard_recorded_texts(args);
	struct buf text = { 0 };
	bool yes;

	if (!parts)
		return false;
	guard_parts(parts, &text, NULL);
	yes = !strcmp(buf_str(&text), g->text);
	buf_release(&text);
	return yes;
}

static bool is_whole(const char *method)
{
	return !strncmp(method, "install_", 8);
}

static void index_row(PyObject *index, PyObject *key, Py_ssize_t i)
{
	PyObject *list = PyDict_GetItemWithError(index, key), *number = PyLong_FromSsize_t(i);

	Py_XINCREF(list);
	if (!list && (list = PyList_New(0)))
		PyDict_SetItem(index, key, list);
	if (list && number)
		PyList_Append(list, number);
	Py_XDECREF(number);
	Py_XDECREF(list);
}

PyObject *record_index(PyObject *record)
{
	PyObject *index = PyDict_New(), *row, *source;
	const char *method;
	Py_ssize_t i;

	for (i = 0; index && i < PyList_GET_SIZE(record); i++) {
		row = PyList_GET_ITEM(record, i);
		method = PyUnicode_AsUTF8(PyTuple_GET_ITEM(row, ROW_METHOD));
		source = PyTuple_GET_ITEM(row, ROW_SOURCE);
		if (!method || source == Py_None || (!is_whole(method) && strncmp(method, "add_", 4)))
			continue;
		index_row(index, is_whole(method) ? Py_None : source, i);
		if (!is_whole(method) && record_index_node(row) == 0)
			index_row(index, Py_True, i);
	}
	PyErr_Clear();
	return index;
}

PyObject *record_index_rows(PyObject *index, const char *source)
{
	PyObject *key = !source ? Py_NewRef(Py_None) : *source ? PyUnicode_FromString(source) : Py_NewRef(Py_True);
	PyObject *list = index && key ? PyDict_GetItemWithError(index, key) : NULL;

	PyErr_Clear();
	Py_XDECREF(key);
	return list;
}

static int alike_before(const struct guard *g)
{
	int n, i, before = 0;
	const struct guard *const *same = guards_about(g->entry, g->source, &n);

	for (i = 0; i < n && same[i] != g; i++)
		before += !strcmp(same[i]->text, g->text);
	return before;
}

static Py_ssize_t row_at(PyObject *list, Py_ssize_t i)
{
	return list && i < PyList_GET_SIZE(list) ? PyLong_AsSsize_t(PyList_GET_ITEM(list, i)) : PY_SSIZE_T_MAX;
}

/* A guard is identified by its kind, its value and its text; equal ones by their order. */
Py_ssize_t record_index_find(PyObject *record, PyObject *index, const struct guard *g)
{
	PyObject *own = record_index_rows(index, g->source), *wholes = record_index_rows(index, NULL), *row;
	Py_ssize_t i = 0, k = 0, at;
	int before = alike_before(g);
	const char *method;

	for (; (at = row_at(own, i)) != PY_SSIZE_T_MAX || row_at(wholes, k) != PY_SSIZE_T_MAX;) {
		if (row_at(wholes, k) < at)
			at = row_at(wholes, k++);
		else
			i++;
		row = PyList_GET_ITEM(record, at);
		method = PyUnicode_AsUTF8(PyTuple_GET_ITEM(row, ROW_METHOD));
		if (g->epilogue == !!strstr(method, "epilogue") && says(PyTuple_GET_ITEM(row, ROW_ARGS), g) &&
		    (is_whole(method) || before-- == 0))
			return at;
	}
	PyErr_Clear();
	return -1;
}

Py_ssize_t record_index_node(PyObject *row)
{
	return PyLong_AsSsize_t(PyTuple_GET_ITEM(row, ROW_NODE));
}

bool record_index_takes_lambdas(PyObject *record, Py_ssize_t node)
{
	PyObject *row, *named, *kind, *name;
	const char *text;
	Py_ssize_t i;
	bool takes = true;

	for (i = 0; i < PyList_GET_SIZE(record); i++) {
		row = PyList_GET_ITEM(record, i);
		named = PyTuple_GET_ITEM(row, ROW_NAMED);
		if (named == Py_None || PyLong_AsSsize_t(PyTuple_GET_ITEM(row, ROW_RESULT)) != node)
			continue;
		kind = PyDict_GetItemString(named, "guard_manager_enum");
		name = kind ? PyObject_GetAttrString(kind, "name") : NULL;
		text = name && PyUnicode_Check(name) ? PyUnicode_AsUTF8(name) : NULL;
		takes = !text || strncmp(text, "DICT_", 5);
		Py_XDECREF(name);
		break;
	}
	PyErr_Clear();
	return takes;
}
