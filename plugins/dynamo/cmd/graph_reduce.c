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
			r = graph_call("graph_reduce", "graph_reduce",
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
		graph_subject_tell_whole(&s, &out->text);
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

/* Makes the stages of one graph again, and reports which. */
static int recompile(const struct graph_args *a, const struct graph_subject *s, PyObject *backend, struct buf *out,
		     struct err *err)
{
	struct buf stages = { 0 };
	PyObject *r = graph_call("graph_reduce", "graph_recompile",
				 Py_BuildValue("(OOOON)", s->kept, backend, s->inputs, a->backward ? Py_True : Py_False,
					       stage_names(s)));

	if (!r)
		return graph_raised("the graph cannot be compiled again", err);
	graph_put_stages(s, r, &stages);
	Py_DECREF(r);
	if (stages.len)
		buf_addf(out, "stages of %s made again: %s\n", s->graph->name, stages.s);
	else
		buf_addf(out, "torch reports no stages of this backend\n");
	buf_release(&stages);
	return 0;
}

static int recompile_parts(const struct graph_args *a, const struct graph_subject *s, PyObject *backend,
			   struct buf *out, struct err *err)
{
	struct graph *g = graphs_next_part(s->entry, s->graph, NULL);
	struct graph_subject part;
	int ret = 0;

	for (; ret == 0 && g; g = graphs_next_part(s->entry, s->graph, g)) {
		ret = graph_subject_part(s, g, &part, err);
		if (ret == 0) {
			ret = recompile(a, &part, backend, out, err);
			graph_subject_release(&part);
		}
	}
	return ret;
}

int graph_recompile_command(const char *args, struct reply *out, struct err *err)
{
	struct graph_args a;
	struct graph_subject s;
	PyObject *backend = NULL;
	int ret = -1;

	if (graph_args_read(args, true, &a, err) < 0)
		return -1;
	if (graph_subject_find(&a, &s, err) == 0) {
		backend = graph_backend(&s, err);
		if (backend && graphs_next_part(s.entry, s.graph, NULL))
			ret = recompile_parts(&a, &s, backend, &out->text, err);
		else if (backend)
			ret = recompile(&a, &s, backend, &out->text, err);
	}
	PyErr_Clear();
	Py_XDECREF(backend);
	graph_subject_release(&s);
	graph_args_release(&a);
	return ret;
}
