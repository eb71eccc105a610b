/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows of inductor's code: see dynamo_code.h. */
#include "code/dynamo_code.h"
#include "model/wrapper_text.h"
#include "torch/py_text.h"
#include <ctype.h>
#include <string.h>

/* None where there is none. */
static PyObject *text_of(struct piece p)
{
	return p.n ? PyUnicode_FromStringAndSize(p.s, (Py_ssize_t)p.n) : Py_NewRef(Py_None);
}

static PyObject *written_of(const struct wrapper_kernel *k)
{
	PyObject *list = k->nargs < 0 ? Py_NewRef(Py_None) : PyList_New(k->nargs);
	int i;

	for (i = 0; list && i < k->nargs; i++)
		PyList_SET_ITEM(list, i, PyBool_FromLong(k->written[i]));
	return list;
}

static PyObject *kernels_of(const struct wrapper_text *w)
{
	PyObject *all = PyDict_New(), *name, *row;
	int i;

	for (i = 0; all && i < w->nkernels; i++) {
		name = text_of(w->kernel[i].name);
		row = Py_BuildValue("{s:N,s:N}", "source", text_of(w->kernel[i].source), "written",
				    written_of(&w->kernel[i]));
		if (!name || !row || PyDict_SetItem(all, name, row) < 0)
			Py_CLEAR(all);
		Py_XDECREF(row);
		Py_XDECREF(name);
	}
	return all;
}

static int list_add(PyObject *list, struct piece p)
{
	PyObject *text = text_of(p);
	int ret = text ? PyList_Append(list, text) : -1;

	Py_XDECREF(text);
	return ret;
}

/* The variables that a statement names; attributes are none. */
static PyObject *reads_of(const struct wrapper_statement *s)
{
	PyObject *list = PyList_New(0);
	const char *p = s->text.s, *end = p + s->text.n;
	size_t n;

	for (; list && p < end && !py_text_begins_with(s->text.s, "del "); p += n ? n : 1) {
		n = py_text_word(p);
		if (n && !isdigit((unsigned char)*p) && (p == s->text.s || p[-1] != '.') &&
		    list_add(list, (struct piece){ p, n }) < 0)
			Py_CLEAR(list);
	}
	return list;
}

static PyObject *writes_of(const struct wrapper_statement *s)
{
	PyObject *list = PyList_New(0);
	int i;

	for (i = 0; list && i < s->nwrites; i++)
		if (list_add(list, s->write[i]) < 0)
			Py_CLEAR(list);
	return list;
}

static PyObject *row_of(const struct wrapper_statement *s)
{
	bool view = s->kind == WRAPPER_MEMORY && s->base.n;

	return Py_BuildValue("{s:i,s:N,s:N,s:N,s:N,s:N,s:N,s:N,s:N}", "line", s->line, "function", text_of(s->function),
			     "called", text_of(s->called), "kernel",
			     PyBool_FromLong(s->kernel && s->kernel->nargs >= 0), "part",
			     PyBool_FromLong(s->kind == WRAPPER_PART), "writes", writes_of(s), "reads", reads_of(s),
			     "in_place", text_of(s->in_place), "view",
			     view ? Py_BuildValue("(NN)", text_of(s->target), text_of(s->base)) : Py_NewRef(Py_None));
}

static PyObject *wrapper_text(PyObject *self, PyObject *source)
{
	const char *text = PyUnicode_Check(source) ? PyUnicode_AsUTF8(source) : NULL;
	struct wrapper_text *w;
	PyObject *rows, *row, *r;
	int i;

	(void)self;
	if (!text)
		return PyErr_Occurred() ? NULL : PyErr_Format(PyExc_TypeError, "expected the text of a program");
	w = wrapper_text_read(text);
	rows = PyList_New(0);
	for (i = 0; rows && i < w->nstatements; i++) {
		row = row_of(&w->statement[i]);
		if (!row || PyList_Append(rows, row) < 0)
			Py_CLEAR(rows);
		Py_XDECREF(row);
	}
	r = rows ? Py_BuildValue("{s:N,s:N}", "kernels", kernels_of(w), "statements", rows) : NULL;
	wrapper_text_free(w);
	return r;
}

PyMethodDef wrapper_rows_def = { "wrapper_text", wrapper_text, METH_O, NULL };
