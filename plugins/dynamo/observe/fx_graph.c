/* SPDX-License-Identifier: BSD-3-Clause */
/* Copies FX graphs to plain data when Dynamo passes them to the backend.  Values are summarized, never computed
   with.  Knows no view; of entries it knows only how to find a graph by name. */
#include "code/dynamo_code.h"
#include "model/compiling.h"
#include "model/graph.h"
#include "model/ints.h"
#include "model/source_line.h"
#include "observe/dynamo_observe.h"
#include "observe/fx_graph.h"
#include "torch/attrs.h"
#include "torch/dynamo_torch.h"
#include "torch/py_text.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- sizes and strides of a node's example value, symbolic and as numbers ----------------------------------- */

static bool is_symbolic(PyObject *v)
{
	return !strncmp(_PyType_Name(Py_TYPE(v)), "Sym", 3);
}

/* Its expression, without spaces. */
static void add_expression(PyObject *v, struct buf *out)
{
	PyObject *text = PyObject_Str(v);
	const char *p = py_text_utf8(text);

	for (; p && *p; p++)
		if (*p != ' ')
			buf_addc(out, *p);
	PyErr_Clear();
	Py_XDECREF(text);
}

/* The number that a symbolic one had when it was traced: its hint, which adds no guard; "?": there is none. */
static void add_traced_number(PyObject *v, struct buf *out)
{
	PyObject *node = attr(v, "node"), *hint = node ? attr(node, "hint") : NULL;

	if (hint && (PyLong_Check(hint) || PyFloat_Check(hint)))
		add_expression(hint, out);
	else
		buf_addc(out, '?');
	PyErr_Clear();
	Py_XDECREF(hint);
	Py_XDECREF(node);
}

/* "[s0,1]"; true: a number of them is symbolic. */
static bool add_size_list(PyObject *list, bool hints, struct buf *out)
{
	bool symbolic = false;
	Py_ssize_t i;
	PyObject *v;

	buf_addc(out, '[');
	for (i = 0; i < PyTuple_GET_SIZE(list); i++) {
		v = PyTuple_GET_ITEM(list, i);
		if (i)
			buf_addc(out, ',');
		symbolic |= is_symbolic(v);
		if (hints && is_symbolic(v))
			add_traced_number(v, out);
		else
			add_expression(v, out);
	}
	buf_addc(out, ']');
	return symbolic;
}

/* What a method of the tensor answers, a tuple; a new reference or NULL. */
static PyObject *asked(PyObject *tensor, const char *method)
{
	PyObject *v = PyObject_CallMethod(tensor, method, NULL);

	PyErr_Clear();
	if (v && !PyTuple_Check(v))
		Py_CLEAR(v);
	return v;
}

static void node_shape_read(struct node *n, PyObject *example)
{
	struct buf strides = { 0 }, concrete = { 0 };
	PyObject *size, *stride;
	bool symbolic;

	if (is_symbolic(example)) {
		add_traced_number(example, &concrete);
		n->concrete = buf_detach(&concrete);
	}
	if (strcmp(_PyType_Name(Py_TYPE(example)), "FakeTensor")) /* others may run the program's code */
		return;
	size = asked(example, "size");
	stride = asked(example, "stride");
	if (size && stride) {
		symbolic = add_size_list(stride, false, &strides);
		symbolic |= add_size_list(size, true, &concrete);
		buf_addc(&concrete, ' ');
		add_size_list(stride, true, &concrete);
		n->stride = buf_detach(&strides);
		if (symbolic)
			n->concrete = buf_detach(&concrete);
	}
	buf_release(&concrete);
	Py_XDECREF(stride);
	Py_XDECREF(size);
}

/* Sets stride and concrete of n nodes; examples is a list of as many values: those that are traced tensors or symbolic
   numbers are read. */
/* The program's modes are off meanwhile: entering and leaving that state takes longer than asking a tensor. */
static void node_shapes_read(struct node *node, int n, PyObject *examples)
{
	PyObject *guard = no_function_enter();
	int i;

	for (i = 0; guard && i < n && i < PyList_GET_SIZE(examples); i++)
		if (PyList_GET_ITEM(examples, i) != Py_None)
			node_shape_read(&node[i], PyList_GET_ITEM(examples, i));
	no_function_leave(guard);
}

enum { DEEP = 6, SUMMARY = 100, ARGS = 4000 };

static struct nodes *read_graph(PyObject *graph, int deep);

/* The state while one graph is read. */
struct reading {
	struct nodes *g;
	PyObject *index;    /* owned: name -> index */
	PyObject *examples; /* owned: the example value of each node, or None */
	PyTypeObject *node; /* borrowed: the type of its nodes */
	const char *trace;  /* the last one that was read, borrowed from `held` */
	int traced;	    /* the node that has it */
	PyObject *held;	    /* owned */
};

static const char *string_text(PyObject *v)
{
	const char *s = v && PyUnicode_Check(v) ? PyUnicode_AsUTF8(v) : NULL;

	PyErr_Clear();
	return s;
}

/* ---- where a node was written ---------------------------------------------------------------------------- */

/* "  File "F", line N, in NAME" rows, outermost first, each with its source below. */
static void add_spots(struct nodes *g, const char *t, bool *own)
{
	const char *file, *quote, *in, *end, *code = NULL;
	struct source_line s = { 0 };

	while ((t = strstr(t, "  File \""))) {
		file = t + 8;
		quote = strstr(file, "\", line ");
		in = quote ? strstr(quote, ", in ") : NULL;
		end = in ? strchr(in, '\n') : NULL;
		if (!end)
			break;
		s.line = atoi(quote + 8);
		s.file = py_text_keep_part(file, (size_t)(quote - file));
		s.function = py_text_keep_part(in + 5, (size_t)(end - in - 5));
		s.own = *own;
		*own = false;
		g->spot = mem_grow(g->spot, &g->spots_cap, (size_t)g->nspots + 1, sizeof(*g->spot));
		g->spot[g->nspots++] = s;
		t = end;
		code = end + 1 + strspn(end + 1, " ");
	}
	if (code)
		g->spot[g->nspots - 1].code = py_text_keep_part(code, strcspn(code, "\n"));
}

static void read_spots(struct reading *r, struct node *n, PyObject *trace)
{
	const char *t = py_text_utf8(trace);
	const struct node *before;
	bool own = true;

	n->user = -1;
	if (!t && trace && PyUnicode_Check(trace))
		t = py_text_utf8_kept(trace); /* the file name has a lone surrogate */
	if (!t)
		return;
	if (r->trace && !strcmp(r->trace, t)) { /* often the node before is from the same line */
		before = &r->g->node[r->traced];
		n->spot = before->spot;
		n->nspots = before->nspots;
		n->user = before->user;
	} else {
		n->spot = r->g->nspots;
		add_spots(r->g, t, &own);
		n->nspots = r->g->nspots - n->spot;
		n->user = source_line_inner(r->g->spot + n->spot, n->nspots);
		if (n->user < 0 && n->nspots && caller_spot(compiling_top()))
			r->g->called = *caller_spot(compiling_top());
	}
	Py_XSETREF(r->held, Py_NewRef(trace));
	r->trace = t;
	r->traced = r->g->n;
}

bool fx_graph_line(PyObject *trace, struct source_line *out)
{
	const char *t = trace && PyUnicode_Check(trace) ? py_text_utf8_kept(trace) : NULL;
	struct nodes g = { 0 };
	bool own = false;
	int at = -1;

	if (t) {
		add_spots(&g, t, &own);
		at = source_line_inner(g.spot, g.nspots);
	}
	if (at >= 0)
		*out = g.spot[at];
	free(g.spot);
	return at >= 0;
}

/* ---- modules --------------------------------------------------------------------------------------------- */

/* A class, or its name with the module's. */
static const char *class_name(PyObject *v)
{
	const char *full = v && PyType_Check(v) ? ((PyTypeObject *)v)->tp_name : py_text_utf8(v);
	const char *dot = full ? strrchr(full, '.') : NULL;

	return dot ? dot + 1 : full ? full : "";
}

/* "L['self'].layer.0" without the variable: "layer.0". */
static const char *without_root(const char *path)
{
	const char *end = py_text_begins_with(path, "L['") || py_text_begins_with(path, "G['") ? strstr(path, "']") :
												 NULL;

	return end ? end + 2 + (end[2] == '.') : path;
}

const char *fx_graph_module_text(PyObject *stack)
{
	PyObject *key, *row = NULL;
	const char *path, *result;
	Py_ssize_t at = 0;
	char *text;

	while (stack && PyDict_Check(stack) && PyDict_Next(stack, &at, &key, &row))
		;
	if (!row || !PyTuple_Check(row) || PyTuple_GET_SIZE(row) < 2)
		return NULL;
	path = py_text_utf8(PyTuple_GET_ITEM(row, 0));
	text = mem_fmt("%s (%s)", path ? without_root(path) : "?", class_name(PyTuple_GET_ITEM(row, 1)));
	result = py_text_keep(text + (*text == ' '));
	free(text);
	return result;
}

const char *fx_graph_module(PyObject *meta)
{
	PyObject *stack = PyDict_GetItemString(meta, "nn_module_stack");

	return fx_graph_module_text(stack ? stack : PyDict_GetItemString(meta, "fwd_nn_module_stack"));
}

/* ---- arguments ------------------------------------------------------------------------------------------- */

/* Adds text up to a limit.  Inputs are recorded even beyond it. */
static void add_bounded(struct buf *out, const char *s)
{
	if (out->len < ARGS)
		buf_addf(out, "%s", s);
}

static void add_arg(struct reading *r, struct node *n, PyObject *v, struct buf *out, int deep);

static void add_items(struct reading *r, struct node *n, PyObject *v, const char *open, const char *close,
		      struct buf *out, int deep)
{
	Py_ssize_t i, size = PySequence_Fast_GET_SIZE(v);

	add_bounded(out, open);
	for (i = 0; i < size; i++) {
		add_bounded(out, i ? ", " : "");
		add_arg(r, n, PySequence_Fast_GET_ITEM(v, i), out, deep + 1);
	}
	add_bounded(out, PyTuple_Check(v) && size == 1 && *close ? ",)" : close);
}

static void add_map(struct reading *r, struct node *n, PyObject *v, struct buf *out, int deep)
{
	PyObject *key, *value;
	Py_ssize_t at = 0;
	int i = 0;

	add_bounded(out, "{");
	while (PyDict_Next(v, &at, &key, &value)) {
		add_bounded(out, i++ ? ", " : "");
		add_arg(r, n, key, out, deep + 1);
		add_bounded(out, ": ");
		add_arg(r, n, value, out, deep + 1);
	}
	add_bounded(out, "}");
}

/* "1:n" where Python reads it so, inside brackets, and "slice(1, n, None)" elsewhere. */
static void add_slice(struct reading *r, struct node *n, PyObject *v, struct buf *out, int deep)
{
	PySliceObject *s = (PySliceObject *)v;
	PyObject *part[] = { s->start, s->stop, s->step };
	bool inside = deep <= 2 && graphs_is_subscript(n);
	int i, last = inside && s->step == Py_None ? 2 : 3;

	add_bounded(out, inside ? "" : "slice(");
	for (i = 0; i < last; i++) {
		add_bounded(out, !i ? "" : inside ? ":" : ", ");
		if (!inside || part[i] != Py_None)
			add_arg(r, n, part[i], out, deep + 1);
	}
	add_bounded(out, inside ? "" : ")");
}

/* Constants of torch (torch.float16, 'cpu') are printed as they are written in source, its operators by their names. */
static bool is_plain_torch(PyObject *v)
{
	const char *type = Py_TYPE(v)->tp_name;

	return !strcmp(type, "torch.dtype") || !strcmp(type, "torch.device") || !strcmp(type, "torch.layout") ||
	       !strcmp(type, "torch.memory_format") || strstr(type, "OpOverload");
}

static void add_arg(struct reading *r, struct node *n, PyObject *v, struct buf *out, int deep)
{
	struct buf summary = { 0 };
	PyObject *a, *at;
	const char *quote;

	if (deep > DEEP) {
		add_bounded(out, "...");
	} else if (PyObject_TypeCheck(v, r->node)) {
		a = attr(v, "name");
		at = a ? PyDict_GetItem(r->index, a) : NULL;
		if (at)
			ints_add(&n->in, &n->nin, (int)PyLong_AsLong(at));
		add_bounded(out, string_text(a) ? string_text(a) : "?");
		Py_XDECREF(a);
	} else if (PyTuple_Check(v)) {
		add_items(r, n, v, "(", ")", out, deep);
	} else if (PyList_Check(v)) {
		add_items(r, n, v, "[", "]", out, deep);
	} else if (PyDict_Check(v)) {
		add_map(r, n, v, out, deep);
	} else if (PySlice_Check(v)) {
		add_slice(r, n, v, out, deep);
	} else if (is_plain_torch(v)) {
		a = PyObject_Str(v);
		quote = strcmp(Py_TYPE(v)->tp_name, "torch.device") ? "" : "'";
		add_bounded(out, quote);
		add_bounded(out, string_text(a) ? string_text(a) : "?");
		add_bounded(out, quote);
		Py_XDECREF(a);
	} else if (PyFloat_CheckExact(v) && !isfinite(PyFloat_AS_DOUBLE(v))) {
		add_bounded(out, isnan(PyFloat_AS_DOUBLE(v)) ? "float('nan')" :
				 PyFloat_AS_DOUBLE(v) < 0    ? "float('-inf')" :
							       "float('inf')");
	} else {
		host->values.show((struct py_obj *)v, &summary, SUMMARY);
		add_bounded(out, summary.s ? summary.s : "?");
		buf_release(&summary);
	}
	PyErr_Clear();
}

static void read_args(struct reading *r, struct node *n, PyObject *node)
{
	PyObject *args = attr(node, "args"), *kwargs = attr(node, "kwargs"), *key, *value;
	struct buf out = { 0 };
	Py_ssize_t at = 0;

	if (args && PyTuple_Check(args))
		add_items(r, n, args, "", "", &out, 0);
	while (kwargs && PyDict_Check(kwargs) && PyDict_Next(kwargs, &at, &key, &value)) {
		add_bounded(&out, out.len ? ", " : "");
		add_bounded(&out, string_text(key) ? string_text(key) : "?");
		add_bounded(&out, "=");
		add_arg(r, n, value, &out, 0);
	}
	n->args = mem_fmt("%s%s", buf_str(&out), out.len >= ARGS ? "..." : "");
	buf_release(&out);
	Py_XDECREF(kwargs);
	Py_XDECREF(args);
}

/* ---- one node -------------------------------------------------------------------------------------------- */

/* The name of the function in source: "operator.add", "torch.chunk", "aten.add", "sin". */
const char *fx_graph_target(PyObject *node)
{
	PyObject *v = attr(node, "target"), *module = NULL, *name = NULL;
	const char *s = string_text(v), *m, *result;
	char *full;

	if (s) {
		result = py_text_keep(s);
		Py_DECREF(v);
		return result;
	}
	if (v && !PyCallable_Check(v))
		Py_CLEAR(v);
	if (v && strstr(Py_TYPE(v)->tp_name, "OpOverload")) { /* "aten.add", "aten.add.Tensor" */
		name = PyObject_Str(v);
	} else {
		module = attr(v, "__module__");
		name = attr(v, "__name__");
	}
	m = string_text(module);
	if (m && !strcmp(m, "_operator"))
		m = "operator";
	full = mem_fmt("%s%s%s", m ? m : "", m ? "." : "", string_text(name) ? string_text(name) : "?");
	result = py_text_keep(full);
	free(full);
	PyErr_Clear();
	Py_XDECREF(name);
	Py_XDECREF(module);
	Py_XDECREF(v);
	return result;
}

/* Where a placeholder's value comes from, as guards name it. */
static const char *placeholder_source(PyObject *meta)
{
	PyObject *arg = meta ? PyDict_GetItemString(meta, "grapharg") : NULL; /* borrowed */
	PyObject *source = attr(arg, "source"), *name = attr(source, "name"), *s = name;
	const char *result = NULL;

	if (name && PyCallable_Check(name)) /* a method before torch 2.9 */
		s = PyObject_CallNoArgs(name);
	else
		Py_XINCREF(s);
	PyErr_Clear();
	if (string_text(s))
		result = py_text_keep(string_text(s));
	Py_XDECREF(s);
	Py_XDECREF(name);
	Py_XDECREF(source);
	return result;
}

/* All tensors here are fake ones, so the summary leaves out that word. */
static char *example_text(PyObject *example)
{
	static const char fake[] = "fake ";
	struct buf b = { 0 };
	PyObject *s = NULL, *list = NULL;
	char *at, *copy;

	if (example && !strncmp(_PyType_Name(Py_TYPE(example)), "Sym", 3)) {
		s = PyObject_Str(example); /* its expression; Dynamo would guard its value */
		buf_adds(&b, string_text(s) ? string_text(s) : "");
		Py_XDECREF(s);
	} else if (example) {
		if (PyList_Check(example) &&
		    !PyList_CheckExact(example)) /* fx has a list of its own that cannot change */
			list = PyList_GetSlice(example, 0, PyList_GET_SIZE(example));
		host->values.show((struct py_obj *)(list ? list : example), &b, SUMMARY);
		Py_XDECREF(list);
	}
	while (b.s && (at = strstr(b.s, fake)))
		memmove(at, at + strlen(fake), strlen(at + strlen(fake)) + 1);
	copy = mem_str(buf_str(&b));
	buf_release(&b);
	return copy;
}

/* The names in meta['from_node'], a list of sources, each with a list of its own sources. */
static void add_sources(PyObject *list, struct buf *out, int deep)
{
	PyObject *source, *name, *inner;
	Py_ssize_t i;

	for (i = 0; list && PyList_Check(list) && i < PyList_GET_SIZE(list) && deep < DEEP; i++) {
		source = PyList_GET_ITEM(list, i);
		name = attr(source, "name");
		if (string_text(name))
			buf_addf(out, "%s%s", out->len ? " " : "", string_text(name));
		inner = attr(source, "from_node");
		add_sources(inner, out, deep + 1);
		Py_XDECREF(inner);
		Py_XDECREF(name);
	}
}

static char *sources_of(PyObject *meta)
{
	PyObject *list = meta ? PyDict_GetItemString(meta, "from_node") : NULL;
	struct buf b = { 0 };

	if (!list || !PyList_Check(list) || !PyList_GET_SIZE(list))
		return NULL;
	add_sources(list, &b, 0);
	return buf_detach(&b);
}

static long sequence_number(PyObject *meta)
{
	PyObject *number = meta ? PyDict_GetItemString(meta, "seq_nr") : NULL;
	long n = number && PyLong_Check(number) ? PyLong_AsLong(number) : -1;

	PyErr_Clear();
	return n + 1;
}

static void read_node(struct reading *r, PyObject *node)
{
	struct nodes *g = r->g;
	PyObject *name = attr(node, "name"), *op = attr(node, "op"), *meta = attr(node, "meta"), *at, *trace, *example;
	struct node n = { 0 };

	if (meta && !PyDict_Check(meta))
		Py_CLEAR(meta);
	n.name = mem_str(string_text(name) ? string_text(name) : "?");
	n.op = py_text_keep(string_text(op) ? string_text(op) : "?");
	n.target = fx_graph_target(node);
	if (!strcmp(n.op, "placeholder"))
		n.source = placeholder_source(meta);
	read_args(r, &n, node);
	example = meta ? PyDict_GetItemString(meta, "example_value") : NULL;
	if (!example)
		example = meta ? PyDict_GetItemString(meta, "val") : NULL;
	n.value = example_text(example);
	if (r->examples)
		PyList_Append(r->examples, example ? example : Py_None);
	n.from = sources_of(meta);
	n.number = sequence_number(meta);
	n.module = meta && PyDict_Check(meta) ? fx_graph_module(meta) : NULL;
	trace = meta ? PyDict_GetItemString(meta, "stack_trace") : NULL;
	read_spots(r, &n, trace);
	at = PyLong_FromLong(g->n);
	if (at && name)
		PyDict_SetItem(r->index, name, at);
	g->node = mem_grow(g->node, &g->cap, (size_t)g->n + 1, sizeof(*g->node));
	g->node[g->n++] = n;
	PyErr_Clear();
	Py_XDECREF(at);
	Py_XDECREF(meta);
	Py_XDECREF(op);
	Py_XDECREF(name);
}

/* The module that a get_attr node names, if it is a graph: "sub", "layer.sub".  A new reference or NULL. */
static PyObject *named_module(PyObject *owner, const char *target)
{
	PyObject *v = Py_XNewRef(owner), *kind = attrs_get(ATTR_FX_MODULE);
	const char *dot;
	char *part;

	for (; v && target; target = dot ? dot + 1 : NULL) {
		dot = strchr(target, '.');
		part = mem_fmt("%.*s", (int)(dot ? dot - target : (long)strlen(target)), target);
		Py_SETREF(v, attr(v, part));
		free(part);
	}
	if (v && (!kind || PyObject_IsInstance(v, kind) <= 0))
		Py_CLEAR(v);
	PyErr_Clear();
	Py_XDECREF(kind);
	return v;
}

/* Graphs of higher-order operators. */
static void read_subgraphs(struct nodes *g, PyObject *graph, int deep)
{
	PyObject *owner = attr(graph, "owning_module"), *module, *inner;
	struct nodes *nodes;
	int i;

	for (i = 0; owner && deep < DEEP && i < g->n; i++) {
		if (strcmp(g->node[i].op, "get_attr") || graphs_sub(g, g->node[i].target))
			continue;
		module = named_module(owner, g->node[i].target);
		inner = module ? attr(module, "graph") : NULL;
		nodes = inner ? read_graph(inner, deep + 1) : NULL;
		if (nodes)
			graphs_add_sub(g, g->node[i].target, nodes);
		Py_XDECREF(inner);
		Py_XDECREF(module);
	}
	Py_XDECREF(owner);
}

static struct nodes *read_graph(PyObject *graph, int deep)
{
	PyObject *nodes = attr(graph, "nodes"), *it = nodes ? PyObject_GetIter(nodes) : NULL, *node;
	struct reading r = { .index = it ? PyDict_New() : NULL };

	if (r.index)
		r.g = mem_alloc(sizeof(*r.g));
	r.examples = r.g ? PyList_New(0) : NULL;
	while (r.index && (node = PyIter_Next(it))) {
		r.node = Py_TYPE(node);
		read_node(&r, node);
		Py_DECREF(node);
	}
	PyErr_Clear();
	if (r.examples)
		node_shapes_read(r.g->node, r.g->n, r.examples);
	Py_XDECREF(r.examples);
	Py_XDECREF(r.held);
	Py_XDECREF(r.index);
	Py_XDECREF(it);
	Py_XDECREF(nodes);
	if (r.g)
		read_subgraphs(r.g, graph, deep);
	return r.g;
}

struct nodes *graphs_read(PyObject *graph)
{
	return read_graph(graph, 0);
}
