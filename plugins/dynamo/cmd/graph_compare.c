/* SPDX-License-Identifier: BSD-3-Clause */
/* graph compare: the first wrong node of a compiled graph.  compare.py finds it. */
#include "cmd/dynamo_cmd.h"
#include "cmd/graph_command.h"
#include "cmd/result.h"
#include "model/entry.h"
#include "model/graph.h"
#include "show/can_blame.h"
#include "torch/py_text.h"
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

static const struct result_col compare_rows[] = {
	{ .name = "node" },
	{ .name = "stage", .role = ROLE_TYPE },
	{ .name = "target", .role = ROLE_TEXT },
	{ .name = "line" },
	{ .name = "kernel", .role = ROLE_DIM },
	{ .name = "max_diff", .form = "%.3g" },
	{ .name = "reference_diff", .form = "%.3g" },
	{ .name = "ok" },
	{ .name = "part", .role = ROLE_NAME },
	{ .name = NULL },
};

static int graph_compare_fill(struct session *s, const struct view_req *req, struct rows *out, struct err *err)
{
	(void)s;
	(void)err;
	result_rows(out, req, compare_rows, graph_answered.result, "ok");
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

static const char *known(const char *text)
{
	return text ? text : "?";
}

/* first: see FirstWrong in found.py.  part: of the graph, or NULL. */
static void tell_first(PyObject *first, const char *part, struct buf *out)
{
	const char *node = result_text(first, "node"), *inner = result_text(first, "inner"),
		   *words = result_text(first, "words");
	const char *file = result_text(first, "file"), *kernel = result_text(first, "kernel"),
		   *source = result_text(first, "source");

	buf_addf(out, "the first wrong node is '%s' (%s), stage %s%s%s", known(node),
		 known(result_text(first, "target")), known(result_text(first, "stage")), part ? " of part " : "",
		 part ? part : "");
	if (inner && node && strcmp(inner, node))
		buf_addf(out, ", there '%s'", inner);
	if (file)
		buf_addf(out, "\n  line: %s:%lld in %s", py_text_file_name(file), result_int(first, "line", 0),
			 known(result_text(first, "function")));
	if (kernel)
		buf_addf(out, "\n  kernel: %s", kernel);
	buf_addf(out, "\n  difference from float64: %.6g; eager's: %.3g; allowed: %.3g%s%s\n",
		 result_real(first, "difference"), result_real(first, "reference"), result_real(first, "allowed"),
		 words ? "; " : "", words ? words : "");
	result_lines(result_get(first, "inputs"), "  input ", out);
	if (source)
		buf_addf(out, "kernel source:\n%s\n", source);
}

/* Is one of the rows wrong?  A result or a gradient can be where no node is. */
static bool any_wrong(PyObject *rows)
{
	Py_ssize_t i;

	for (i = 0; i < result_length(rows); i++)
		if (result_get(PyList_GET_ITEM(rows, i), "ok") == Py_False)
			return true;
	return false;
}

static void tell_compared(PyObject *r, struct buf *out)
{
	PyObject *first = result_get(r, "first"), *largest = result_get(r, "largest"), *rows = result_get(r, "rows");

	if (first != Py_None)
		tell_first(first, result_text(r, "part"), out);
	else if (!result_length(rows))
		buf_addf(out, "nothing was compared: the graph makes no plain tensor with elements in memory; "
			      "'graph run' shows what it makes\n");
	else if (any_wrong(rows))
		buf_addf(out, "no node is wrong by itself, but the graph differs from eager\n");
	else
		buf_addf(out,
			 "no wrong node found\n"
			 "the captured graph was taken for the truth: %s compares it with the function, too\n",
			 can_blame() ? "'blame'" : "blame, where the entry's code runs,");
	result_lines(result_get(r, "notes"), "note: ", out);
	if (first == Py_None && largest != Py_None)
		buf_addf(out, "largest error: %.3g at node '%s' (stage %s), %.0f %% of what is allowed\n",
			 result_real(largest, "difference"), known(result_text(largest, "node")),
			 known(result_text(largest, "stage")), result_real(largest, "share") * 100);
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
		Py_SETREF(f, graph_call("parts", "graph_part_function",
					Py_BuildValue("(Os)", f, strrchr(s->graph->name, '.') + 1)));
	Py_XDECREF(globals);
	return f;
}

/* Compares a graph, or one part as it is compiled, and adds (name of the part, result) to the list. */
static int compare_part(struct graph_work *w, const struct graph_subject *s, void *list, struct err *err)
{
	const char *name = s == &w->subject ? "" : strrchr(s->graph->name, '.') + 1;
	PyObject *more = Py_BuildValue("{s:N}", "own", own_function(&w->args, s)); /* owned, as the next two */
	PyObject *r = more ? graph_work_call(w, s, more) : NULL, *row = r ? Py_BuildValue("(sO)", name, r) : NULL;
	int ret = row && PyList_Append(list, row) == 0 ?
			  0 :
			  graph_raised(*name ? "a part cannot be compared" : w->command->failed, err);

	Py_XDECREF(row);
	Py_XDECREF(r);
	Py_XDECREF(more);
	return ret;
}

/* The verdict, and below it what it rests on. */
static int tell_compare(struct graph_work *w, PyObject *r, struct reply *out, struct err *err)
{
	const char *part = result_text(r, "part"), *first = result_text(result_get(r, "first"), "node");
	Py_ssize_t n = result_length(result_get(r, "rows"));
	int ret;

	tell_compared(r, &out->text);
	ret = graph_answer(&view_graph_compare, &w->subject, r, out, err);
	if (ret < 0)
		return ret;
	out->more = val_map();
	val_put(out->more, "first", first ? val_str(first) : val_null());
	if (part)
		val_put(out->more, "part", val_str(part));
	val_put(out->more, "needs", val_int(result_int(r, "needs", 0)));
	val_put(out->more, "estimate", val_int(result_int(r, "estimate", 0)));
	if (n > ONE_SCREEN)
		buf_addf(&out->text, "%zd rows; the verdict is above them\n", n);
	return 0;
}

static int compare_all(struct graph_work *w, struct reply *out, struct err *err)
{
	PyObject *list = PyList_New(0), *r = NULL;
	int ret = list ? graph_work_parts(w, compare_part, list, err) : -1;
	struct buf parts = { 0 };

	if (ret == 0) {
		r = graph_call("parts", "joined", PyTuple_Pack(1, list));
		ret = r ? 0 : graph_raised(w->command->failed, err);
	}
	graphs_tell_parts(w->subject.entry, w->subject.graph, &parts);
	if (r && parts.len)
		buf_addf(&out->text,
			 "DDPOptimizer splits this graph, and each part was compared as it is compiled: %s\n",
			 parts.s + 2);
	if (r)
		ret = tell_compare(w, r, out, err);
	buf_release(&parts);
	Py_XDECREF(r);
	Py_XDECREF(list);
	return ret;
}

const struct graph_command graph_command_compare = {
	.compares = true,
	.backend = BACKEND_NEEDED,
	.module = "compare",
	.function = "graph_compare",
	.failed = "the graph cannot be compared",
	.run = compare_all,
};
