/* SPDX-License-Identifier: BSD-3-Clause */
/* graph save: a captured graph as a program of its own that compares a backend with eager.  graph_save.py writes it. */
#include "cmd/graph_run.h"
#include "cmd/graph_subject.h"
#include "model/dynamo_cache.h"
#include "model/entry.h"
#include "model/graph.h"
#include "torch/py_text.h"
#include <stdlib.h>
#include <string.h>

char *graph_take_file(const char **args)
{
	struct buf name = { 0 };
	const char *p = *args, *home = getenv("HOME");
	bool in_home = home && !strncmp(p, "~/", 2);
	char *file;

	if (*p == '"' && strchr(p + 1, '"')) {
		for (p++; *p && *p != '"'; p++)
			buf_addc(&name, *p == '\\' && (p[1] == '"' || p[1] == '\\') ? *++p : *p);
		p += *p == '"';
	} else {
		buf_add(&name, p, strcspn(p, " \t"));
		p += name.len;
	}
	*args = p + strspn(p, " \t");
	file = in_home ? mem_fmt("%s%s", home, buf_str(&name) + 1) : mem_str(buf_str(&name));
	buf_release(&name);
	return file;
}

void graph_report_saved(PyObject *r, Py_ssize_t at, const char *path, struct buf *out)
{
	const char *inputs = row_text(r, at + 1);
	PyObject *notes = row_cell(r, at + 2);
	Py_ssize_t i;

	buf_addf(out, "%lld bytes written to %s", PyLong_AsLongLong(row_cell(r, at)), path);
	if (inputs)
		buf_addf(out, ", large inputs to %s", inputs);
	buf_addf(out, "\n");
	for (i = 0; PyList_Check(notes) && i < PyList_GET_SIZE(notes); i++)
		buf_addf(out, "note: %s\n", utf8_of(PyList_GET_ITEM(notes, i)));
	PyErr_Clear();
}

/* write_beside(path, fill): calls fill(descriptor) for a new file; None: the file has its name, else the error's text.
   fill() returns the errno of a write that failed, or None. */
static PyObject *write_beside(PyObject *self, PyObject *args)
{
	PyObject *path = NULL, *fill, *failed; /* owned: path, failed */
	struct file_out f;
	struct err err = { "" };
	int ret;

	(void)self;
	if (!PyArg_ParseTuple(args, "O&O", PyUnicode_FSConverter, &path, &fill))
		return NULL;
	ret = file_begin(&f, PyBytes_AS_STRING(path), 0666, &err);
	Py_DECREF(path);
	if (ret == 0) {
		failed = PyObject_CallFunction(fill, "i", f.fd);
		if (failed == Py_None) {
			ret = file_commit(&f, &err);
		} else {
			if (failed)
				ret = file_failed(&f, (int)PyLong_AsLong(failed), &err);
			file_discard(&f);
		}
		Py_XDECREF(failed);
		if (!failed)
			return NULL;
	}
	return ret == 0 ? Py_NewRef(Py_None) : PyUnicode_DecodeUTF8(err.text, (Py_ssize_t)strlen(err.text), "replace");
}

static PyMethodDef write_beside_def = { "cdbg_write_beside", write_beside, METH_VARARGS, NULL };

bool graph_writer_used(void)
{
	static bool told;
	PyObject *fn = told ? NULL : PyCFunction_New(&write_beside_def, NULL);
	PyObject *done = fn ? graph_call("graph_save", "use_writer", PyTuple_Pack(1, fn)) : NULL;

	told = told || done;
	Py_XDECREF(done);
	Py_XDECREF(fn);
	return told;
}

int graph_save_command(const char *args, struct reply *out, struct err *err)
{
	char *path = graph_take_file(&args), *title;
	struct graph_args a;
	struct graph_subject s;
	PyObject *r = NULL, *backend = NULL;
	int ret = -1;

	if (!*path || graph_args_read(args, true, &a, err) < 0) {
		if (!*path)
			err_set(err, "missing file name; usage: graph save FILE [-backward] [-tol RTOL ATOL] [ENTRY] "
				     "[with NAME=EXPR ...]");
		free(path);
		return -1;
	}
	if (graph_subject_find(&a, &s, err) == 0) {
		backend = model_backend(s.entry);
		title = mem_fmt("Graph %s of %s.", s.graph->name, s.entry->title ? s.entry->title : s.entry->id);
		r = !graph_writer_used() ?
			    NULL :
			    graph_call("graph_save", "graph_save",
				       Py_BuildValue("(OOsOsON)", s.kept, s.inputs, path, backend ? backend : Py_None,
						     title, a.backward ? Py_True : Py_False, graph_tolerance(&a)));
		ret = r ? 0 : graph_raised("the graph cannot be saved", err);
		free(title);
	}
	if (r) {
		graph_report_saved(r, 0, path, &out->text);
		graph_subject_tell_whole(&s, &out->text);
	}
	PyErr_Clear();
	Py_XDECREF(backend);
	Py_XDECREF(r);
	graph_subject_release(&s);
	graph_args_release(&a);
	free(path);
	return ret;
}
