/* SPDX-License-Identifier: BSD-3-Clause */
/* The node that makes the first NaN or Inf: see made_node.h.  Runs nothing. */
#include "cmd/made_node.h"
#include "cmd/result.h"
#include "model/source_line.h"
#include "torch/py_text.h"
#include <string.h>

bool made_node_read(PyObject *row, struct made_node *out)
{
	memset(out, 0, sizeof(*out));
	out->name = result_text(row, "node");
	out->nan = result_int(row, "nan", 0);
	out->inf = result_int(row, "inf", 0);
	out->elements = result_int(row, "elements", 0);
	out->inputs = result_get(row, "inputs");
	out->first_nan = result_true(row, "first_nan");
	out->first_inf = result_true(row, "first_inf");
	return out->name;
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
	static const struct {
		const char *name, *words;
	} counts[] = { { "negatives", "negative" }, { "zeros", "zero" }, { "nan", "NaN" }, { "inf", "Inf" } };
	const char *name = result_text(row, "node");
	struct buf with = { 0 };
	long long n;
	size_t i;

	buf_adds(out, name ? name : "?");
	if (result_int(row, "elements", -1) == 1 && result_get(row, "min") != Py_None) {
		add_figure(" = ", result_get(row, "min"), out);
		return;
	}
	add_figure(", min ", result_get(row, "min"), &with);
	add_figure(", max ", result_get(row, "max"), &with);
	for (i = 0; i < sizeof(counts) / sizeof(*counts); i++) {
		n = result_int(row, counts[i].name, -1);
		if (n >= 0)
			buf_addf(&with, ", %lld %s", n, counts[i].words);
	}
	if (with.len)
		buf_addf(out, " with%s", with.s + 1);
	buf_release(&with);
}

void made_node_place_text(const char *file, int line, struct buf *out)
{
	const char *text = file ? host->files.line(file, line) : NULL;

	if (!file)
		return;
	buf_addf(out, " at %s:%d", py_text_file_name(file), line);
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
	for (i = 0; i < result_length(m->inputs); i++) {
		buf_adds(out, i ? " and " : ", of ");
		add_input(PyList_GET_ITEM(m->inputs, i), out);
	}
}

void made_node_put(const struct made_node *m, struct val *map)
{
	const char *text = m->file ? host->files.line(m->file, m->line) : NULL;

	val_put(map, "node", val_str(m->name));
	val_put(map, "nan", val_int(m->nan));
	val_put(map, "inf", val_int(m->inf));
	val_put(map, "elements", val_int(m->elements));
	val_put(map, "file", m->file ? val_str(m->file) : val_null());
	val_put(map, "line", m->file ? val_int(m->line) : val_null());
	val_put(map, "text", text ? val_str(text + strspn(text, " \t")) : val_null());
	val_put(map, "inputs", result_val(m->inputs));
}
