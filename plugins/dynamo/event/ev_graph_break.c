/* SPDX-License-Identifier: BSD-3-Clause */
/* Kind of stop: a graph break, when Dynamo meets it while it compiles, or (-r) each time execution reaches one. */
#include "code/dynamo_code.h"
#include "code/select.h"
#include "event/dynamo_event.h"
#include "event/ev_graph_break.h"
#include "model/breaks.h"
#include "model/compiling.h"
#include "model/entry.h"
#include "model/evaluated.h"
#include "model/func.h"
#include "model/graph.h"
#include "model/qualname.h"
#include "model/source_line.h"
#include "observe/fx_graph.h"
#include "observe/symbolic.h"
#include "torch/attrs.h"
#include "torch/py_text.h"
#include "torch/wrapper.h"
#include <stdlib.h>
#include <string.h>

/* The card of a stop at a graph break: line, torch's message, the size of the graph so far.  Made from the detail of
   the event alone. */

/* torch's message: what broke the graph, the first line of the explanation, the hints, then the rest, because a small
   screen shows the first lines only.  Leaves out what is meant for torch's own developers. */
static void add_explanation(const char *reason, struct buf *out)
{
	struct buf rest = { 0 };
	struct buf *to = out;
	size_t n, lead;
	const char *s;

	for (s = reason; *s; s += n + (s[n] == '\n')) {
		n = strcspn(s, "\n");
		lead = strspn(s, " ");
		if (!strncmp(s + lead, "Developer debug context", 23) || !strncmp(s + lead, "For more details", 16))
			break;
		if (!strncmp(s + lead, "Hint:", 5))
			to = out;
		if (lead < n)
			buf_addf(to, "\n%.*s", (int)n, s);
		if (!strncmp(s + lead, "Explanation:", 12))
			to = &rest;
	}
	buf_adds(out, buf_str(&rest));
	buf_release(&rest);
}

static void graph_break_card(const struct event *ev, struct buf *out)
{
	const struct val *stack = val_get(ev->detail, "stack"), *outer = NULL;
	const char *file = val_text(ev->detail, "file"), *text;
	long long line = val_number(ev->detail, "line", 0);
	bool skipped = !strcmp(val_text(ev->detail, "state"), "skipped");

	if (!line)
		return;
	text = host->files.line(file, (int)line);
	buf_addf(out, "graph break at %s:%lld", py_text_file_name(file), line);
	if (text && *text)
		buf_addf(out, ": %s", text + strspn(text, " \t"));
	if (stack && stack->type == VAL_LIST && stack->u.list.n > 1)
		outer = stack->u.list.item[0];
	if (outer && !strcmp(val_text(outer, "file"), file))
		buf_addf(out, " (inlined from line %lld)", val_number(outer, "line", 0));
	else if (outer)
		buf_addf(out, " (inlined from %s:%lld)", py_text_file_name(val_text(outer, "file")),
			 val_number(outer, "line", 0));
	if (skipped)
		buf_addf(out, "\nBecause of it Dynamo compiles nothing of %s: the whole function runs in eager mode.",
			 val_text(ev->detail, "function"));
	add_explanation(val_text(ev->detail, "reason"), out);
	if (!skipped && val_get(ev->detail, "nodes") && val_get(ev->detail, "nodes")->type == VAL_INT)
		buf_addf(out, "\nThe graph has %lld nodes so far; 'info breaks' shows all breaks.",
			 val_number(ev->detail, "nodes", 0));
}

/* ---- what Dynamo says ------------------------------------------------------------------------------------- */

static int attribute_number(PyObject *v, const char *name)
{
	PyObject *a = attr(v, name);
	long n = a && PyLong_Check(a) ? PyLong_AsLong(a) : 0;

	PyErr_Clear();
	Py_XDECREF(a);
	return (int)n;
}

static void read_stack(struct breakage *b, PyObject *stack)
{
	PyObject *frame, *name, *file;
	Py_ssize_t i, n = stack && PySequence_Check(stack) ? PySequence_Length(stack) : 0;

	b->stack = n > 0 ? mem_alloc((size_t)n * sizeof(*b->stack)) : NULL;
	for (i = 0; i < n; i++) {
		frame = PySequence_GetItem(stack, i);
		name = attr(frame, "name");
		file = attr(frame, "filename");
		if (name && PyUnicode_Check(name) && file && PyUnicode_Check(file))
			b->stack[b->nstack++] = (struct source_line){
				.file = py_text_utf8_kept(file),
				.own = i == 0,
				.function = py_text_utf8_kept(name),
				.line = attribute_number(frame, "lineno"),
			};
		Py_XDECREF(file);
		Py_XDECREF(name);
		Py_XDECREF(frame);
	}
	PyErr_Clear();
}

static void name_stack(struct breakage *b, const struct compiling *c)
{
	const struct evaluated *v;
	int i;

	b->qualname = b->nstack ? mem_alloc((size_t)b->nstack * sizeof(*b->qualname)) : NULL;
	for (i = 0; i < b->nstack; i++) {
		v = evaluated_at(c ? c->parts.evaluated : NULL, b->stack[i].file, b->stack[i].line);
		b->qualname[i] = v ? v->function : b->stack[i].function;
	}
}

/* The complete text of torch, with the name that torch gives this kind of break if the text lacks it. */
static void read_reason(struct breakage *b, PyObject *exc, const char *words)
{
	PyObject *kind = attr(exc, "gb_type");
	char *said = words ? mem_str(words) : py_text_str(exc);

	b->kind = py_text_str(kind);
	if (b->kind && *b->kind && said && !strstr(said, b->kind)) {
		b->reason = mem_fmt("%s: %s", b->kind, said);
		free(said);
	} else {
		b->reason = said ? said : mem_fmt("unknown");
	}
	Py_XDECREF(kind);
}

static int count_nodes(PyObject *output)
{
	PyObject *graph = attr(output, "graph"), *nodes = attr(graph, "nodes");
	Py_ssize_t n = nodes ? PyObject_Length(nodes) : -1;

	PyErr_Clear();
	Py_XDECREF(nodes);
	Py_XDECREF(graph);
	return (int)n;
}

static struct nodes *read_nodes(PyObject *output)
{
	PyObject *graph = attr(output, "graph");
	struct nodes *nodes = graph ? graphs_read(graph) : NULL;

	PyErr_Clear();
	Py_XDECREF(graph);
	return nodes;
}

/* DynamoTracerOutput._cleanup_output_graph(self): after an exception torch erases the graph, from torch 2.15 on before
   the exception leaves the compile. */
static void erase(struct call *call)
{
	struct compiling *c = compiling_top();
	PyObject *output = attr(call_arg(call, 0, "self"), "output_graph_for_cleanup");
	int n = output && output != Py_None ? count_nodes(output) : -1;

	/* A second call finds the nodes erased. */
	if (c && n >= 0 && (n || output != c->run.erased_of)) {
		Py_XSETREF(c->run.erased_of, Py_NewRef(output));
		c->run.erased = n;
		graphs_free(c->run.nodes);
		c->run.nodes = host->stops.catching("graph-break") ? read_nodes(output) : NULL;
	}
	Py_XDECREF(output);
}

const struct watcher watch_erase = { .before = erase };

static bool was_erased(const struct compiling *c, PyObject *output)
{
	return c && output && output == c->run.erased_of;
}

static int graph_nodes(const struct compiling *c, PyObject *tx)
{
	PyObject *output = attr(tx, "output");
	int n = was_erased(c, output) ? c->run.erased : count_nodes(output);

	Py_XDECREF(output);
	return n;
}

static struct val *breakage_detail(const struct breakage *b)
{
	struct val *map = val_map(), *stack = val_list(), *row;
	int i;

	for (i = 0; i < b->nstack; i++) {
		row = val_push(stack, val_map());
		val_put(row, "function", val_str(b->stack[i].function));
		val_put(row, "file", val_str(b->stack[i].file));
		val_put(row, "line", val_int(b->stack[i].line));
	}
	val_put(map, "function", val_str(b->func->name));
	val_put(map, "file", val_str(b->file));
	val_put(map, "line", val_int(b->line));
	val_put(map, "reason", val_str(b->reason));
	val_put(map, "kind", val_str(b->kind));
	val_put(map, "nodes", b->nodes < 0 ? val_null() : val_int(b->nodes));
	val_put(map, "stack", stack);
	val_put(map, "break", val_int(b->number));
	val_put(map, "state", val_str(breaks_state(b)));
	return map;
}

/* ---- the symbolic state when the exception is created: most of it is undone before the exception is logged
   --------- */

static PyObject *call_name(enum attr_id id)
{
	PyObject *f = attrs_get(id), *r = f ? PyObject_CallNoArgs(f) : NULL;

	PyErr_Clear();
	Py_XDECREF(f);
	return r;
}

/* Unsupported.__init__(exc, ...): an exception was made that may become a graph break. */
static void unsupported(struct call *call)
{
	struct compiling *c = compiling_top();
	struct snapshot *s;
	PyObject *tx;

	if (!c || !c->raw || !call->result)
		return;
	tx = call_name(ATTR_CURRENT_TX);
	if (tx && tx != Py_None) {
		s = mem_alloc(sizeof(*s));
		s->exc = call->arg[0];
		s->locals = symbolic_locals(tx);
		s->stack = symbolic_stack(tx);
		s->line = attribute_number(tx, "lineno");
		s->next = c->run.snapshots;
		c->run.snapshots = s;
	}
	Py_XDECREF(tx);
}

const struct watcher watch_unsupported = { .after = unsupported };

/* The earliest exception of the chain has the most complete state. */
static const struct snapshot *first_snapshot(const struct compiling *c, PyObject *exc)
{
	const struct snapshot *found = NULL, *s;
	PyObject *e = Py_XNewRef(exc), *cause;
	int deep = 0;

	while (e && e != Py_None && deep++ < 50) {
		for (s = c->run.snapshots; s; s = s->next)
			if (s->exc == e) { /* the newest of this address: older ones are dead */
				found = s;
				break;
			}
		cause = attr(e, "__cause__");
		if (!cause || cause == Py_None) {
			Py_XDECREF(cause);
			cause = attr(e, "__context__");
		}
		Py_DECREF(e);
		e = cause;
	}
	Py_XDECREF(e);
	return found;
}

static void graph_break_emit(struct compiling *c, const struct breakage *b, PyObject *tx, PyObject *exc)
{
	const struct snapshot *s = first_snapshot(c, exc);
	struct val *locals = s ? NULL : symbolic_locals(tx), *stack = s ? NULL : symbolic_stack(tx);
	int line = s ? s->line : b->nstack ? b->stack[0].line : attribute_number(tx, "lineno");
	PyObject *output = attr(tx, "output");
	bool erased = was_erased(c, output);

	c->run.partial = erased ? c->run.nodes : read_nodes(output);
	if (erased)
		c->run.nodes = NULL;
	Py_XDECREF(output);
	compiling_event(&ev_graph_break, c, line, c->id, breakage_detail(b), s ? s->locals : locals,
			s ? s->stack : stack);
	graphs_free(c->run.partial);
	c->run.partial = NULL;
	val_free(locals);
	val_free(stack);
}

static void keep_stack(struct breakage *b, PyObject *tx, bool whole)
{
	PyObject *stack = attr(tx, SYMBOLIC_BEFORE);
	struct buf text = { 0 };

	b->whole = whole || stack;
	if (!stack)
		stack = attr(tx, "stack");
	symbolic_items(stack, &text);
	free(b->symbolic);
	b->symbolic = mem_str(buf_str(&text));
	buf_release(&text);
	Py_XDECREF(stack);
}

/* compile_subgraph(output graph, tx, ...): Dynamo has returned to the instruction of the break, whose operands are
   on the stack again. */
static void subgraph(struct call *call)
{
	struct compiling *c = compiling_top();
	PyObject *tx = call_arg(call, 1, "tx");
	struct breakage *b, *last = NULL;

	for (b = c ? *c->mark : NULL; b; b = b->next)
		if (b->func == c->func)
			last = b;
	if (last && tx)
		keep_stack(last, tx, true);
}

const struct watcher watch_subgraph = { .before = subgraph };

/* Records a new break in f. tx: the translator, NULL if it was freed; exc may be NULL; said: the text of torch,
   NULL: it is in exc; end: its result, as far as it is known already. */
static void add_break(struct func *f, PyObject *tx, PyObject *exc, PyObject *stack, const char *said,
		      struct break_end end)
{
	struct compiling *c = compiling_top();
	struct breakage *b = model_add_break();

	b->func = f;
	b->end = end;
	b->entry = mem_str(c && c->id ? c->id : "?");
	read_stack(b, stack);
	name_stack(b, c);
	read_reason(b, exc, said);
	b->nodes = graph_nodes(c, tx);
	keep_stack(b, tx, false);
	b->file = mem_str(b->nstack ? b->stack[b->nstack - 1].file : f->file);
	b->line = b->nstack ? b->stack[b->nstack - 1].line : attribute_number(tx, "lineno");
	if (c && c->func && host->stops.catching("graph-break"))
		graph_break_emit(c, b, tx, exc);
}

/* log_graph_break(tx, code_options, reason, exc, ...): once for each. */
static void break_logged(struct call *call)
{
	PyObject *tx = call_arg(call, 0, "self"), *exc = call_arg(call, 3, "exc");
	PyObject *logged = attr(exc, "logged"), *code = attr(tx, "f_code"), *stack = attr(exc, "real_stack");
	PyObject *skips = attr(exc, "skip_frame"); /* torch 2.9 and later: Unsupported, in torch/_dynamo/exc.py */

	if (logged != Py_True && code && PyCode_Check(code))
		add_break(model_func((PyCodeObject *)code, true), tx, exc, stack, NULL,
			  (struct break_end){ .skipped = skips == Py_True });
	Py_XDECREF(skips);
	Py_XDECREF(stack);
	Py_XDECREF(code);
	Py_XDECREF(logged);
}

/* log_graph_break(code_options, reason, exc_info, user_stack) of torch 2.6, which then handles the exception. */
static void said(struct call *call)
{
	struct compiling *c = compiling_top();
	/* borrowed */
	PyObject *reason = call_arg(call, 1, "reason"), *stack = call_arg(call, 3, "user_stack");
	const char *words = reason && PyUnicode_Check(reason) ? py_text_utf8_kept(reason) : NULL;
	/* owned */
	PyObject *exc, *tx, *own = NULL;

	if (!c || !c->func)
		return;
	exc = PyErr_GetHandledException();
	tx = call_name(ATTR_CURRENT_TX);
	if (!stack || stack == Py_None)
		stack = own = call_name(ATTR_USER_STACK);
	/* An exception that an outer frame handles is unrelated. */
	if (words && strncmp(words, "Unsupported: ", 13))
		Py_CLEAR(exc);
	add_break(c->func, tx, exc, stack, exc ? NULL : words ? words : "unknown", (struct break_end){ 0 });
	Py_XDECREF(own);
	Py_XDECREF(tx);
	Py_XDECREF(exc);
}

const struct watcher watch_said_break = { .before = said };

static bool is_unsupported(PyObject *exc)
{
	PyTypeObject *t = Py_TYPE(exc);

	while (t && strcmp(_PyType_Name(t), "Unsupported"))
		t = t->tp_base;
	return t != NULL;
}

/* The exception's own text without what torch added later: the location, and how to see more. */
void ev_graph_break_escaped(struct compiling *c, PyObject *exc, bool whole)
{
	PyObject *stack = attr(exc, "real_stack"), *words = attr(exc, "msg"), *logged = attr(exc, "logged");

	if (stack && is_unsupported(exc) && logged != Py_True)
		add_break(c->func, c->run.tx, exc, stack,
			  words && PyUnicode_Check(words) ? py_text_utf8_kept(words) : NULL,
			  (struct break_end){ .failed = whole, .skipped = !whole });
	PyErr_Clear();
	Py_XDECREF(logged);
	Py_XDECREF(words);
	Py_XDECREF(stack);
}

const struct watcher watch_log_break = { .before = break_logged };

/* ---- the kind --------------------------------------------------------------------------------------------- */

/* Removes "-r" from the words: each time execution reaches a break. */
static bool at_run(const char *words, const char **rest)
{
	*rest = words;
	return select_option(rest, "-r");
}

static void graph_break_arm(bool on)
{
	if (on) {
		attrs_wrap(ATTR_UNSUPPORTED);
		symbolic_steps(STEPS_BREAKS, true);
	} else {
		symbolic_steps(STEPS_BREAKS, false);
		attrs_restore(ATTR_UNSUPPORTED);
	}
}

/* Caught before torch came. */
void ev_graph_break_wake(void)
{
	if (host->stops.catching("graph-break"))
		graph_break_arm(true);
}

static bool break_matches(const struct event *ev, const char *words)
{
	const char *func;

	return !at_run(words, &func) && compiling_matches(ev, func);
}

static int break_places(const char *words, struct places *out)
{
	const struct region *r;
	struct entry *e;
	const char *func;
	int n = 0;

	if (!at_run(words, &func))
		return 0;
	for (e = model_entries; e; e = e->next) {
		if (!e->co || !select_names(e->func, func))
			continue;
		r = regions_first(e, REGION_BREAK);
		if (!r)
			r = regions_first(e, REGION_ORIGINAL);
		if (r) {
			host->files.add_place(out, host->code.get((struct py_code *)e->co), r->start, r->line, NULL);
			n++;
		}
	}
	return n;
}

static struct val *break_detail(struct code *c, int index)
{
	struct entry *e = model_entry((PyCodeObject *)c->co);
	const struct region *r = e ? regions_at(e, index) : NULL;
	struct val *map;
	struct breakage *b;

	for (b = model_breaks; e && b; b = b->next)
		if (breaks_of(b, e))
			return breakage_detail(b);
	if (!e)
		return NULL;
	map = val_map(); /* compiled before cdbg was loaded: only the code itself is known */
	val_put(map, "function", val_str(e->func->name));
	val_put(map, "file", val_str(e->func->file));
	val_put(map, "line", r && r->line ? val_int(r->line) : val_null());
	val_put(map, "reason", val_str("unknown: compiled before cdbg was loaded"));
	val_put(map, "kind", val_null());
	val_put(map, "nodes", val_null());
	val_put(map, "stack", val_list());
	return map;
}

/* The break that a detail describes; NULL: one that was compiled before cdbg was loaded. */
static const struct breakage *told(const struct val *map)
{
	const struct breakage *b = NULL;
	size_t i;

	for (i = 0; map && map->type == VAL_MAP && i < map->u.list.n; i++)
		if (!strcmp(map->u.list.key[i], "break") && map->u.list.item[i]->type == VAL_INT)
			for (b = model_breaks; b && b->number != map->u.list.item[i]->u.i;)
				b = b->next;
	return b;
}

static void graph_break_describe(const struct event *ev, struct buf *out)
{
	const char *reason = val_text(ev->detail, "reason");
	const struct breakage *b = told(ev->detail);

	buf_addf(out, "graph break in %s", b ? qualname_func(b->func) : val_text(ev->detail, "function"));
	if (b)
		breaks_inner(b, out);
	buf_addf(out, ": %.*s", (int)strcspn(reason, "\n"), reason);
}

const struct event_kind ev_graph_break = {
	.name = "graph-break",
	.args = "[-r] [FUNC]",
	.help = "a graph break, once when it is compiled; -r: each time execution reaches one",
	.arm = graph_break_arm,
	.places = break_places,
	.detail = break_detail,
	.matches = break_matches,
	.describe = graph_break_describe,
	.card = graph_break_card,
};
