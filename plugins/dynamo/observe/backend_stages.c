/* SPDX-License-Identifier: BSD-3-Clause */
/* The stages of a captured graph after Dynamo: AOTAutograd's joint, forward and backward graphs, inductor's graph after
   its passes and the code it writes.  They are copied where torch logs them; no object of torch is kept. */
#include "code/crash_notes.h"
#include "model/compiling.h"
#include "model/entry.h"
#include "model/graph.h"
#include "model/node_match.h"
#include "model/stages.h"
#include "observe/backend_stages.h"
#include "observe/dynamo_observe.h"
#include "observe/fx_graph.h"
#include "observe/graph_keep.h"
#include "observe/phase_times.h"
#include "torch/attrs.h"
#include "torch/py_text.h"
#include "torch/wrapper.h"
#include <stdlib.h>
#include <string.h>

/* Inputs that a compiled graph writes, as optimizers, caches and buffers of modules are: found by its nodes, the code
   itself is not read. */

/* "aten.copy_.default": after AOTAutograd, which makes others of what the program writes in place, few are left. */
static bool writes_first(const struct nodes *g, const struct node *n)
{
	const char *end = strrchr(n->target, '.');

	return !strcmp(n->op, "call_function") && n->nin && end && end > n->target && end[-1] == '_' &&
	       !strcmp(g->node[n->in[0]].op, "placeholder");
}

/* What inductor records of the buffer that a node is computed in: all nodes that take part. */
static const char *all_of(const struct stage *code, const char *node)
{
	int i;

	for (i = 0; i < code->norigins; i++)
		if (py_text_lists(code->origin[i].all, node))
			return code->origin[i].all;
	return node;
}

/* Adds them to the origins of inductor's code, whose variables hold after it the values of nodes in g, the graph that
   the code was made of. */
static void written_inputs_add(struct stage *code, const struct nodes *g)
{
	size_t cap = (size_t)code->norigins;
	const struct node *n, *value;
	int i;

	for (i = 0; g && i < g->n; i++) {
		n = &g->node[i];
		if (!writes_first(g, n))
			continue;
		value = strncmp(n->target, "aten.copy_.", 11) || n->nin < 2 ? n : &g->node[n->in[1]];
		if (!strcmp(value->op, "placeholder"))
			value = n;
		code->origin = mem_grow(code->origin, &cap, (size_t)code->norigins + 1, sizeof(*code->origin));
		code->origin[code->norigins++] = (struct origin){
			.buffer = mem_str(g->node[n->in[0]].name),
			.node = mem_str(value->name),
			.all = mem_str(value == n ? n->name : all_of(code, value->name)),
		};
	}
}

/* What the nodes of a graph stand for that a backend made of the captured one by passes of its own. */

/* A captured node, and those before it that are gone, too, nearest first. */
static void add_gone(const struct node_match *m, const struct node *n, struct buf *names)
{
	const struct node *a;
	int k;

	buf_addf(names, "%s%s", names->len ? " " : "", n->name);
	for (k = 0; k < n->nin; k++) {
		a = &m->a->node[n->in[k]];
		if (graphs_computes(a) && !m->used[n->in[k]] && !py_text_lists(names->s, a->name))
			add_gone(m, a, names);
	}
}

static void note_origin(const struct node_match *m, struct node *n, int i)
{
	struct buf names = { 0 };

	if (n->from || m->of[i] < 0 || !graphs_computes(n))
		return;
	if (m->instead[i])
		add_gone(m, &m->a->node[m->of[i]], &names);
	else
		buf_adds(&names, m->a->node[m->of[i]].name);
	n->from = mem_str(names.s);
	buf_release(&names);
}

static void give_line(struct nodes *now, struct node *n, struct source_line at)
{
	now->spot = mem_grow(now->spot, &now->spots_cap, (size_t)now->nspots + 1, sizeof(*now->spot));
	now->spot[now->nspots] = at;
	n->spot = now->nspots++;
	n->nspots = 1;
	n->user = 0;
}

/* That of the captured node; of a node that is computed for one that stands for a gone one, the line of that. */
static void place_node(struct node_match *m, struct nodes *now, int i)
{
	struct node *n = &now->node[i];
	const struct source_line *at = NULL;
	int user;

	if (!graphs_computes(n) || graphs_line(now, n))
		return;
	if (m->of[i] >= 0) {
		at = graphs_line(m->a, &m->a->node[m->of[i]]);
	} else if (graphs_users(now, i, &user, 1) && m->instead[user]) {
		at = graphs_line(now, &now->node[user]);
		m->instead[i] = true;
	}
	if (at)
		give_line(now, n, *at);
}

/* Sets the captured nodes that a node was made of, and its line, where torch notes none.  A node stands for the
   captured one of its name; a new one for what a captured node took, or the output, in the place where it is taken. */
static void changed_nodes_trace(struct nodes *now, const struct nodes *captured)
{
	struct node_match m;
	int i;

	node_match_find(&m, captured, now, NODE_MATCH_CHANGED);
	for (i = now->n - 1; i >= 0; i--) {
		note_origin(&m, &now->node[i], i);
		place_node(&m, now, i);
	}
	node_match_release(&m);
}

static const enum attr_id wrapped[] = {
	ATTR_JOINT,	     ATTR_FORWARD_BACKWARD, ATTR_INFERENCE, ATTR_CACHED, ATTR_LOWERED,	  ATTR_LOGS_TRAINED,
	ATTR_LOGS_INFERENCE, ATTR_CACHED_OLD,	    ATTR_LOADED,    ATTR_PART,	 ATTR_LOWER_NODE,
};

static struct stage *stage_new(const char *name)
{
	struct stage *s = mem_alloc(sizeof(*s));

	s->name = py_text_keep(name);
	s->aot_id = -1;
	s->lowering = -1;
	return s;
}

/* ---- where they come from -------------------------------------------------------------------------------------- */

/* A backward graph may be compiled when it first runs, long after its entry: torch knows the entry that it
   belongs to. */
static struct entry *entry_of_context(void)
{
	PyObject *get = attrs_get(ATTR_COMPILE_ID), *id = get ? PyObject_CallNoArgs(get) : NULL;
	PyObject *text = id && id != Py_None ? PyObject_Str(id) : NULL;
	const char *raw = text ? PyUnicode_AsUTF8(text) : NULL;
	struct entry *e, *found = NULL;

	PyErr_Clear();
	for (e = model_entries; raw && e; e = e->next)
		if (e->raw && !strcmp(e->raw, raw))
			found = e; /* the newest entry with that id */
	Py_XDECREF(text);
	Py_XDECREF(id);
	Py_XDECREF(get);
	return found;
}

/* Inductor's number of the compile whose code is made or loaded now, which a graph and its backward graph have in
   common; -1: none is. */
static long lowered_id = -1;

/* Code of a backward graph that is compiled, or taken from torch's cache, when it first runs: what it belongs to is
   known now, before that. */
static void note_late(void)
{
	struct entry *e = compiling_top() ? NULL : entry_of_context();

	if (e)
		crash_notes_graphs(e);
}

static long inductor_number(PyObject *v, const char *name)
{
	PyObject *n = v && PyDict_Check(v) ? Py_XNewRef(PyDict_GetItemString(v, name)) : attr(v, name);
	long number = n && PyLong_Check(n) ? PyLong_AsLong(n) : -1;

	PyErr_Clear();
	Py_XDECREF(n);
	return number;
}

/* The graph of an entry that a backward graph belongs to whose code is made when it first runs: the one of the forward
   graph with the same number, else the last; NULL: it has no graph. */
static const char *late_graph(const struct entry *e)
{
	const struct stage *s;

	for (s = e->made.stages; s && lowered_id >= 0; s = s->next)
		if (s->lowering == lowered_id)
			return s->graph;
	return e->made.ngraphs ? e->made.graph[e->made.ngraphs - 1].full : NULL;
}

/* The graph that was passed to the backend last: the stages that are made now belong to it. "": torch 2.6, which
   names the graph only when the backend has returned. */
static char *last_graph(struct compiling *c)
{
	Py_ssize_t n = PyList_GET_SIZE(c->parts.graphs);
	PyObject *name = n ? PyTuple_GET_ITEM(PyList_GET_ITEM(c->parts.graphs, n - 1), 0) : NULL;
	const char *s = name && PyUnicode_Check(name) ? PyUnicode_AsUTF8(name) : NULL;

	PyErr_Clear();
	return s || name == Py_None ? mem_str(s ? s : "") : NULL;
}

/* Adds s, which the list owns from now on; it replaces a stage of the same name.  again: s was made for a command, and
   the program's own stage is kept beside it. */
static void replace_stage(struct stage **at, struct stage *s, bool again)
{
	model_graphs_version++;
	while (*at && !((*at)->name == s->name && !strcmp((*at)->graph, s->graph)))
		at = &(*at)->next;
	if (*at) {
		struct stage *old = *at;

		s->next = old->next;
		old->next = NULL;
		if (again) {
			s->ran = old->ran ? old->ran : old;
			old->ran = NULL;
		} /* else Dynamo started the compile again */
		if (s->ran != old)
			stage_free(old);
	}
	*at = s;
}

/* The number of AOTAutograd's compile that began last: its counter, an itertools.count, shows the next. */
static long aot_id_now(void)
{
	PyObject *counter = attrs_get(ATTR_AOT_COUNTER), *text = counter ? PyObject_Repr(counter) : NULL;
	const char *s = py_text_utf8(text);
	long next = 0;

	PyErr_Clear();
	if (s && py_text_begins_with(s, "count("))
		next = strtol(s + strlen("count("), NULL, 10);
	Py_XDECREF(text);
	Py_XDECREF(counter);
	return next - 1;
}

static void compile_add_stage(struct stage *s)
{
	struct compiling *c = compiling_top();
	struct entry *e = c ? NULL : entry_of_context();
	struct stage **at = c ? &c->parts.stages : e ? &e->made.stages : NULL;

	if (c) {
		s->graph = last_graph(c);
		s->aot_id = aot_id_now();
	} else if (e)
		s->graph = mem_str(late_graph(e));
	s->lowering = lowered_id;
	if (!at || !s->graph)
		stage_free(s);
	else
		replace_stage(at, s, false);
}

static void put_module(const char *name, PyObject *module)
{
	PyObject *graph = module ? attr(module, "graph") : NULL;
	struct nodes *nodes = graph ? graphs_read(graph) : NULL;
	struct stage *s = nodes ? stage_new(name) : NULL;

	Py_XDECREF(graph);
	if (!s)
		return;
	s->copy = nodes;
	compile_add_stage(s);
}

static void read_written_inputs(const struct entry *e, struct stage *code)
{
	written_inputs_add(code, stages_lowered(e->made.stages, code));
}

/* lowering: the object whose buffers are recorded, or NULL. */
static void put_code(const char *name, PyObject *text, PyObject *lowering)
{
	const char *s = text && PyUnicode_Check(text) ? PyUnicode_AsUTF8(text) : NULL;
	struct stage *stage = s ? stage_new(name) : NULL;

	PyErr_Clear();
	if (!stage)
		return;
	stage->text = mem_str(s);
	if (lowering) {
		lowered_origins_add(stage, lowering);
		stage->read = read_written_inputs;
	}
	compile_add_stage(stage);
}

/* It waits until somebody looks at it: to load compiled code is quick. */
static void read_cached(const struct entry *e, struct stage *s)
{
	if (s->cached)
		cache_notes_find(e, s);
	if (!strncmp(s->name, "kernel", 6))
		read_written_inputs(e, s);
}

/* A graph that torch's cache keeps as text. */
static void put_graph_text(const char *name, PyObject *text)
{
	const char *s = py_text_utf8(text);
	struct stage *stage = s ? stage_new(name) : NULL;

	if (!stage)
		return;
	stage->cached = true;
	stage->text = mem_str(s);
	stage->read = read_cached;
	compile_add_stage(stage);
}

static void put_cached(PyObject *result)
{
	PyObject *joint = attr(result, "aot_joint_graph_str");
	PyObject *forward = attr(result, "aot_forward_graph_str");
	PyObject *backward = attr(result, "aot_backward_graph_str");

	put_graph_text("joint", joint);
	put_graph_text(backward && backward != Py_None ? "forward" : "inference", forward);
	put_graph_text("backward", backward);
	Py_XDECREF(backward);
	Py_XDECREF(forward);
	Py_XDECREF(joint);
}

/* torch is about to log a graph: it is the first argument. */
static void joint(struct call *call)
{
	if (call->n)
		put_module("joint", call->arg[0]);
}

static void inference(struct call *call)
{
	if (call->n)
		put_module("inference", call->arg[0]);
}

static void forward_backward(struct call *call)
{
	if (call->n < 2)
		return;
	put_module("forward", call->arg[0]);
	put_module("backward", call->arg[1]);
}

/* torch 2.6 logs them by lazy_format_graph_code("Joint graph", graph module, ...), one call a graph. */
static void put_logged(const char *name, PyObject *module)
{
	PyObject *code = attr(module, "code"); /* its function is generated now, which the interpreter would not need */

	Py_XDECREF(code);
	PyErr_Clear();
	put_module(name, module);
	interpreted_watch(); /* aot_eager runs it by the interpreter in that version */
}

static void logs_trained(struct call *call)
{
	static const char *const stages[][2] = {
		{ "Joint graph", "joint" },
		{ "Forward graph", "forward" },
		{ "Backward graph", "backward" },
	};
	size_t i;

	for (i = 0; call->n > 1 && i < sizeof(stages) / sizeof(*stages); i++)
		if (PyUnicode_Check(call->arg[0]) && !PyUnicode_CompareWithASCIIString(call->arg[0], stages[i][0]))
			put_logged(stages[i][1], call->arg[1]);
}

static void logs_inference(struct call *call)
{
	if (call->n > 1)
		put_logged("inference", call->arg[1]);
}

static void cached(struct call *call)
{
	if (call->n)
		put_cached(call->arg[0]);
}

const struct watcher watch_joint = { .before = joint }, watch_inference = { .before = inference },
		     watch_forward_backward = { .before = forward_backward }, watch_cached = { .before = cached },
		     watch_logs_trained = { .before = logs_trained },
		     watch_logs_inference = { .before = logs_inference };

/* The text of the file that inductor wrote. */
static PyObject *written_source(PyObject *module)
{
	PyObject *path = attr(module, "__file__"), *io = PyImport_ImportModuleLevel("io", NULL, NULL, NULL, 0),
		 *text = NULL, *done;
	PyObject *file = path && io ? PyObject_CallMethod(io, "open", "O", path) : NULL;

	text = file ? PyObject_CallMethod(file, "read", NULL) : NULL;
	PyErr_Clear();
	done = file ? PyObject_CallMethod(file, "close", NULL) : NULL;
	PyErr_Clear();
	Py_XDECREF(done);
	Py_XDECREF(file);
	Py_XDECREF(io);
	Py_XDECREF(path);
	return text;
}

/* That stage of the graph that is compiled now, any if name is NULL; or NULL. */
static struct stage *stage_now(const char *name)
{
	struct compiling *c = compiling_top();
	struct entry *e = c ? NULL : entry_of_context();
	struct stage *s = c ? c->parts.stages : e ? e->made.stages : NULL;
	char *graph = c ? last_graph(c) : NULL;

	if (e)
		graph = mem_str(late_graph(e));
	while (s && graph && ((name && strcmp(s->name, name)) || strcmp(s->graph, graph)))
		s = s->next;
	s = graph ? s : NULL;
	free(graph);
	return s;
}

/* Notes what the code was made of that was put last. */
static void note_code(const char *name)
{
	struct compiling *c = compiling_top();
	struct entry *e = c ? NULL : entry_of_context();
	const struct stage *code = stage_now(name);
	PyObject *row = c ? compiling_last(c) : NULL;

	if (code && row)
		cache_notes_keep(PyCapsule_GetPointer(PyTuple_GET_ITEM(row, 1), "nodes"), c->parts.stages, code);
	else if (code && e)
		cache_notes_keep(stages_captured(e, code), e->made.stages, code);
	PyErr_Clear();
}

/* compile_to_module(graph lowering): inductor has written the code of a graph. */
static void graph_lowered(struct call *call)
{
	PyObject *back, *graph, *text;
	bool backward;

	if (!call->result)
		return;
	back = attr(call->arg[0], "is_backward");
	backward = back == Py_True;
	graph = attr(call->arg[0], "orig_gm");
	lowered_id = inductor_number(call->arg[0], "graph_id");
	put_module(backward ? "post-grad-backward" : "post-grad", graph);
	text = written_source(call->result);
	put_code(backward ? "kernel-backward" : "kernel", text, call->arg[0]);
	note_code(backward ? "kernel-backward" : "kernel");
	lowered_id = -1;
	note_late();
	Py_XDECREF(text);
	Py_XDECREF(graph);
	Py_XDECREF(back);
}

const struct watcher watch_lowered = { .after = graph_lowered };

static void add_buffers(struct stage *s, PyObject *buffers)
{
	PyObject *row;
	Py_ssize_t i;
	size_t cap = 0;

	for (i = 0; PyList_Check(buffers) && i < PyList_GET_SIZE(buffers); i++) {
		row = PyList_GET_ITEM(buffers, i);
		if (!PyTuple_Check(row) || PyTuple_GET_SIZE(row) != 3 || !py_text_utf8(PyTuple_GET_ITEM(row, 0)))
			continue;
		s->origin = mem_grow(s->origin, &cap, (size_t)s->norigins + 1, sizeof(*s->origin));
		s->origin[s->norigins++] = (struct origin){
			.buffer = mem_str(py_text_utf8(PyTuple_GET_ITEM(row, 0))),
			.node = py_text_str(PyTuple_GET_ITEM(row, 1)),
			.all = py_text_str(PyTuple_GET_ITEM(row, 2)),
		};
	}
}

void stages_put(struct entry *e, const char *graph, const char *name, PyObject *made, PyObject *buffers)
{
	struct stage *s;

	if (!name)
		return;
	s = stage_new(name);
	s->graph = mem_str(graph);
	if (PyUnicode_Check(made)) {
		s->text = py_text_str(made);
		add_buffers(s, buffers);
		s->read = read_written_inputs;
	} else
		s->copy = graphs_read(made);
	if (s->copy && !strcmp(name, "backend") && stages_captured(e, s))
		changed_nodes_trace(s->copy, stages_captured(e, s));
	PyErr_Clear();
	stages_of(e); /* what it takes the place of is read while it is one of them */
	if (!s->text && !s->copy) {
		stage_free(s);
		return;
	}
	replace_stage(&e->made.stages, s, true);
	if (s->text && stages_lowered(e->made.stages, s))
		cache_notes_keep(stages_captured(e, s), e->made.stages, s);
}

/* Code from the cache: its buffers and nodes are not recorded. */
static void put_cached_code(const char *name, PyObject *text)
{
	struct stage *code;

	put_code(name, text, NULL);
	code = stage_now(name);
	if (!code)
		return;
	code->cached = true;
	code->read = read_cached;
}

/* CompiledFxGraph.post_compile: code that inductor wrote, or took from its cache, is ready. */
static void code_loaded(struct call *call)
{
	PyObject *kwargs, *text, *graph;
	bool backward;

	if (!call->n)
		return;
	kwargs = attr(call->arg[0], "fx_kwargs");
	backward = kwargs && PyDict_Check(kwargs) && PyDict_GetItemString(kwargs, "is_backward") == Py_True;
	text = attr(call->arg[0], "source_code");
	graph = attr(call->arg[0], "inductor_post_grad_graph_str");
	lowered_id = inductor_number(kwargs, "graph_id");
	if (!stage_now(backward ? "kernel-backward" : "kernel")) {
		if (graph && PyUnicode_Check(graph) && PyUnicode_GET_LENGTH(graph))
			put_graph_text(backward ? "post-grad-backward" : "post-grad", graph);
		put_cached_code(backward ? "kernel-backward" : "kernel", text);
	}
	lowered_id = -1;
	note_late();
	Py_XDECREF(graph);
	Py_XDECREF(text);
	Py_XDECREF(kwargs);
}

const struct watcher watch_loaded = { .after = code_loaded };

/* torch imports the parts that a backend needs when the backend is first used. inductor's are watched from its
   first call on, which comes next. */
void stages_before(PyObject *output_graph)
{
	PyObject *backend = attr(output_graph, "compiler_fn"), *name = attr(backend, "compiler_name"), *m;
	struct compiling *c = compiling_top();
	size_t i;

	if (c)
		Py_XSETREF(c->parts.compiler, Py_XNewRef(backend));
	if (name && PyUnicode_Check(name) && !PyUnicode_CompareWithASCIIString(name, "inductor")) {
		phase_times_import(true);
		m = PyImport_ImportModuleLevel("torch._inductor.compile_fx", NULL, NULL, NULL, 0);
		PyErr_Clear();
		Py_XDECREF(m);
		phase_times_import(false);
	}
	for (i = 0; i < sizeof(wrapped) / sizeof(*wrapped); i++)
		attrs_wrap_late(wrapped[i]);
	Py_XDECREF(name);
	Py_XDECREF(backend);
}

/* The module whose code a backend returned, that of a module or a method of one; else the one that it was given.  A new
   reference. */
static PyObject *called_module(PyObject *compiled, PyObject *given)
{
	PyObject *self = compiled && PyMethod_Check(compiled) ? PyMethod_GET_SELF(compiled) : compiled;
	PyObject *type = attrs_get(ATTR_FX_MODULE);
	bool own = self && type && PyObject_IsInstance(self, type) == 1;

	PyErr_Clear();
	Py_XDECREF(type);
	return Py_NewRef(own ? self : given);
}

void stages_note_changed(PyObject *given, PyObject *compiled, PyObject *row)
{
	PyObject *module = called_module(compiled, given), *graph = attr(module, "graph");
	struct nodes *now = graph ? graphs_read(graph) : NULL, *captured;
	struct stage *s;

	captured = PyCapsule_GetPointer(PyTuple_GET_ITEM(row, 1), "nodes");
	if (now && captured && !graphs_equal(now, captured, true)) {
		changed_nodes_trace(now, captured);
		s = stage_new("backend");
		s->copy = now;
		compile_add_stage(s);
	} else
		graphs_free(now);
	PyErr_Clear();
	Py_XDECREF(graph);
	Py_DECREF(module);
}

bool stages_any(void)
{
	return stage_now(NULL) != NULL;
}

void stages_after(struct call *call)
{
	struct compiling *c = compiling_top();
	PyObject *given = call_arg(call, 1, "gm"), *row = c && given && call->result ? compiling_whole(c) : NULL;

	graph_keep_called(call);
	if (row && row == compiling_last(c) && !graph_keep_waits(call->arg[0]) && !stages_any())
		stages_note_changed(given, call->result, row);
}
