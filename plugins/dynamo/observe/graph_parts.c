/* SPDX-License-Identifier: BSD-3-Clause */
/* Graphs that are compiled in parts: see dynamo_observe.h.  Knows how parts are compiled one after the other, not how
   they are chosen. */
#include "model/compiling.h"
#include "model/graph.h"
#include "observe/backend_stages.h"
#include "observe/dynamo_observe.h"
#include "observe/fx_graph.h"
#include "observe/graph_keep.h"
#include "torch/attrs.h"
#include "torch/cdbg_host.h"
#include "torch/py_text.h"
#include <stdlib.h>
#include <string.h>

/* The name of a module in the one around it, borrowed; NULL: it has none. */
static const char *name_in(PyObject *parent, PyObject *module)
{
	PyObject *all = attr(parent, "_modules"), *key, *value;
	const char *name = NULL;
	Py_ssize_t at = 0;

	while (!name && all && PyDict_Check(all) && PyDict_Next(all, &at, &key, &value))
		if (value == module)
			name = py_text_utf8(key);
	Py_XDECREF(all);
	return name;
}

/* ---- parameters -------------------------------------------------------------------------------------------------- */

static void count_parameter(struct nodes *nodes, PyObject *parameter)
{
	PyObject *wants = attr(parameter, "requires_grad"), *ignored = attr(parameter, "_ddp_ignored");
	PyObject *size = wants == Py_True && ignored != Py_True ? attr(parameter, "nbytes") : NULL;
	long long bytes = size && PyLong_Check(size) ? PyLong_AsLongLong(size) : -1;

	if (bytes >= 0) {
		nodes->split.parameters++;
		nodes->split.bytes += bytes;
	}
	PyErr_Clear();
	Py_XDECREF(size);
	Py_XDECREF(ignored);
	Py_XDECREF(wants);
}

/* An input of a part that was traced as a parameter.  type: torch.nn.Parameter */
static void count_input(struct nodes *nodes, PyObject *node, PyObject *type)
{
	PyObject *meta = attr(node, "meta"), *op = attr(node, "op");
	PyObject *v = meta && PyDict_Check(meta) ? PyDict_GetItemString(meta, "example_value") : NULL;
	const char *kind = py_text_utf8(op);

	if (v && kind && !strcmp(kind, "placeholder") && PyObject_IsInstance(v, type) == 1)
		count_parameter(nodes, v);
	PyErr_Clear();
	Py_XDECREF(op);
	Py_XDECREF(meta);
}

/* The parameters that a part trains, whose gradients are reduced together: those that it takes, and those of modules
   that it calls. */
static void count_parameters(struct nodes *nodes, PyObject *module, PyObject *graph)
{
	PyObject *m = PyImport_ImportModule("torch.nn.parameter"), *type = attr(m, "Parameter");
	PyObject *all = attr(graph, "nodes"), *list = all ? PySequence_List(all) : NULL;
	PyObject *named = PyObject_CallMethod(module, "parameters", NULL), *own = named ? PySequence_List(named) : NULL;
	Py_ssize_t i;

	for (i = 0; type && list && i < PyList_GET_SIZE(list); i++)
		count_input(nodes, PyList_GET_ITEM(list, i), type);
	for (i = 0; own && i < PyList_GET_SIZE(own); i++)
		count_parameter(nodes, PyList_GET_ITEM(own, i));
	PyErr_Clear();
	Py_XDECREF(own);
	Py_XDECREF(named);
	Py_XDECREF(list);
	Py_XDECREF(all);
	Py_XDECREF(type);
	Py_XDECREF(m);
}

/* ---- a part comes and goes --------------------------------------------------------------------------------------- */

/* The backend gets a part that returns a tuple: compile_submod() makes one of a single result. */
static void returns_tuple(struct nodes *nodes, PyObject *graph)
{
	PyObject *all = attr(graph, "nodes"), *list = all ? PySequence_List(all) : NULL;
	Py_ssize_t n = list ? PyList_GET_SIZE(list) : 0;
	PyObject *args = n ? attr(PyList_GET_ITEM(list, n - 1), "args") : NULL;
	struct node *last = nodes->n ? &nodes->node[nodes->n - 1] : NULL;
	char *one;

	if (last && !strcmp(last->op, "output") && args && PyTuple_Check(args) && PyTuple_GET_SIZE(args) == 1 &&
	    !PyTuple_Check(PyTuple_GET_ITEM(args, 0))) {
		one = mem_fmt("(%s,)", last->args);
		free(last->args);
		last->args = one;
	}
	PyErr_Clear();
	Py_XDECREF(args);
	Py_XDECREF(list);
	Py_XDECREF(all);
}

/* Keeps the graph that calls the parts, with them, before the first is compiled. */
static void keep_split(PyObject *row, PyObject *split)
{
	struct nodes *whole = PyCapsule_GetPointer(PyTuple_GET_ITEM(row, 1), "nodes");

	if (whole && !whole->split.kept && host->talk.option_number("keep-graphs"))
		whole->split.kept = graph_keep(split);
	PyErr_Clear();
}

/* compile_submod(self, input_mod, args, kwargs): a part is about to be passed to the backend. */
static void part_comes(struct call *call)
{
	struct compiling *c = compiling_top();
	/* owned */
	PyObject *split = NULL, *graph = NULL, *name = NULL, *copy = NULL, *added = NULL;
	/* borrowed */
	PyObject *gm = call_arg(call, 1, "input_mod"), *row = c ? compiling_whole(c) : NULL;
	const char *whole, *part;
	struct nodes *nodes;

	if (!gm || !row || !call->n)
		return;
	split = attr(call->arg[0], "module");
	part = split ? name_in(split, gm) : NULL;
	graph = part ? attr(gm, "graph") : NULL;
	nodes = graph ? graphs_read(graph) : NULL;
	if (nodes) {
		keep_split(row, split);
		count_parameters(nodes, gm, graph);
		returns_tuple(nodes, graph);
		whole = py_text_utf8(PyTuple_GET_ITEM(row, 0)); /* torch 2.6 names it when all parts are compiled */
		name = PyUnicode_FromFormat("%s.%s", whole ? whole : "", part);
		copy = graphs_wrap(nodes);
		added = name && copy ? PyTuple_Pack(2, name, copy) : NULL;
		if (added)
			PyList_Append(c->parts.graphs, added);
	}
	PyErr_Clear();
	Py_XDECREF(added);
	Py_XDECREF(copy);
	Py_XDECREF(name);
	Py_XDECREF(graph);
	Py_XDECREF(split);
}

/* The result calls what the backend made of the part. */
static void part_goes(struct call *call)
{
	struct compiling *c = compiling_top();
	PyObject *gm = call_arg(call, 1, "input_mod"), *row = c && call->result ? compiling_last(c) : NULL, *compiled;

	if (!gm || !row || row == compiling_whole(c) || stages_any())
		return;
	compiled = attr(call->result, "submod");
	if (compiled)
		stages_note_changed(gm, compiled, row);
	PyErr_Clear();
	Py_XDECREF(compiled);
}

const struct watcher watch_part = { .before = part_comes, .after = part_goes };
