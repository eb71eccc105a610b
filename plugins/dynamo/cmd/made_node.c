/* SPDX-License-Identifier: BSD-3-Clause */
/* The node that makes the first NaN or Inf: see made_node.h.  Runs nothing. */
#include "cmd/made_node.h"
#include "cmd/graph_subject.h"
#include "model/source_line.h"
#include "torch/py_text.h"
#include <string.h>

/* The cells of an input, see about_input() in graph_made.py. */
enum { NAME, ELEMENTS, MIN, MAX, NAN_COUNT, INF_COUNT, ZEROS, NEGATIVES };

static long long count_in(PyObject *row, Py_ssize_t i)
{
	PyObject *v = row_cell(row, i);
	long long n = PyLong_Check(v) ? PyLong_AsLongLong(v) : -1;

	PyErr_Clear();
	return n;
}

bool made_node_read(PyObject *row, struct made_node *out)
{
	memset(out, 0, sizeof(*out));
	out->name = row_text(row, 0);
	out->nan = count_in(row, 1);
	out->inf = count_in(row, 2);
	out->elements = count_in(row, 3);
	out->inputs = row_cell(row, 4);
	out->first_nan = count_in(row, 5) & 1;
	out->first_inf = count_in(row, 5) & 2;
	return out->name && PyList_Check(out->inputs);
}

void made_node_place(struct made_node *m, const struct source_line *spot)
{
	m->file = spot ? spot->file : NULL;
	m->line = spot ? spot->line : 0;
}

static void add_figure(const char *before, PyObject *v, struct buf *out)
{
	if (PyFloat_Check(v))
		buf_addf(out, "%s%.4g", before, PyFloat_AS_DOUBLE(v));
	else if (PyBool_Check(v))
		buf_addf(out, "%s%s", before, v == Py_True ? "True" : "False");
	else if (PyLong_Check(v))
		buf_addf(out, "%s%lld", before, PyLong_AsLongLong(v));
	PyErr_Clear();
}

/* "b with min -3, max 3.8, 58 negative, 0 NaN, 0 Inf", "b = -3"; without figures "b". */
static void add_input(PyObject *row, struct buf *out)
{
	static const char *const counted[] = { "NaN", "Inf", "zero", "negative" };
	static const int order[] = { NEGATIVES, ZEROS, NAN_COUNT, INF_COUNT };
	const char *name = row_text(row, NAME);
	struct buf with = { 0 };
	size_t i;

	buf_adds(out, name ? name : "?");
	if (count_in(row, ELEMENTS) == 1 && row_cell(row, MIN) != Py_None) {
		add_figure(" = ", row_cell(row, MIN), out);
		return;
	}
	add_figure(", min ", row_cell(row, MIN), &with);
	add_figure(", max ", row_cell(row, MAX), &with);
	for (i = 0; i < sizeof(order) / sizeof(*order); i++)
		if (count_in(row, order[i]) >= 0)
			buf_addf(&with, ", %lld %s", count_in(row, order[i]), counted[order[i] - NAN_COUNT]);
	if (with.len)
		buf_addf(out, " with%s", with.s + 1);
	buf_release(&with);
}

void made_node_place_text(const char *file, int line, struct buf *out)
{
	const char *text = file ? host->source_line(file, line) : NULL;

	if (!file)
		return;
	buf_addf(out, " at %s:%d", text_file_name(file), line);
	text = text ? text + strspn(text, " \t") : "";
	if (*text)
		buf_addf(out, ", '%s'", text);
}

void made_node_first(const struct made_node *m, struct buf *out)
{
	Py_ssize_t i;

	buf_addf(out, " makes the first %s: ",
		 m->first_nan && m->first_inf ? "NaN and Inf" :
		 m->first_nan		      ? "NaN" :
						"Inf");
	if (m->nan && m->inf)
		buf_addf(out, "%lld NaN and %lld Inf", m->nan, m->inf);
	else
		buf_addf(out, "%lld", m->nan + m->inf);
	buf_addf(out, " of %lld value%s", m->elements, m->elements == 1 ? "" : "s");
	made_node_place_text(m->file, m->line, out);
	for (i = 0; i < PyList_GET_SIZE(m->inputs); i++) {
		buf_adds(out, i ? " and " : ", of ");
		add_input(PyList_GET_ITEM(m->inputs, i), out);
	}
}

static void put_figure(struct val *map, const char *name, PyObject *v)
{
	val_put(map, name,
		PyBool_Check(v)	   ? val_bool(v == Py_True) :
		PyLong_Check(v)	   ? val_int(PyLong_AsLongLong(v)) :
		PyFloat_Check(v)   ? val_real(PyFloat_AS_DOUBLE(v)) :
		PyUnicode_Check(v) ? val_str(utf8_of(v)) :
				     val_null());
	PyErr_Clear();
}

void made_node_put(const struct made_node *m, struct val *map)
{
	static const char *const cells[] = { "node", "elements", "min", "max", "nan", "inf", "zeros", "negatives" };
	const char *text = m->file ? host->source_line(m->file, m->line) : NULL;
	struct val *inputs = val_list(), *each;
	Py_ssize_t i, k;

	val_put(map, "node", val_str(m->name));
	val_put(map, "nan", val_int(m->nan));
	val_put(map, "inf", val_int(m->inf));
	val_put(map, "elements", val_int(m->elements));
	val_put(map, "file", m->file ? val_str(m->file) : val_null());
	val_put(map, "line", m->file ? val_int(m->line) : val_null());
	val_put(map, "text", text ? val_str(text + strspn(text, " \t")) : val_null());
	for (i = 0; i < PyList_GET_SIZE(m->inputs); i++) {
		each = val_map();
		for (k = 0; k <= NEGATIVES; k++)
			put_figure(each, cells[k], row_cell(PyList_GET_ITEM(m->inputs, i), k));
		val_push(inputs, each);
	}
	val_put(map, "inputs", inputs);
}
