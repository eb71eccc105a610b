/* SPDX-License-Identifier: BSD-3-Clause */
/* graph run and graph memory: the values of a captured graph's nodes, and the memory that they take.  rows.py
   runs the graph. */
#include "cmd/graph_command.h"
#include "cmd/made_node.h"
#include "cmd/result.h"
#include "code/dynamo_code.h"
#include "model/graph.h"
#include "model/source_line.h"
#include "torch/py_text.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void put_shape_cell(struct rows *out, PyObject *shape)
{
	struct val *list;
	struct buf text = { 0 };
	Py_ssize_t i;

	if (!PyList_Check(shape))
		return;
	list = val_list();
	for (i = 0; i < PyList_GET_SIZE(shape); i++) {
		val_push(list, val_int(PyLong_AsLongLong(PyList_GET_ITEM(shape, i))));
		buf_addf(&text, "%s%lld", i ? ", " : "", PyLong_AsLongLong(PyList_GET_ITEM(shape, i)));
	}
	host->rows.val(out, "shape", ROLE_TYPE, list);
	host->rows.shown(out, "shape", text.len ? text.s : "scalar");
	buf_release(&text);
	PyErr_Clear();
}

/* People see microseconds with one decimal, written from whole numbers: a float takes printf three times as long. */
static void put_seconds(struct rows *out, PyObject *v)
{
	double seconds = PyFloat_Check(v) ? PyFloat_AS_DOUBLE(v) : -1;
	long long tenths;
	char shown[48];

	if (!(seconds >= 0 && seconds < 1e9)) {
		result_put_number(out, "seconds", v, "%.1f us", 1e6);
		return;
	}
	tenths = llround(seconds * 1e7);
	snprintf(shown, sizeof(shown), "%lld.%lld us", tenths / 10, tenths % 10);
	host->rows.val(out, "seconds", ROLE_NUMBER, val_real(seconds));
	host->rows.shown(out, "seconds", shown);
}

/* The function that a node calls; for an input its source as people write it. */
static void put_target(struct rows *out, const struct node *n)
{
	struct buf shown = { 0 };

	if (!n)
		return;
	host->rows.str(out, "target", ROLE_TEXT, n->target);
	if (n->source)
		source_text_name(n->source, 30, &shown);
	else
		host->rows.cut_name(&shown, n->target, 30);
	host->rows.shown(out, "target", buf_str(&shown));
	buf_release(&shown);
}

/* ---- graph run --------------------------------------------------------------------------------------------- */

static const struct view_col run_cols[] = {
	{ .name = "node", .help = "its name" },
	{ .name = "op", .help = "as in torch.fx: placeholder, call_function, ...", .machine_only = true },
	{ .name = "target", .help = "what it calls", .drop = 3 },
	{ .name = "line", .help = "the program's line" },
	{ .name = "file", .help = "of the line", .machine_only = true },
	{ .name = "shape", .help = "of its value; null: no tensor" },
	{ .name = "dtype", .help = "of its value, or the value's type" },
	{ .name = "nan", .help = "elements that are NaN" },
	{ .name = "inf", .help = "elements that are infinite" },
	{ .name = "min", .help = "smallest finite element; null: there is none" },
	{ .name = "max", .help = "largest finite element" },
	{ .name = "mean", .help = "of the finite elements" },
	{ .name = "bytes", .help = "of its elements", .drop = 2 },
	{ .name = "seconds", .help = "to compute it; people see microseconds; with -n the median", .drop = 1 },
	{ .name = NULL },
};

/* A row of graph run is a tuple: C makes one for each node while the graph runs.  A dict would slow that down: those of
   graph memory, with four values, cost 5 % of its time.  The places have these names here and in rows.py. */
enum { RUN_NODE, RUN_OP, RUN_SHAPE, RUN_DTYPE, RUN_MIN, RUN_MAX, RUN_MEAN, RUN_NAN, RUN_INF, RUN_BYTES, RUN_SECONDS };

static const char *const run_names[] = {
	[RUN_MIN] = "min", [RUN_MAX] = "max", [RUN_MEAN] = "mean",
	[RUN_NAN] = "nan", [RUN_INF] = "inf", [RUN_BYTES] = "bytes",
};

static PyObject *run_cell(PyObject *row, int k)
{
	return PyTuple_Check(row) && k < PyTuple_GET_SIZE(row) ? PyTuple_GET_ITEM(row, k) : Py_None;
}

static const char *run_text(PyObject *row, int k)
{
	return PyUnicode_Check(run_cell(row, k)) ? py_text_utf8(run_cell(row, k)) : NULL;
}

/* 0 where there is none. */
static long run_count(PyObject *row, int k)
{
	return PyLong_Check(run_cell(row, k)) ? PyLong_AsLong(run_cell(row, k)) : 0;
}

/* Rows come in the order of the graph's nodes, those of sub-graphs between them: *next is where the search begins. */
static const struct node *row_node(const char *name, int *next, const struct nodes **g)
{
	*g = graph_answered.subject->nodes;
	if (*next < (*g)->n && !strcmp((*g)->node[*next].name, name))
		return &(*g)->node[(*next)++];
	return graphs_node(g, name);
}

static int graph_run_fill(struct session *s, const struct view_req *req, struct rows *out, struct err *err)
{
	PyObject *rows = result_get(graph_answered.result, "rows"), *row;
	const struct source_line *spot;
	const struct nodes *g;
	const struct node *n;
	const char *name;
	Py_ssize_t i;
	int next = 0, k;

	(void)s;
	(void)err;
	for (i = 0; i < result_length(rows); i++) {
		row = PyList_GET_ITEM(rows, i);
		name = run_text(row, RUN_NODE);
		n = row_node(name ? name : "", &next, &g);
		if (!host->rows.want(out, req))
			continue;
		host->rows.add(out, run_count(row, RUN_NAN) > 0 ? MARK_ERROR : 0);
		result_put_node(out, name);
		host->rows.str(out, "op", ROLE_DIM, run_text(row, RUN_OP));
		put_target(out, n);
		spot = n ? graphs_line(g, n) : NULL;
		result_put_place(out, spot ? spot->file : NULL, spot ? spot->line : 0);
		put_shape_cell(out, run_cell(row, RUN_SHAPE));
		host->rows.str(out, "dtype", ROLE_TYPE, run_text(row, RUN_DTYPE));
		for (k = RUN_MIN; k < RUN_SECONDS; k++)
			result_put_number(out, run_names[k], run_cell(row, k), "%.4g", 1);
		put_seconds(out, run_cell(row, RUN_SECONDS));
	}
	PyErr_Clear();
	return 0;
}

static const struct view_ops view_graph_run = {
	.name = "graph-run",
	.help = "the values of a graph's nodes",
	.cols = run_cols,
	.fill = graph_run_fill,
	.none = "no nodes",
};

/* ---- the verdict of graph run ------------------------------------------------------------------------------- */

/* What the graph was given has a NaN or Inf already: no node made that.  How many such inputs there are. */
static int tell_given(PyObject *rows, struct buf *out)
{
	const char *name, *op;
	PyObject *row;
	Py_ssize_t i;
	long nan, inf;
	int n = 0;

	for (i = 0; i < result_length(rows); i++) {
		row = PyList_GET_ITEM(rows, i);
		nan = run_count(row, RUN_NAN);
		inf = run_count(row, RUN_INF);
		name = run_text(row, RUN_NODE);
		op = run_text(row, RUN_OP);
		if ((!nan && !inf) || !name || strchr(name, '.') ||
		    (strcmp(op, "placeholder") && strcmp(op, "get_attr")))
			continue;
		buf_addf(out, "input '%s' has %ld NaN and %ld Inf\n", name, nan, inf);
		n++;
	}
	return n;
}

/* What is first in a graph, each in a sentence. */
static struct val *tell_made(const struct graph_subject *s, PyObject *made, bool until_nan, struct buf *out)
{
	struct val *list = val_list(), *map;
	const struct nodes *g;
	const struct node *n;
	struct made_node m;
	Py_ssize_t i;
	bool nan = false;

	for (i = 0; i < result_length(made); i++) {
		if (!made_node_read(PyList_GET_ITEM(made, i), &m))
			continue;
		n = graph_subject_node(s, m.name, &g);
		made_node_place(&m, n ? graphs_line(g, n) : NULL);
		buf_addf(out, "node '%s'", m.name);
		made_node_first(&m, out);
		buf_addc(out, '\n');
		nan |= m.first_nan;
		map = val_map();
		made_node_put(&m, map);
		val_push(list, map);
	}
	if (until_nan && i && !nan)
		buf_adds(out, "no node makes a NaN of it\n");
	return list;
}

static int tell_run(struct graph_work *w, PyObject *r, struct reply *out, struct err *err)
{
	struct val *made = tell_made(&w->subject, result_get(r, "made"), w->args.until_nan, &out->text);
	const char *first = result_text(r, "first");
	long long omitted = result_int(r, "omitted", 0);
	struct buf given = { 0 };
	int ret;

	if (tell_given(result_get(r, "rows"), &given) && !first)
		buf_adds(&out->text, "no node makes a NaN or an Inf: its inputs have them already\n");
	else if (w->args.until_nan && !first)
		buf_adds(&out->text, "no node makes a NaN or an Inf\n");
	buf_adds(&out->text, buf_str(&given));
	buf_release(&given);
	ret = graph_answer(&view_graph_run, &w->subject, r, out, err);
	out->more = val_map();
	val_put(out->more, "first", first ? val_str(first) : val_null());
	val_put(out->more, "made", made);
	if (omitted > 0)
		buf_addf(&out->text, "%lld more rows of sub-graphs are left out\n", omitted);
	return ret;
}

const struct graph_command graph_command_run = {
	.uncollected = true, /* thousands of objects and no garbage: to look for some takes a third of the time */
	.module = "rows",
	.function = "graph_run",
	.failed = "the graph cannot be run",
	.tell = tell_run,
};

/* ---- graph memory ------------------------------------------------------------------------------------------ */

static const struct view_col memory_cols[] = {
	{ .name = "node", .help = "its name" },
	{ .name = "line", .help = "the program's line" },
	{ .name = "file", .help = "of the line", .machine_only = true },
	{ .name = "made", .help = "bytes that it allocates" },
	{ .name = "alive", .help = "bytes alive after it, inputs included" },
	{ .name = "until", .help = "the last node that reads its value" },
	{ .name = NULL },
};

static const struct result_col memory_rows[] = {
	{ .name = "node" }, { .name = "made" }, { .name = "alive" }, { .name = "until", .role = ROLE_NAME },
	{ .name = NULL },
};

static int graph_memory_fill(struct session *s, const struct view_req *req, struct rows *out, struct err *err)
{
	PyObject *rows = result_get(graph_answered.result, "rows"), *row;
	const char *peak = result_text(graph_answered.result, "peak_node"), *name;
	const struct source_line *spot;
	const struct nodes *g;
	const struct node *n;
	Py_ssize_t i;

	(void)s;
	(void)err;
	for (i = 0; i < result_length(rows); i++) {
		row = PyList_GET_ITEM(rows, i);
		name = result_text(row, "node");
		n = name ? graph_subject_node(graph_answered.subject, name, &g) : NULL;
		if (!host->rows.want(out, req))
			continue;
		host->rows.add(out, peak && name && !strcmp(peak, name) ? MARK_CURRENT : 0);
		result_put(out, memory_rows, row);
		spot = n ? graphs_line(g, n) : NULL;
		result_put_place(out, spot ? spot->file : NULL, spot ? spot->line : 0);
	}
	PyErr_Clear();
	return 0;
}

static const struct view_ops view_graph_memory = {
	.name = "graph-memory",
	.help = "the memory that a graph's values take",
	.cols = memory_cols,
	.fill = graph_memory_fill,
	.none = "no nodes",
};

static int tell_memory(struct graph_work *w, PyObject *r, struct reply *out, struct err *err)
{
	const char *peak = result_text(r, "peak_node");
	const struct nodes *g;
	const struct node *n = peak ? graph_subject_node(&w->subject, peak, &g) : NULL;
	const struct source_line *spot = n ? graphs_line(g, n) : NULL;

	buf_addf(&out->text, "peak: %lld bytes at node '%s'", result_int(r, "peak", 0), peak ? peak : "?");
	made_node_place_text(spot ? spot->file : NULL, spot ? spot->line : 0, &out->text);
	buf_addc(&out->text, '\n');
	return graph_answer(&view_graph_memory, &w->subject, r, out, err);
}

const struct graph_command graph_command_memory = {
	.module = "rows",
	.function = "graph_memory",
	.failed = "the graph cannot be run",
	.tell = tell_memory,
};
