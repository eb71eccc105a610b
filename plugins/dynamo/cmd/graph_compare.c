/* SPDX-License-Identifier: BSD-3-Clause */
/* graph compare: the first wrong node of a compiled graph.  graph_compare.py finds it. */
#include "torch/cdbg_host.h"
#include "torch/py_text.h"
#include "model/dynamo_cache.h"
#include "model/entry.h"
#include "model/graph.h"
#include "cmd/entry_run.h"
#include "cmd/graph_run.h"
#include "cmd/graph_stage.h"
#include "cmd/graph_subject.h"
#include <string.h>

/* ---- graph compare ----------------------------------------------------------------------------------------- */

static const struct view_col compare_cols[] = {
	{ .name = "node", .help = "of the captured graph where one is known, else of the stage's graph" },
	{ .name = "stage",
	  .help = "kernel, kernel-backward: as inductor compiled it; forward, inference, joint, backward; "
		  "result; program: what the code that the program runs returns or writes, or a gradient by it, where "
		  "the graph compiled again is right" },
	{ .name = "target", .help = "the operation", .drop = 2 },
	{ .name = "line", .help = "the program's line" },
	{ .name = "file", .help = "of the line", .machine_only = true },
	{ .name = "kernel", .help = "that computes it", .drop = 1 },
	{ .name = "max_diff", .help = "largest difference from float64; NaN: finite there, not here" },
	{ .name = "reference_diff", .help = "the same of eager" },
	{ .name = "ok", .help = "it is within what eager's own error allows, or -tol; null: random numbers" },
	{ .name = "part", .help = "of a graph that is compiled in parts: the one that has the node" },
	{ .name = NULL },
};

static int graph_compare_fill(struct session *s, const struct view_req *req, struct rows *out, struct err *err)
{
	PyObject *rows = PyTuple_GET_ITEM(graph_answered.result, 1), *row, *line;
	Py_ssize_t i;

	(void)s;
	(void)err;
	for (i = 0; i < PyList_GET_SIZE(rows); i++) {
		row = PyList_GET_ITEM(rows, i);
		if (!host->rows_want(out, req))
			continue;
		line = row_cell(row, 4);
		host->rows_add(out, row_cell(row, 8) == Py_False ? MARK_ERROR : 0);
		graph_put_node(out, row_text(row, 0));
		host->rows_str(out, "stage", ROLE_TYPE, row_text(row, 1));
		host->rows_str(out, "target", ROLE_TEXT, row_text(row, 2));
		graph_put_place(out, row_text(row, 3), PyLong_Check(line) ? PyLong_AsLongLong(line) : 0);
		host->rows_str(out, "kernel", ROLE_DIM, row_text(row, 5));
		graph_put_number(out, "max_diff", row_cell(row, 6), "%.3g", 1);
		graph_put_number(out, "reference_diff", row_cell(row, 7), "%.3g", 1);
		if (row_cell(row, 8) != Py_None)
			host->rows_bool(out, "ok", row_cell(row, 8) == Py_True);
		host->rows_str(out, "part", ROLE_NAME, row_text(row, 9));
	}
	PyErr_Clear();
	return 0;
}

static const struct view_ops view_graph_compare = {
	.name = "graph-compare",
	.help = "a compiled graph's values beside eager and float64",
	.cols = compare_cols,
	.fill = graph_compare_fill,
	.none = "no value could be compared",
};

enum { ONE_SCREEN = 20 }; /* rows; what is above more of them is out of sight in a terminal of 24 lines */

static double real(PyObject *row, Py_ssize_t i)
{
	return PyFloat_Check(row_cell(row, i)) ? PyFloat_AS_DOUBLE(row_cell(row, i)) : 0;
}

static void add_text_lines(struct buf *out, const char *before, PyObject *list)
{
	Py_ssize_t i;
	const char *text;

	for (i = 0; PyList_Check(list) && i < PyList_GET_SIZE(list); i++) {
		text = utf8_of(PyList_GET_ITEM(list, i));
		buf_addf(out, "%s%s\n", before, text ? text : "?");
	}
}

/* first: see graph_compare() in graph_compare.py.  part: of the graph, or NULL. */
static void tell_first(PyObject *first, const char *part, struct buf *out)
{
	PyObject *place = row_cell(first, 4), *verdict = row_cell(first, 7);
	const char *node = row_text(first, 0), *inner = row_text(first, 2), *kernel = row_text(first, 5);
	const char *source = row_text(first, 6), *words = row_text(verdict, 3);

	buf_addf(out, "the first wrong node is '%s' (%s), stage %s%s%s", node ? node : "?",
		 row_text(first, 3) ? row_text(first, 3) : "?", row_text(first, 1) ? row_text(first, 1) : "?",
		 part ? " of part " : "", part ? part : "");
	if (inner && node && strcmp(inner, node))
		buf_addf(out, ", there '%s'", inner);
	if (row_text(place, 0))
		buf_addf(out, "\n  line: %s:%lld in %s", text_file_name(row_text(place, 0)),
			 PyLong_AsLongLong(row_cell(place, 1)), row_text(place, 2) ? row_text(place, 2) : "?");
	if (kernel)
		buf_addf(out, "\n  kernel: %s", kernel);
	buf_addf(out, "\n  difference from float64: %.6g; eager's: %.3g; allowed: %.3g%s%s\n", real(verdict, 0),
		 real(verdict, 1), real(verdict, 2), words ? "; " : "", words ? words : "");
	add_text_lines(out, "  input ", row_cell(first, 8));
	if (source)
		buf_addf(out, "kernel source:\n%s\n", source);
	PyErr_Clear();
}

/* Is one of the rows wrong?  A result or a gradient can be where no node is. */
static bool any_wrong(PyObject *rows)
{
	Py_ssize_t i;

	for (i = 0; i < PyList_GET_SIZE(rows); i++)
		if (row_cell(PyList_GET_ITEM(rows, i), 8) == Py_False)
			return true;
	return false;
}

static void tell_compared(PyObject *r, struct buf *out)
{
	PyObject *first = row_cell(r, 0), *largest = row_cell(r, 3);

	if (first != Py_None)
		tell_first(first, row_text(r, 6), out);
	else if (!PyList_GET_SIZE(row_cell(r, 1)))
		buf_addf(out, "nothing was compared: the graph makes no plain tensor with elements in memory; "
			      "'graph run' shows what it makes\n");
	else if (any_wrong(row_cell(r, 1)))
		buf_addf(out, "no node is wrong by itself, but the graph differs from eager\n");
	else
		buf_addf(out, "no wrong node found\n");
	add_text_lines(out, "note: ", row_cell(r, 2));
	if (first == Py_None && largest != Py_None)
		buf_addf(out, "largest error: %.3g at node '%s' (stage %s), %.0f %% of what is allowed\n",
			 real(largest, 3), row_text(largest, 1) ? row_text(largest, 1) : "?",
			 row_text(largest, 2) ? row_text(largest, 2) : "?", real(largest, 0) * 100);
}

/* The function that the entry's code calls for the graph, or for the part of it: None where it is not known, or where
   other inputs are given than the program's.  A new reference. */
static PyObject *own_function(const struct graph_args *a, const struct graph_subject *s)
{
	const struct graph *whole = graphs_whole(s->entry, s->graph);
	PyObject *globals = *a->with ? NULL : entry_globals(s->entry, NULL);
	PyObject *f = globals ? PyDict_GetItemString(globals, whole->full) : NULL;

	f = Py_NewRef(f ? f : Py_None);
	if (f != Py_None && whole != s->graph)
		Py_SETREF(f, graph_call("graph_parts", "graph_part_function",
					Py_BuildValue("(Os)", f, strrchr(s->graph->name, '.') + 1)));
	Py_XDECREF(globals);
	return f;
}

/* What a comparison needs besides the graph. */
struct comparing {
	const struct graph_args *args;
	PyObject *backend, *tolerance; /* owned by the command */
};

/* The result of compare_all(): a new reference, or NULL with an exception. */
static PyObject *compare_graph(const struct comparing *c, const struct graph_subject *s)
{
	PyObject *own = own_function(c->args, s), *r = NULL;

	if (own)
		r = graph_call("graph_compare", "graph_compare",
			       PyTuple_Pack(7, s->kept, c->backend, s->inputs, c->args->backward ? Py_True : Py_False,
					    c->args->large ? Py_True : Py_False, c->tolerance, own));
	Py_XDECREF(own);
	return r;
}

/* Compares each part of a graph as it is compiled: the result of joined(), or NULL with err. */
static PyObject *compare_parts(const struct comparing *c, const struct graph_subject *s, struct err *err)
{
	PyObject *all = PyList_New(0), *r = NULL, *row;
	struct graph_subject part;
	struct graph *g = graphs_next_part(s->entry, s->graph, NULL);
	int ret = all ? 0 : -1;

	for (; ret == 0 && g; g = graphs_next_part(s->entry, s->graph, g)) {
		ret = graph_subject_part(s, g, &part, err);
		if (ret < 0)
			break;
		r = compare_graph(c, &part);
		row = r ? Py_BuildValue("(sN)", strrchr(g->name, '.') + 1, r) : NULL;
		ret = row && PyList_Append(all, row) == 0 ? 0 : graph_raised("a part cannot be compared", err);
		Py_XDECREF(row);
		graph_subject_release(&part);
	}
	r = ret == 0 ? graph_call("graph_parts", "joined", PyTuple_Pack(1, all)) : NULL;
	if (ret == 0 && !r)
		graph_raised("the graph cannot be compared", err);
	Py_XDECREF(all);
	return r;
}

/* The graph, or its parts if it is compiled in some. */
static PyObject *compare_whole(const struct comparing *c, const struct graph_subject *s, struct buf *out,
			       struct err *err)
{
	struct buf parts = { 0 };
	PyObject *r;

	graphs_tell_parts(s->entry, s->graph, &parts);
	if (!parts.len) {
		r = compare_graph(c, s);
		if (!r)
			graph_raised("the graph cannot be compared", err);
		return r;
	}
	r = compare_parts(c, s, err);
	if (r)
		buf_addf(out, "DDPOptimizer splits this graph, and each part was compared as it is compiled: %s\n",
			 parts.s + 2);
	buf_release(&parts);
	return r;
}

int graph_compare_command(const char *args, struct reply *out, struct err *err)
{
	struct graph_args a;
	struct graph_subject s = { 0 };
	struct comparing c = { .args = &a };
	PyObject *r = NULL;
	const char *first;
	int ret = -1;

	if (graph_args_read(args, true, &a, err) < 0)
		return -1;
	c.tolerance = graph_tolerance(&a);
	if (c.tolerance && graph_subject_find(&a, &s, err) == 0) {
		c.backend = graph_backend(&s, err);
		r = c.backend ? compare_whole(&c, &s, &out->text, err) : NULL;
		if (r) { /* the verdict, and below it what it rests on */
			tell_compared(r, &out->text);
			ret = graph_answer(&view_graph_compare, &s, r, out, err);
		}
	}
	if (r && ret == 0) {
		first = row_text(row_cell(r, 0), 0);
		out->more = val_map();
		val_put(out->more, "first", first ? val_str(first) : val_null());
		if (row_text(r, 6))
			val_put(out->more, "part", val_str(row_text(r, 6)));
		val_put(out->more, "needs", val_int(PyLong_AsLongLong(row_cell(r, 4))));
		val_put(out->more, "estimate", val_int(PyLong_AsLongLong(row_cell(r, 5))));
		if (PyList_GET_SIZE(row_cell(r, 1)) > ONE_SCREEN)
			buf_addf(&out->text, "%zd rows; the verdict is above them\n", PyList_GET_SIZE(row_cell(r, 1)));
	}
	PyErr_Clear();
	Py_XDECREF(r);
	Py_XDECREF(c.backend);
	Py_XDECREF(c.tolerance);
	graph_subject_release(&s);
	graph_args_release(&a);
	return ret;
}
