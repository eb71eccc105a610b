/* SPDX-License-Identifier: BSD-3-Clause */
/* Puts what Dynamo does while it compiles into the model, and calls the functions in observe_hooks.  Changes
   nothing but the backend that the user set. */
#include "code/dynamo_code.h"
#include "code/locate.h"
#include "guards/guard_lines.h"
#include "guards/guard_model.h"
#include "model/breaks.h"
#include "model/compiling.h"
#include "model/entry.h"
#include "model/func.h"
#include "model/graph.h"
#include "model/qualname.h"
#include "model/reads.h"
#include "model/stages.h"
#include "observe/backend_stages.h"
#include "observe/compile_trace.h"
#include "observe/dynamo_observe.h"
#include "observe/fx_graph.h"
#include "observe/graph_keep.h"
#include "observe/observe.h"
#include "observe/phase_times.h"
#include "torch/attrs.h"
#include "torch/py_text.h"
#include "torch/wrapper.h"
#include <stdlib.h>
#include <string.h>

/* Notes torch's settings when a compile ends: the copies that torch keeps with its own figures of the compile, and
   switches that no guard covers.  Changes nothing and runs no Python. */

static const char *const copies[SETTINGS] = {
	[SETTINGS_DYNAMO] = "dynamo_config",
	[SETTINGS_FUNCTORCH] = "functorch_config",
	[SETTINGS_INDUCTOR] = "inductor_config",
};

/* Settings seldom change between compiles: one text for all that have the same. */
static PyObject *shared_text(int i, PyObject *text)
{
	static PyObject *last[SETTINGS];

	if (!last[i] || PyUnicode_Compare(last[i], text))
		Py_XSETREF(last[i], Py_NewRef(text));
	return Py_NewRef(last[i]);
}

/* torch's figures of this compile, the last that it added: a new reference, or NULL. */
static PyObject *figures_of(const struct compiling *c)
{
	PyObject *all = attrs_get(ATTR_METRICS), *last = NULL, *id;
	const Py_ssize_t n = all ? PySequence_Size(all) : 0;
	const char *name;

	if (n > 0)
		last = PySequence_GetItem(all, n - 1);
	id = attr(last, "compile_id");
	name = py_text_utf8(id);
	if (!name || !c->raw || strcmp(name, c->raw))
		Py_CLEAR(last);
	PyErr_Clear();
	Py_XDECREF(id);
	Py_XDECREF(all);
	return last;
}

/* Into its reads.  Runs no Python. */
static void settings_note(struct compiling *c)
{
	PyObject *figures = figures_of(c), *text;
	struct reads *r;
	int i;

	if (!c->parts.reads)
		c->parts.reads = reads_new();
	r = c->parts.reads;
	for (i = 0; i < SETTINGS; i++) {
		text = attr(figures, copies[i]);
		if (text && PyUnicode_CheckExact(text))
			r->settings[i] = shared_text(i, text);
		Py_XDECREF(text);
	}
	torch_state_read(r->state);
	PyErr_Clear();
	Py_XDECREF(figures);
}

static const struct observe_hooks *hooks; /* the layers above */

static char *attr_text(PyObject *v, const char *name)
{
	PyObject *a = attr(v, name);
	char *text = py_text_str(a);

	Py_XDECREF(a);
	return text;
}

static PyCodeObject *attr_code(PyObject *v, const char *name)
{
	PyObject *a = attr(v, name);

	if (a && PyCode_Check(a))
		return (PyCodeObject *)a;
	Py_XDECREF(a);
	return NULL;
}

/* ---- one compile ---------------------------------------------------------------------------------------- */

static void pop_compiling(struct compiling *c)
{
	compile_trace_end(c);
	stacks_free(c->guard.stacks);
	compiling_pop();
}

/* _compile(code, ..., compile_id=...) */
static void one_begins(struct call *call)
{
	struct compiling *c = compiling_top();
	PyObject *code = call_arg(call, 0, "code");

	if (!code || !PyCode_Check(code))
		return;
	if (!c || c->began > 0)
		c = compiling_push(NULL);
	c->func = model_func((PyCodeObject *)code, true);
	model_resume_known(c->func);
	c->func->seen.looked = true;
	c->func->seen.compiling++;
	qualname_note(c, call_arg(call, 2, "locals"), call_arg(call, 4, "closure"));
	c->raw = py_text_str(call_arg(call, PY_SSIZE_T_MAX, "compile_id"));
	c->id = model_next_id(c->raw ? c->raw : "?");
	c->parts.calls = hooks->record_begin();
	c->began = compile_clock();
	hooks->compile_begins(call, code);
	phase_times_begin(c, call_arg(call, PY_SSIZE_T_MAX, "compile_id"));
}

/* The names that generated code uses show which graphs and resume functions belong to it: an attempt that Dynamo
   gave up may have left others. */
static bool names_it(PyCodeObject *generated, PyObject *name)
{
	const char *s = py_text_utf8(name), *used;
	size_t n = s ? strcspn(s, ".") : 0; /* of a part of a graph: that graph's */
	Py_ssize_t i;

	for (i = 0; s && i < PyTuple_GET_SIZE(generated->co_names); i++) {
		used = py_text_utf8(PyTuple_GET_ITEM(generated->co_names, i));
		if (used && strlen(used) == n && !memcmp(used, s, n))
			return true;
	}
	return false;
}

/* torch 2.6 creates a resume function with free variables from its code object at the call. */
static bool has_const(PyCodeObject *generated, PyObject *code)
{
	Py_ssize_t i;

	for (i = 0; i < PyTuple_GET_SIZE(generated->co_consts); i++)
		if (PyTuple_GET_ITEM(generated->co_consts, i) == code)
			return true;
	return false;
}

static void add_code_parts(struct compiling *c, struct entry *e, PyCodeObject *generated)
{
	PyObject *row, *name;
	Py_ssize_t i;

	for (i = 0; i < PyList_GET_SIZE(c->parts.graphs); i++) {
		row = PyList_GET_ITEM(c->parts.graphs, i);
		name = PyTuple_GET_ITEM(row, 0);
		if (names_it(generated, name))
			model_add_graph(e, py_text_utf8_kept(name), graphs_unwrap(PyTuple_GET_ITEM(row, 1)));
	}
	for (i = 0; i < PyList_GET_SIZE(c->parts.resumes); i++) {
		row = PyList_GET_ITEM(c->parts.resumes, i);
		name = PyTuple_GET_ITEM(row, 0);
		if (names_it(generated, name) || has_const(generated, PyTuple_GET_ITEM(row, 1)))
			model_add_resume(e, (PyCodeObject *)PyTuple_GET_ITEM(row, 1), py_text_utf8_kept(name),
					 traced_copy_resume(e->func->co, py_text_utf8_kept(name)));
	}
	PyErr_Clear();
}

static void name_resumes(struct compiling *c, struct entry *e)
{
	struct breakage *b;
	struct buf names = { 0 };
	int i;

	for (i = 0; i < e->made.nresumes; i++)
		buf_addf(&names, "%s%s", i ? ", " : "", e->made.resume[i].global);
	for (b = *c->mark; b; b = b->next)
		if (names.s && b->func == c->func && !b->end.resume)
			b->end.resume = mem_str(names.s);
	buf_release(&names);
}

/* The GuardedCode in the result of a compile: the result itself (torch 2.6), or a part of it.  A new
   reference, or NULL. */
static PyObject *guarded_of(PyObject *result)
{
	PyObject *guarded = attr(result, "guarded_code"), *code = guarded ? NULL : attr(result, "code");

	if (code)
		guarded = Py_NewRef(result);
	Py_XDECREF(code);
	return guarded;
}

/* torch.compile(dynamic=True) changes this setting for the time of a compile. */
static bool compiles_dynamic(void)
{
	PyObject *fixed = attrs_get(ATTR_ASSUME_STATIC);
	bool yes = fixed == Py_False;

	Py_XDECREF(fixed);
	return yes;
}

/* The code that will run is the one in the result; a hook may have changed the code that was seen before. */
static void compile_done(struct compiling *c, PyObject *result)
{
	PyObject *guarded = guarded_of(result), *manager;
	PyCodeObject *generated = attr_code(guarded, "code");

	if (generated) {
		c->generated = (PyObject *)generated;
		c->entry = model_add_entry(generated, c->func, c->raw ? c->raw : "?");
		qualname_set(c->entry, c->wraps);
		c->entry->made.seconds = phase_times_of(c, c->entry);
		c->entry->made.fresh = c->frame != NULL;
		c->entry->made.dynamic = compiles_dynamic();
		Py_XSETREF(c->entry->edit.backend, Py_XNewRef(c->parts.backend));
		add_code_parts(c, c->entry, generated);
		name_resumes(c, c->entry);
		c->entry->made.effects = c->parts.effects;
		c->parts.effects = NULL;
		c->entry->made.evaluated = c->parts.evaluated;
		c->parts.evaluated = NULL;
		c->entry->made.stages = c->parts.stages;
		c->parts.stages = NULL;
		settings_note(c);
		c->entry->made.reads = c->parts.reads;
		reads_done(c->entry->made.reads);
		c->parts.reads = NULL;
		guards_compiled(c, guarded);
		if (c->frame)
			model_called(c->entry);
		manager = c->parts.calls ? PyObject_GetAttrString(guarded, "guard_manager") : NULL;
		if (manager)
			c->entry->edit.record = hooks->record_end(c->parts.calls, manager);
		guards_note_record(c->entry);
		Py_XDECREF(manager);
		Py_CLEAR(c->parts.calls);
	}
	Py_XDECREF(guarded);
}

static void compile_ended(struct call *call)
{
	struct compiling *c = compiling_top();
	bool whole = call_arg(call, 6, "one_graph") != Py_False;

	if (!c)
		return;
	phase_times_end(c);
	if (!call->result)
		c->failed = true;
	/* with fullgraph=True torch logs no break; torch 2.6 never does */
	if (!call->result && c->func && call->raised && (whole || !attrs_have(ATTR_LOG_BREAK)))
		hooks->raised(c, call->raised, whole);
	compiling_drop_run(c);
	if (c->began > 0 && c->func)
		c->func->seen.compiling--;
	if (call->result && c->func)
		compile_done(c, call->result);
	if (!c->frame)
		pop_compiling(c);
}

const struct watcher watch_compile = { .before = one_begins, .after = compile_ended };

/* ---- Dynamo's callback: one frame ------------------------------------------------------------------------ */

/* CatchErrorsWrapper.__call__(self, frame, ...) */
static void frame_comes(struct call *call)
{
	PyObject *frame = call_arg(call, 1, "frame");

	if (frame)
		hooks->frame_comes(compiling_push(frame), frame);
}

static void skipped(struct compiling *c, PyCodeObject *code, PyObject *result)
{
	char *reason = attr_text(result, "skip_reason"), *said = c->parts.skip;
	bool tells = PyObject_HasAttrString(result, "skip_reason");
	struct breakage *b;

	if (!reason && said)
		reason = mem_str(said);

	/* a library's function, which Dynamo never compiles.  Torch 2.6 does not report that, but begins no
	   compile either */
	bool by_rule = reason ? strstr(reason, "skipfiles") != NULL : !c->raw;
	bool told = !attrs_torch_code(code) && (!by_rule || host->files.is_user(py_text_utf8_kept(code->co_filename)));

	/* If a compile was tried there is a reason, also for torch's own functions. */
	if (told || c->raw) {
		c->func = model_func(code, true);
		model_resume_known(c->func);
		c->func->seen.looked = true;
		c->func->seen.skips++;
		c->func->seen.gave_up = c->failed || *c->mark;
		for (b = *c->mark; b; b = b->next)
			if (b->func == c->func)
				b->end.skipped = true;
		free(c->func->seen.reason);
		c->func->seen.reason = c->func->seen.gave_up && *c->mark ?
					       mem_fmt("%s%s%s", said ? said : "", said ? ": " : "",
						       (*c->mark)->reason) :
				       reason ? mem_str(reason) :
				       tells  ? NULL :
						mem_fmt("this version of torch does not report why");
		if (told)
			hooks->skipped(c, reason);
	} else if (by_rule && (reason || attrs_torch_code(code))) {
		excluded_note(code, reason ? reason : "skipfiles, or it ran already: torch 2.6 reports no more");
	}
	free(reason);
}

/* The compile ended with an exception, as with fullgraph=True or a backend that raises one. */
static void failed(struct compiling *c, PyObject *raised)
{
	char *words = py_text_str(raised), *end = words ? strchr(words, '\n') : NULL;
	struct breakage *b;

	for (b = *c->mark; b; b = b->next)
		if (b->func == c->func)
			b->end.failed = true;
	if (end && end > words && end[-1] == ':') /* "backend='mine' raised:", with the exception in the next line */
		*end = ' ';
	c->func->seen.looked = true;
	c->func->seen.gave_up = true;
	c->func->seen.fails++;
	free(c->func->seen.reason);
	c->func->seen.reason = mem_fmt("compiling it raises %s: %.*s", _PyType_Name(Py_TYPE(raised)),
				       words ? (int)strcspn(words, "\n") : 0, words ? words : "");
	free(words);
}

static void frame_goes(struct call *call)
{
	struct compiling *c = compiling_top();
	PyObject *frame = call_arg(call, 1, "frame");
	PyCodeObject *code;

	if (!c || !frame || c->frame != frame)
		return;
	code = attr_code(frame, "f_code");
	if (c->entry) {
		c->func->seen.compiles++;
		host->code.appeared();
		hooks->compiled(c);
		c->entry->made.fresh = false;
		Py_CLEAR(c->entry->guard.manager);
	} else if (call->result && code && !hooks->limit(c, (PyObject *)code, call->result)) {
		skipped(c, code, call->result);
	} else if (call->raised && c->func) {
		if (c->parts.limit || !strcmp(_PyType_Name(Py_TYPE(call->raised)), "RecompileError"))
			hooks->refused(c);
		if (code && c->parts.limit) /* the program asked for an exception at the limit */
			hooks->limit(c, (PyObject *)code, NULL);
		failed(c, call->raised);
	}
	Py_XDECREF(code);
	pop_compiling(c);
}

const struct watcher watch_catch = { .before = frame_comes, .after = frame_goes };

/* ---- parts of a compile ---------------------------------------------------------------------------------- */

/* call_user_compiler(output_graph, gm, ...): reads the graph before the backend changes it. */
static void graph_goes(struct call *call)
{
	struct compiling *c = compiling_top();
	/* owned */
	PyObject *meta = NULL, *graph = NULL, *copy = NULL, *row = NULL;
	/* borrowed */
	PyObject *gm = call_arg(call, 1, "gm"), *name;
	struct nodes *nodes;

	if (!c || !gm)
		return;
	meta = PyObject_GetAttrString(gm, "meta");
	name = meta && PyDict_Check(meta) ? PyDict_GetItemString(meta, "backend_id") : NULL;
	if (!name && !attrs_have(ATTR_RESUME_GLOBAL))
		name = Py_None; /* global_made() has it */
	graph = name ? PyObject_GetAttrString(gm, "graph") : NULL;
	nodes = graph ? graphs_read(graph) : NULL;
	if (nodes && host->talk.option_number("keep-graphs"))
		nodes->kept = graph_keep_for(call->arg[0], gm);
	if (nodes && nodes->kept)
		nodes->modes = graph_keep_modes();
	if (nodes && nodes->nsub)
		interpreted_watch();
	copy = nodes ? graphs_wrap(nodes) : NULL;
	row = copy ? PyTuple_Pack(2, name, copy) : NULL;
	if (row)
		PyList_Append(c->parts.graphs, row);
	stages_before(call->arg[0]);
	Py_XDECREF(row);
	Py_XDECREF(copy);
	Py_XDECREF(graph);
	Py_XDECREF(meta);
}

const struct watcher watch_user_compiler = { .before = graph_goes, .after = stages_after };

/* install_resume_function_global(output_graph, name, code, ...) */
static void resume_made(struct call *call)
{
	struct compiling *c = compiling_top();
	PyObject *name = call_arg(call, 1, "name"), *code = call_arg(call, 2, "code"), *row;

	if (!c || !name || !code || !PyCode_Check(code))
		return;
	row = PyTuple_Pack(2, name, code);
	if (row)
		PyList_Append(c->parts.resumes, row);
	Py_XDECREF(row);
}

const struct watcher watch_resume_global = { .before = resume_made };

/* InstructionTranslatorBase.run(self): torch 2.6 skips a frame by an exception that it does not keep.  The
   outermost translator is kept until the compile ends, to report a break that is an error. */
static void translator_ran(struct call *call)
{
	struct compiling *c = compiling_top();
	char *words;

	phase_times_translated(call);
	if (c && call->raised && call->n)
		Py_XSETREF(c->run.tx, Py_NewRef(call->arg[0]));
	if (!c || !call->raised || strcmp(_PyType_Name(Py_TYPE(call->raised)), "SkipFrame"))
		return;
	words = py_text_str(call->raised);
	free(c->parts.skip);
	c->parts.skip = words ? mem_fmt("%.*s", (int)strcspn(words, "\n"), words) : NULL;
	free(words);
}

static void runs(struct call *call)
{
	phase_times_translator(call);
	evaluated_again(compiling_top(), call_arg(call, 0, "self"));
	reading_begins(compiling_top(), call_arg(call, 0, "self"));
}

const struct watcher watch_run = { .before = runs, .after = translator_ran };

static bool is_part_without_name(PyObject *name)
{
	const char *s = py_text_utf8(name);

	return s && *s == '.';
}

/* Names the graph that has none yet, and its parts, ".submod_0", which come after it. */
static void name_graph(struct compiling *c, PyObject *name)
{
	PyObject *row, *known, *full;
	bool whole = false;
	Py_ssize_t i;

	for (i = PyList_GET_SIZE(c->parts.graphs) - 1; i >= 0 && !whole; i--) {
		row = PyList_GET_ITEM(c->parts.graphs, i);
		known = PyTuple_GET_ITEM(row, 0);
		whole = known == Py_None;
		if (!whole && !is_part_without_name(known))
			break;
		full = whole ? Py_NewRef(name) : PyUnicode_Concat(name, known);
		row = full ? PyTuple_Pack(2, full, PyTuple_GET_ITEM(row, 1)) : NULL;
		Py_XDECREF(full);
		if (!row || PyList_SetItem(c->parts.graphs, i, row) < 0)
			break;
	}
	PyErr_Clear();
	stages_name(c->parts.stages, py_text_utf8(name));
}

/* install_global_unsafe(output_graph, name, value): torch 2.6 passes graphs here, after they were compiled, and
   resume functions. */
static void global_made(struct call *call)
{
	struct compiling *c = compiling_top();
	PyObject *name = call_arg(call, 1, "name"), *value = call_arg(call, 2, "value"), *row;
	const char *s = py_text_utf8(name);

	if (!c || !s || !value)
		return;
	if (!strncmp(s, "__compiled_fn", 13))
		name_graph(c, name);
	if (PyFunction_Check(value))
		value = PyFunction_GET_CODE(value);
	if (!strncmp(s, "__resume_at", 11) && PyCode_Check(value)) {
		row = PyTuple_Pack(2, name, value);
		if (row)
			PyList_Append(c->parts.resumes, row);
		Py_XDECREF(row);
	}
}

const struct watcher watch_global = { .before = global_made };

/* _TorchDynamoContext.__call__(self, fn): torch.compile or the like was called. */
static void function_wrapped(struct call *call)
{
	PyObject *fn = call_arg(call, 1, "fn");

	if (call->result && fn && !PyType_Check(fn))
		locate_wrapped(call->result);
}

const struct watcher watch_wrap = { .after = function_wrapped };

static void was_reset(struct call *call)
{
	if (!call->result)
		return;
	hooks->was_reset();
	host->code.appeared();
}

const struct watcher watch_reset = { .after = was_reset };

/* After set_stance("force_eager") compiled functions run without Dynamo, so breakpoints must be resolved again. */
static void stance_was_set(struct call *call)
{
	(void)call;
	host->code.appeared();
}

const struct watcher watch_stance = { .after = stance_was_set };

/* ---- start and stop --------------------------------------------------------------------------------------- */

int observe_start(const struct observe_hooks *by, struct err *err)
{
	static const enum attr_id always[] = {
		ATTR_COMPILE,
		ATTR_CATCH,
		ATTR_REASONS,
		ATTR_GUARDS,
		ATTR_LOG_BREAK,
		ATTR_USER_COMPILER,
		ATTR_RESUME_GLOBAL,
		ATTR_REASON,
		ATTR_SUBGRAPH,
		ATTR_EFFECTS,
		ATTR_WRAP,
		ATTR_DISABLE,
		ATTR_RESET,
		ATTR_LOAD_PRECOMPILED,
		ATTR_SET_STANCE,
		ATTR_SHAPE_LINE,
		ATTR_RUN,
		ATTR_STARTS_LINE,
		ATTR_ERASE,
		ATTR_EXCEEDS,
		ATTR_EXCEEDS_OLD,
		ATTR_STANCE_REASONS,
		ATTR_EVENT_START,
		ATTR_EVENT_END,
		ATTR_FAKE_VALUE,
		ATTR_BUILD,
		ATTR_CONSTANT_RESULT,
		ATTR_AUTOGRAD_LOGGER,
		ATTR_AUTOGRAD_COMPILER,
	};
	static const enum attr_id instead[][2] = {
		{ ATTR_LOG_BREAK, ATTR_SAID_BREAK },
		{ ATTR_RESUME_GLOBAL, ATTR_GLOBAL },
		{ ATTR_LOG_BREAK, ATTR_ADD_GUARD },
	};
	size_t i;

	if (program_exit_watch() < 0)
		return err_set(err, "cannot watch Dynamo: no memory");
	hooks = by;
	for (i = 0; i < sizeof(always) / sizeof(*always); i++)
		attrs_wrap(always[i]);
	for (i = 0; i < sizeof(instead) / sizeof(*instead); i++)
		if (!attrs_have(instead[i][0]))
			attrs_wrap(instead[i][1]);
	return 0;
}

void observe_stop(void)
{
	int i;

	lookup_stop();
	compile_trace_stop();
	phase_times_stop();
	autograd_misses_stop();
	for (i = 0; i < ATTR_COUNT; i++)
		attrs_restore((enum attr_id)i);
	program_exit_forget();
}
