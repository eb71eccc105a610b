/* SPDX-License-Identifier: BSD-3-Clause */
/* Answers the core's questions about code, frames and places by functions of code/ and model/.  Knows no
   command and no view. */
#include "answers.h"
#include "code/crash_notes.h"
#include "code/dynamo_code.h"
#include "code/graph_codes.h"
#include "code/line_marks.h"
#include "code/locate.h"
#include "code/node_values.h"
#include "code/running_stage.h"
#include "code/select.h"
#include "event/dynamo_event.h"
#include "guards/guard_index.h"
#include "guards/guard_model.h"
#include "guards/guard_object.h"
#include "model/compiling.h"
#include "model/entry.h"
#include "model/func.h"
#include "model/qualname.h"
#include "model/timing.h"
#include "torch/attrs.h"
#include "torch/dynamo_torch.h"
#include "torch/py_text.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Does this thread run a graph only because torch traces it, on tensors without values? */

/* torch._C._get_dispatch_mode(key), which is written in C. */
static bool has_mode(enum attr_id key_id)
{
	PyObject *get = attrs_get(ATTR_DISPATCH_MODE), *key = get ? attrs_get(key_id) : NULL;
	PyObject *mode = key ? PyObject_CallOneArg(get, key) : NULL;
	bool yes = mode && mode != Py_None;

	PyErr_Clear();
	Py_XDECREF(mode);
	Py_XDECREF(key);
	Py_XDECREF(get);
	return yes;
}

/* Does a caller trace, or compile? */
static bool below_tracer(void)
{
	static const struct {
		const char *function, *file;
	} tracers[] = {
		{ "trace", "fx/_symbolic_trace.py" },
		{ "run", "fx/interpreter.py" },
		{ "compile_fx_inner", "_inductor/compile_fx.py" },
		{ "_compile", "_dynamo/convert_frame.py" },
	};
	PyFrameObject *f = (PyFrameObject *)Py_XNewRef(PyEval_GetFrame()), *back;
	PyCodeObject *co;
	const char *file, *name;
	bool yes = false;
	size_t i;

	for (; f; f = back) {
		co = PyFrame_GetCode(f);
		name = py_text_utf8(co->co_name);
		for (i = 0; name && i < sizeof(tracers) / sizeof(*tracers) && !yes; i++) {
			file = strcmp(name, tracers[i].function) ? NULL : py_text_utf8(co->co_filename);
			yes = file && py_text_ends_with(file, tracers[i].file);
		}
		Py_DECREF(co);
		back = yes ? NULL : PyFrame_GetBack(f);
		Py_DECREF(f);
	}
	return yes;
}

/* Runs no code of the program; leaves an exception that is set as it is.
   An operator within a traced sub-graph takes the mode that traces away while it runs its own sub-graphs, on fake
   tensors; inductor runs them on such while backward() compiles.  A program may run graphs on fake tensors, too: then
   nothing traces them. */
static bool traced_now(void)
{
	PyObject *type, *value, *tb;
	bool yes;

	PyErr_Fetch(&type, &value, &tb);
	yes = has_mode(ATTR_PROXY_KEY) || (has_mode(ATTR_FAKE_KEY) && below_tracer());
	PyErr_Restore(type, value, tb);
	return yes;
}

/* The program's line for an exception that Dynamo or a backend raised while it compiled: from the stack of traced lines
   that Dynamo's exceptions have, else from the traceback of what caused it. */

enum { CHAIN_MAX = 20 };

struct spot {
	const char *file, *function;
	int line;
};

static bool set_spot(struct spot *out, PyObject *file, PyObject *function, int line)
{
	const char *name = file && PyUnicode_Check(file) ? py_text_utf8_kept(file) : NULL;

	if (!name || line < 1 || !host->files.is_user(name))
		return false;
	*out = (struct spot){ name, py_text_utf8_kept(function), line };
	return true;
}

/* The innermost line of the program in the traced stack. */
static bool traced_line(PyObject *exc, struct spot *out)
{
	PyObject *stack = attr(exc, "real_stack"), *frame, *file, *name, *line;
	Py_ssize_t i = stack && PyList_Check(stack) ? PyList_GET_SIZE(stack) : 0;
	bool found = false;

	while (i-- > 0 && !found) {
		frame = PyList_GET_ITEM(stack, i);
		file = attr(frame, "filename");
		name = attr(frame, "name");
		line = attr(frame, "lineno");
		found = set_spot(out, file, name, line && PyLong_Check(line) ? (int)PyLong_AsLong(line) : 0);
		Py_XDECREF(line);
		Py_XDECREF(name);
		Py_XDECREF(file);
	}
	PyErr_Clear();
	Py_XDECREF(stack);
	return found;
}

/* The innermost line of the program in the traceback. */
static bool traceback_line(PyObject *exc, struct spot *out)
{
	PyObject *tb = PyException_GetTraceback(exc), *step;
	PyCodeObject *code;
	bool found = false;

	for (step = tb; step && PyTraceBack_Check(step); step = (PyObject *)((PyTracebackObject *)step)->tb_next) {
		code = PyFrame_GetCode(((PyTracebackObject *)step)->tb_frame);
		found |= set_spot(out, code->co_filename, code->co_name,
				  PyCode_Addr2Line(code, ((PyTracebackObject *)step)->tb_lasti));
		Py_DECREF(code);
	}
	Py_XDECREF(tb);
	return found;
}

static bool of_torch(PyObject *exc)
{
	PyObject *module = attr((PyObject *)Py_TYPE(exc), "__module__");
	const char *name = py_text_utf8(module);
	bool is = name && !strncmp(name, "torch.", 6);

	Py_XDECREF(module);
	return is;
}

/* As plug_ops.raised_at. */
static bool raised_at(PyObject *exc, const char **file, const char **function, int *line)
{
	struct spot spot;
	PyObject *e, *next;
	bool found = false;
	int i;

	if (!exc || !PyExceptionInstance_Check(exc) || !of_torch(exc))
		return false;
	e = Py_NewRef(exc);
	for (i = 0; e && i < CHAIN_MAX && !found; i++) {
		found = traced_line(e, &spot) || (i && traceback_line(e, &spot));
		next = PyException_GetCause(e);
		next = next ? next : PyException_GetContext(e);
		Py_DECREF(e);
		e = next;
	}
	Py_XDECREF(e);
	if (found) {
		*file = spot.file;
		*function = spot.function;
		*line = spot.line;
	}
	return found;
}

static bool awake;

void answers_begin(void)
{
	awake = true;
}

void answers_end(void)
{
	awake = false;
}

/* ---- what is this code? ----------------------------------------------------------------------------------- */

/* The kind of Python code in compiled graphs. KIND_GRAPH: FX's forward and inductor's call; KIND_LIBRARY: the code
   around them; KIND_UNKNOWN: other code. */
static enum kind graph_kind(PyCodeObject *co)
{
	const char *file = py_text_utf8(co->co_filename), *name = py_text_utf8(co->co_name);

	if (!file || !name)
		return KIND_UNKNOWN;
	if (!strncmp(file, "<eval_with_key>", 15))
		return !strcmp(name, "forward") ? KIND_GRAPH : KIND_LIBRARY;
	if (strstr(file, ".py:codegen(") && attrs_torch_file(file))
		return KIND_LIBRARY;
	if (graph_codes_is_call(co))
		return KIND_GRAPH;
	if (graph_codes_inductor_file(file))
		return !strcmp(name, "call") || !strncmp(name, "partition_", 10) ? KIND_GRAPH : KIND_LIBRARY;
	return KIND_UNKNOWN;
}

int answer_code(struct py_code *co, struct code_info *out)
{
	const struct compiling *top = compiling_top();
	struct entry *e;
	struct func *f;
	enum kind graph;

	if (!awake)
		return 0;
	e = model_entry((PyCodeObject *)co);
	if (e) {
		out->kind = KIND_GENERATED;
		out->entry = e->id;
		out->title = e->title;
		out->name = qualname_entry(e);
		out->original = (struct py_code *)e->func->co;
		out->root = (struct py_code *)model_root(e->func)->co;
		out->resume = e->func->root != NULL;
		return 1;
	}
	graph = graph_kind((PyCodeObject *)co);
	if (graph != KIND_UNKNOWN) {
		out->kind = graph;
		return 1;
	}
	f = model_func((PyCodeObject *)co, false);
	if (f && top && top->func == f && top->wraps) {
		out->kind = KIND_UNKNOWN;
		out->name = top->wraps;
		return 1;
	}
	if (!f || !f->root)
		return 0;
	out->kind = KIND_UNKNOWN; /* a resume function that runs in eager mode: its file decides */
	out->root = (struct py_code *)f->root->co;
	out->name = qualname_func(f);
	out->resume = true;
	return 1;
}

int answer_regions(struct code *c, const struct region **out, int *n)
{
	struct entry *e = awake ? model_entry((PyCodeObject *)c->co) : NULL;

	if (!e)
		return 0;
	*n = regions_of(e, out);
	return *n > 0;
}

/* Lines of a file that are asked about. */
struct asked_lines {
	const char *file, *last; /* last: the file of the line before */
	bool fits;
	int first, n;
	struct line_mark *out;
};

static void mark_asked(void *arg, const char *file, int line, enum line_what what)
{
	struct asked_lines *a = arg;
	struct line_mark *m;

	if (file != a->last)
		a->fits = host->files.fits(a->file, file);
	a->last = file;
	if (!a->fits || line < a->first || line - a->first >= a->n)
		return;
	m = &a->out[line - a->first];
	m->nodes += what == LINE_NODE;
	m->evaluated |= what == LINE_EVALUATED;
	m->missed |= what == LINE_MISSED;
	m->broke |= what == LINE_BREAK;
	m->resumes |= what == LINE_RESUME;
}

/* All compiles of the function and of its resume functions, with what was inlined. */
static void add_seconds(const struct func *root, const struct asked_lines *a)
{
	const struct timing *t;
	const struct line_cost *l;
	size_t i;

	for (t = model_timings; t; t = t->next)
		for (i = 0; t->func && model_root(t->func) == root && i < t->lines.n; i++) {
			l = &t->lines.line[i];
			if (l->line >= a->first && l->line - a->first < a->n && host->files.fits(a->file, l->file))
				a->out[l->line - a->first].seconds += l->trace + l->lowering;
		}
}

int answer_lines(struct code *c, const char *file, int first, int n, struct line_mark *out)
{
	struct asked_lines a = { .file = file, .first = first, .n = n, .out = out };
	const struct compiling *top = awake && !c ? compiling_top() : NULL;
	const struct entry *e = top ? top->entry : awake && c ? model_entry((PyCodeObject *)c->co) : NULL;
	const struct func *f = top ? top->func : awake && c ? model_func((PyCodeObject *)c->co, false) : NULL;

	if (!e && (!f || !f->seen.looked))
		return 0;
	line_marks_entry(e, f, &(struct line_asked){ mark_asked, &a, first, first + n - 1 });
	if (host->talk.option_number("compile-seconds"))
		add_seconds(model_root(e ? e->func : (struct func *)f), &a);
	return 1;
}

/* By the guards of its entry. */
const char *answer_class_of(struct code *c, const char *object)
{
	struct entry *e = awake ? model_entry((PyCodeObject *)c->co) : NULL;
	const struct guard *const *g;
	const char *name = NULL, *text;
	size_t len;
	int i, n = 0;

	if (!e)
		return NULL;
	g = guards_of(e) ? guards_about(e, object, &n) : NULL;
	for (i = 0; i < n && !name; i++) {
		text = guard_class(g[i], &len);
		name = text ? py_text_keep_part(text, len) : NULL;
	}
	return name;
}

const char *answer_kept(struct code *c, int index)
{
	struct entry *e = awake ? model_entry((PyCodeObject *)c->co) : NULL;
	const char *names;

	if (!e)
		return NULL;
	names = stack_local_names(e, c, index);
	return names;
}

/* A resume function that runs as it is begins with instructions that Dynamo added, which lead to its line. */
static int resumed_line(struct code *c, int index, int *out)
{
	const struct func *f = awake ? model_func((PyCodeObject *)c->co, false) : NULL;
	int i;

	if (!f || !f->root || !f->resume_line)
		return 0;
	for (i = 0; i <= index; i++)
		if (c->instr[i].col >= 0)
			return 0;
	*out = f->resume_line;
	return 1;
}

int answer_line(struct code *c, int index, int *out)
{
	struct entry *e = awake ? model_entry((PyCodeObject *)c->co) : NULL;
	const struct region *r;

	if (!e)
		return resumed_line(c, index, out);
	r = regions_at(e, index);
	*out = !r ? 0 : r->kind == REGION_ORIGINAL ? c->instr[index].line : r->line;
	return 1;
}

int answer_line_places(const char *file, int at, struct places *out)
{
	return awake ? locate_line(file, at, out) : 0;
}

int answer_function_places(struct py_code *original, struct places *out)
{
	return awake ? locate_function(original, out) : 0;
}

int answer_inlined_places(struct py_code *original, struct places *out)
{
	return awake ? locate_inlined(original, out) : 0;
}

int answer_inside(struct py_code *original)
{
	return awake ? locate_inside(original) : 0;
}

int answer_unwrap(struct py_obj *v, void (*add)(void *arg, struct py_code *co), void *arg)
{
	return awake ? locate_unwrap(v, add, arg) : 0;
}

int answer_body(struct py_code *co)
{
	int n = awake ? graph_codes_body(co) : 0;

	if (n && !compiling_top()) /* of a backward graph that is compiled late */
		crash_notes_graphs(NULL);
	return n;
}

int answer_node_places(const char *pattern, struct places *out)
{
	return awake ? running_stage_places(pattern, out) : 0;
}

int answer_node_names(void (*add)(void *arg, const char *name), void *arg)
{
	if (awake)
		running_stage_names(add, arg);
	return awake;
}

int answer_names(void (*add)(void *arg, const char *name), void *arg)
{
	if (!awake)
		return 0;
	select_typed_names(add, arg);
	return 1;
}

int answer_raised_at(struct py_obj *exc, const char **file, const char **function, int *line)
{
	return awake && raised_at((PyObject *)exc, file, function, line);
}

int answer_node(struct code *c, int line, struct graph_node *out)
{
	struct graph_lines *l;
	const struct graph_line *row;

	l = graph_codes_lines(c);
	row = line > 0 ? graph_codes_line(l, line) : NULL;
	if (row) {
		out->name = row->node;
		out->library = !row->foreign;
	}
	if (!row || !awake ||
	    !(ev_nan_place(l, line, &out->file, &out->line) || running_stage_place(l, row, &out->file, &out->line)) ||
	    !out->file) {
		out->file = NULL;
		out->line = 0;
	}
	return row != NULL;
}

bool answer_graph_line(struct py_frame *f, struct code *c, int index)
{
	const struct graph_lines *l;
	const struct graph_line *row;

	l = graph_codes_lines(c);
	row = graph_codes_line(l, c->instr[index].line);
	if (row && awake && host->talk.option_number("graph-values"))
		node_values_line(f, l, row);
	return row && row->node;
}

/* torch traces the sub-graphs of some higher-order operators each time that it runs them with backend eager. */
int answer_traced(struct code *c)
{
	(void)c;
	return awake && traced_now();
}

int answer_entry(const char *id, struct py_code **generated, struct err *err)
{
	struct entry *e = model_entry_named(id);

	if (!e && (!awake || !isdigit((unsigned char)*id) || id[strspn(id, "0123456789#+/")]))
		return 0;
	if (!e)
		return err_set(err, "no entry '%s': 'info entries' lists them", id);
	if (!e->co)
		return err_set(err, "entry '%s' no longer exists: its code was freed", id);
	*generated = (struct py_code *)e->co;
	return 1;
}
