/* SPDX-License-Identifier: BSD-3-Clause */
/* graph run and graph memory: the values of a captured graph's nodes, and the memory that they take.  graph_run.py runs
   the graph. */
#include "cmd/graph_run.h"
#include "model/graph.h"
#include "model/source_line.h"
#include "code/source_text.h"
#include "cmd/graph_stage.h"
#include "cmd/graph_subject.h"
#include "cmd/made_node.h"
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
	host->rows_val(out, "shape", ROLE_TYPE, list);
	host->rows_shown(out, "shape", text.len ? text.s : "scalar");
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
		graph_put_number(out, "seconds", v, "%.1f us", 1e6);
		return;
	}
	tenths = llround(seconds * 1e7);
	snprintf(shown, sizeof(shown), "%lld.%lld us", tenths / 10, tenths % 10);
	host->rows_val(out, "seconds", ROLE_NUMBER, val_real(seconds));
	host->rows_shown(out, "seconds", shown);
}

/* The function that a node calls; for an input its source as people write it. */
static void put_target(struct rows *out, const struct node *n)
{
	struct buf shown = { 0 };

	if (!n)
		return;
	host->rows_str(out, "target", ROLE_TEXT, n->target);
	if (n->source)
		source_name(n->source, 30, &shown);
	else
		host->view_cut_name(&shown, n->target, 30);
	host->rows_shown(out, "target", buf_str(&shown));
	buf_release(&shown);
}

/* ---- what is run --------------------------------------------------------------------------------------------- */

struct to_run {
	struct graph_args args;
	struct graph_subject subject;
	char *stage;
};

static void to_run_release(struct to_run *t)
{
	graph_subject_release(&t->subject);
	graph_args_release(&t->args);
	free(t->stage);
}

/* The graph, or stage of it, that a command line names, and its inputs. Nothing is to be released after an error. */
static int to_run_find(const char *words, struct to_run *t, struct err *err)
{
	if (graph_args_read(words, false, &t->args, err) < 0)
		return -1;
	t->stage = graph_stage_take(&t->args);
	if (graph_subject_find(&t->args, &t->subject, err) == 0 && graph_stage_find(&t->subject, t->stage, err) == 0)
		return 0;
	to_run_release(t);
	return -1;
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
	static const char *const numbers[] = { "min", "max", "mean", "nan", "inf", "bytes" };
	PyObject *rows = PyTuple_GET_ITEM(graph_answered.result, 0), *row;
	const struct source_line *spot;
	const struct nodes *g;
	const struct node *n;
	Py_ssize_t i;
	int next = 0;
	size_t k;

	(void)s;
	(void)err;
	for (i = 0; i < PyList_GET_SIZE(rows); i++) {
		row = PyList_GET_ITEM(rows, i);
		n = row_node(row_text(row, 0) ? row_text(row, 0) : "", &next, &g);
		if (!host->rows_want(out, req))
			continue;
		host->rows_add(out, PyLong_Check(row_cell(row, 7)) && PyLong_AsLong(row_cell(row, 7)) ? MARK_ERROR : 0);
		graph_put_node(out, row_text(row, 0));
		host->rows_str(out, "op", ROLE_DIM, row_text(row, 1));
		put_target(out, n);
		spot = n ? graphs_line(g, n) : NULL;
		graph_put_place(out, spot ? spot->file : NULL, spot ? spot->line : 0);
		put_shape_cell(out, row_cell(row, 2));
		host->rows_str(out, "dtype", ROLE_TYPE, row_text(row, 3));
		for (k = 0; k < sizeof(numbers) / sizeof(*numbers); k++)
			graph_put_number(out, numbers[k], row_cell(row, 4 + (Py_ssize_t)k), "%.4g", 1);
		put_seconds(out, row_cell(row, 10));
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

/* The run makes thousands of objects and no garbage: looking for some took a third of its time, and would free the
   program's at a stop. */
static PyObject *run_uncollected(PyObject *args)
{
	int collects = PyGC_Disable();
	PyObject *r = graph_call("graph_rows", "graph_run", args);

	if (collects)
		PyGC_Enable();
	return r;
}

/* ---- the verdict of graph run ------------------------------------------------------------------------------- */

/* What the graph was given has a NaN or Inf already: no node made that.  How many such inputs there are. */
static int tell_given(PyObject *rows, struct buf *out)
{
	PyObject *row;
	Py_ssize_t i;
	long nan, inf;
	int n = 0;

	for (i = 0; i < PyList_GET_SIZE(rows); i++) {
		row = PyList_GET_ITEM(rows, i);
		nan = PyLong_Check(row_cell(row, 7)) ? PyLong_AsLong(row_cell(row, 7)) : 0;
		inf = PyLong_Check(row_cell(row, 8)) ? PyLong_AsLong(row_cell(row, 8)) : 0;
		if ((!nan && !inf) || strchr(row_text(row, 0), '.') ||
		    (strcmp(row_text(row, 1), "placeholder") && strcmp(row_text(row, 1), "get_attr")))
			continue;
		buf_addf(out, "input '%s' has %ld NaN and %ld Inf\n", row_text(row, 0), nan, inf);
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

	for (i = 0; PyList_Check(made) && i < PyList_GET_SIZE(made); i++) {
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

int graph_run_command(const char *args, struct reply *out, struct err *err)
{
	struct to_run t;
	const struct graph_args *a = &t.args;
	struct val *made;
	struct buf given = { 0 };
	const char *first;
	PyObject *r;
	int ret;

	if (to_run_find(args, &t, err) < 0)
		return -1;
	r = run_uncollected(Py_BuildValue("(OOOlOO)", t.subject.kept, t.subject.inputs,
					  a->until_nan ? Py_True : Py_False, a->times,
					  a->times_only ? Py_False : Py_True, a->large ? Py_True : Py_False));
	ret = r ? 0 : graph_raised("the graph cannot be run", err);
	if (r) {
		first = row_text(r, 1);
		made = tell_made(&t.subject, row_cell(r, 4), a->until_nan, &out->text);
		if (tell_given(row_cell(r, 0), &given) && !first)
			buf_adds(&out->text, "no node makes a NaN or an Inf: its inputs have them already\n");
		else if (a->until_nan && !first)
			buf_adds(&out->text, "no node makes a NaN or an Inf\n");
		buf_adds(&out->text, buf_str(&given));
		ret = graph_answer(&view_graph_run, &t.subject, r, out, err);
		out->more = val_map();
		val_put(out->more, "first", first ? val_str(first) : val_null());
		val_put(out->more, "made", made);
		if (PyLong_AsLongLong(row_cell(r, 3)) > 0)
			buf_addf(&out->text, "%lld more rows of sub-graphs are left out\n",
				 PyLong_AsLongLong(row_cell(r, 3)));
		PyErr_Clear();
	}
	buf_release(&given);
	Py_XDECREF(r);
	to_run_release(&t);
	return ret;
}

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

static int graph_memory_fill(struct session *s, const struct view_req *req, struct rows *out, struct err *err)
{
	PyObject *rows = PyTuple_GET_ITEM(graph_answered.result, 0), *row;
	const char *peak = row_text(graph_answered.result, 2), *name;
	const struct source_line *spot;
	const struct nodes *g;
	const struct node *n;
	Py_ssize_t i;

	(void)s;
	(void)err;
	for (i = 0; i < PyList_GET_SIZE(rows); i++) {
		row = PyList_GET_ITEM(rows, i);
		name = row_text(row, 0);
		n = name ? graph_subject_node(graph_answered.subject, name, &g) : NULL;
		if (!host->rows_want(out, req))
			continue;
		host->rows_add(out, peak && name && !strcmp(peak, name) ? MARK_CURRENT : 0);
		graph_put_node(out, name);
		spot = n ? graphs_line(g, n) : NULL;
		graph_put_place(out, spot ? spot->file : NULL, spot ? spot->line : 0);
		graph_put_number(out, "made", row_cell(row, 2), "%g", 1);
		graph_put_number(out, "alive", row_cell(row, 3), "%g", 1);
		host->rows_str(out, "until", ROLE_NAME, row_text(row, 4));
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

int graph_memory_command(const char *args, struct reply *out, struct err *err)
{
	const struct source_line *spot;
	const struct nodes *g;
	const struct node *n;
	struct to_run t;
	const char *peak;
	PyObject *r;
	int ret;

	if (to_run_find(args, &t, err) < 0)
		return -1;
	if (t.args.until_nan) {
		to_run_release(&t);
		return err_set(err, "'until nan' is an argument of 'graph run'; 'graph memory' looks for no NaN");
	}
	r = graph_call("graph_rows", "graph_memory",
		       PyTuple_Pack(3, t.subject.kept, t.subject.inputs, t.args.large ? Py_True : Py_False));
	ret = r ? 0 : graph_raised("the graph cannot be run", err);
	if (r) {
		peak = row_text(r, 2);
		n = peak ? graph_subject_node(&t.subject, peak, &g) : NULL;
		spot = n ? graphs_line(g, n) : NULL;
		buf_addf(&out->text, "peak: %lld bytes at node '%s'", PyLong_AsLongLong(row_cell(r, 1)),
			 peak ? peak : "?");
		made_node_place_text(spot ? spot->file : NULL, spot ? spot->line : 0, &out->text);
		buf_addc(&out->text, '\n');
		ret = graph_answer(&view_graph_memory, &t.subject, r, out, err);
	}
	PyErr_Clear();
	Py_XDECREF(r);
	to_run_release(&t);
	return ret;
}
