/* SPDX-License-Identifier: BSD-3-Clause */
/* graph reduce and graph recompile: makes a graph smaller while its error remains, and makes its stages again.
   graph_reduce.py does both. */
#include "cmd/graph_run.h"
#include "cmd/graph_stage.h"
#include "cmd/graph_subject.h"
#include "model/entry.h"
#include "model/graph.h"
#include "model/stages.h"
#include "torch/py_text.h"
#include <stdlib.h>
#include <string.h>

enum { TRIES_MOST = 24 }; /* compiles of one reduction */

int graph_reduce_command(const char *args, struct reply *out, struct err *err)
{
	char *path = graph_take_file(&args), *title;
	struct graph_args a;
	struct graph_subject s;
	PyObject *r = NULL, *backend = NULL;
	int ret = -1;

	if (!*path || graph_args_read(args, true, &a, err) < 0) {
		if (!*path)
			err_set(err, "missing file name; usage: graph reduce FILE [-backward] [-f] [-tol RTOL ATOL] "
				     "[ENTRY] [with NAME=EXPR ...]");
		free(path);
		return -1;
	}
	if (graph_subject_find(&a, &s, err) == 0) {
		backend = graph_backend(&s, err);
		title = mem_fmt("A part of graph %s of %s.", s.graph->name,
				s.entry->title ? s.entry->title : s.entry->id);
		if (backend && graph_writer_used())
			r = graph_call("graph_reduce",
				       Py_BuildValue("(OOsOsiOON)", s.kept, s.inputs, path, backend, title, TRIES_MOST,
						     a.backward ? Py_True : Py_False, a.large ? Py_True : Py_False,
						     graph_tolerance(&a)));
		if (backend)
			ret = r ? 0 : graph_raised("the graph cannot be reduced", err);
		free(title);
	}
	if (r) {
		buf_addf(&out->text, "reduced from %lld to %lld nodes by %lld compiles; ",
			 PyLong_AsLongLong(row_cell(r, 0)), PyLong_AsLongLong(row_cell(r, 1)),
			 PyLong_AsLongLong(row_cell(r, 2)));
		graph_report_saved(r, 3, path, &out->text);
	}
	PyErr_Clear();
	Py_XDECREF(r);
	Py_XDECREF(backend);
	graph_subject_release(&s);
	graph_args_release(&a);
	free(path);
	return ret;
}

/* Names of the graph's stages: a new list. */
static PyObject *stage_names(const struct graph_subject *s)
{
	PyObject *list = PyList_New(0), *name;
	const struct stage *each;

	for (each = stages_of(s->entry); list && each; each = each->next) {
		name = strcmp(each->graph, s->graph->full) ? NULL : PyUnicode_FromString(each->name);
		if (name)
			PyList_Append(list, name);
		Py_XDECREF(name);
	}
	PyErr_Clear();
	return list;
}

/* ---- graph recompile ------------------------------------------------------------------------------------------- */

int graph_recompile_command(const char *args, struct reply *out, struct err *err)
{
	struct graph_args a;
	struct graph_subject s;
	struct buf stages = { 0 };
	PyObject *r = NULL, *backend = NULL;
	int ret = -1;

	if (graph_args_read(args, true, &a, err) < 0)
		return -1;
	if (graph_subject_find(&a, &s, err) == 0) {
		backend = graph_backend(&s, err);
		if (backend)
			r = graph_call("graph_recompile",
				       Py_BuildValue("(OOOON)", s.kept, backend, s.inputs,
						     a.backward ? Py_True : Py_False, stage_names(&s)));
		if (backend)
			ret = r ? 0 : graph_raised("the graph cannot be compiled again", err);
	}
	if (r) {
		graph_put_stages(&s, r, &stages);
		if (stages.len)
			buf_addf(&out->text, "stages of %s made again: %s\n", s.graph->name, stages.s);
		else
			buf_addf(&out->text, "torch reports no stages of this backend\n");
		buf_release(&stages);
	}
	PyErr_Clear();
	Py_XDECREF(r);
	Py_XDECREF(backend);
	graph_subject_release(&s);
	graph_args_release(&a);
	return ret;
}
