/* SPDX-License-Identifier: BSD-3-Clause */
/* Measures where the time of compiles goes, into model/timing: torch's events, and lines, modules and operators while
   Dynamo traces and inductor lowers.  Time in stops is left out.  Changes nothing; knows no view. */
#include "guards/guard_lines.h"
#include "model/compiling.h"
#include "model/entry.h"
#include "model/source_line.h"
#include "model/timing.h"
#include "observe/dynamo_observe.h"
#include "observe/fx_graph.h"
#include "observe/phase_times.h"
#include "torch/attrs.h"
#include "torch/py_text.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum frame_kind {
	ROOT,	/* a compile of Dynamo's */
	EVENT,	/* of torch's, or cdbg's own */
	RUN,	/* a translator: it counts for lines only */
	NODE,	/* a node is traced or lowered: for operators only */
	IGNORED /* at a prompt, for no compile */
};

/* What a thread is in, innermost first. */
struct stay {
	struct stay *outer;
	enum frame_kind kind;
	const void *owner; /* of ROOT, RUN and NODE: what ends it */
	struct timing *of; /* NULL: nobody's */
	struct span *span; /* of ROOT and EVENT */
	bool beside;	   /* in a thread that helps another one's compile */
	int depth;	   /* compile_clock_depth() */
	double began, inner;
	/* What they were before it began: restored when it ends. */
	const char *file, *module;
	PyObject *module_row;
	int line;
	double since;
	struct timing *active;
	long counted[CACHE_COUNT][3]; /* of ROOT: torch's counters */
};

/* Of this thread: the innermost frame, and the line that Dynamo traces now (file NULL: none). */
static _Thread_local struct {
	struct stay *top;
	unsigned long life; /* frames of an earlier one are dead */
	const char *file, *module;
	PyObject *module_row; /* borrowed, only compared: the row of nn_module_stack that module is from */
	int line;
	double since;
} here;

static unsigned long life;    /* counts how often everything was forgotten; under the GIL, as all of this file */
static struct timing *active; /* the compile that began last and may go on */

static bool counts_for_lines(const struct stay *f)
{
	return f->kind == ROOT || f->kind == EVENT;
}

/* ---- the status line --------------------------------------------------------------------------------------- */

static double last_took; /* by the entry that was made last; 0: none was */

/* Says what goes on, from the innermost frame of this thread that has a name. */
static void tell(void)
{
	static const struct timing *told; /* under the GIL */
	static enum phase told_phase;
	const struct stay *f, *first = NULL;
	char text[200], after[60] = "";
	enum phase phase = PHASE_OTHER;
	const struct timing *t = NULL;
	struct timespec now;

	for (f = here.top; f; f = f->outer) {
		if (f->beside || f->kind == IGNORED)
			return;
		t = t ? t : f->of;
		if (f->of == t && f->span && phase == PHASE_OTHER)
			phase = phase_of(f->span->name);
		first = f->of == t ? f : first;
	}
	if (t == told && phase == told_phase)
		return;
	told = t;
	told_phase = phase;
	if (!t || !first) {
		host->talk.doing(NULL, 0, NULL);
		return;
	}
	clock_gettime(CLOCK_MONOTONIC, &now);
	if (last_took >= 0.5)
		snprintf(after, sizeof(after), "(the last entry took %.0f s)", last_took);
	snprintf(text, sizeof(text), "compiling %s %s%s%s", t->backward ? "backward" : "forward", t->id ? t->id : "",
		 *phase_info[phase].doing ? ": " : "", phase_info[phase].doing);
	host->talk.doing(text, (double)now.tv_sec + (double)now.tv_nsec * 1e-9 - (compile_clock() - first->began),
			 after);
}

/* ---- frames ----------------------------------------------------------------------------------------------- */

/* The frames of a life that has ended name data that is gone. */
static void drop_dead(void)
{
	struct stay *f;

	if (here.life == life)
		return;
	while ((f = here.top)) {
		here.top = f->outer;
		free(f);
	}
	here.file = here.module = NULL;
	here.module_row = NULL;
	here.life = life;
}

/* The time since `since` belongs to the current line. */
static void count_line(double now)
{
	struct timing *t = here.top ? here.top->of : NULL;

	if (here.file && t && here.top->depth == compile_clock_depth())
		timing_line(t, here.file, here.line, here.module)->trace += now - here.since;
	here.since = now;
}

static struct stay *push(enum frame_kind kind, const void *owner, struct timing *of)
{
	struct stay *f = mem_alloc(sizeof(*f));
	double now = compile_clock();

	f->kind = kind;
	f->owner = owner;
	f->of = of;
	f->depth = compile_clock_depth();
	if (here.top && here.top->depth == f->depth && counts_for_lines(f))
		count_line(now);
	f->file = here.file;
	f->line = here.line;
	f->module = here.module;
	f->module_row = here.module_row;
	f->since = here.since;
	if (counts_for_lines(f))
		here.file = NULL;
	f->began = now;
	f->outer = here.top;
	here.top = f;
	return f;
}

/* What the frame took is in its own span, in that of the frame around it if both are of one compile, and in no time of
   that one's own. */
static void count_frame(struct stay *f, double now)
{
	double took = now - f->began;
	struct stay *outer = f->outer;

	if (f->span) {
		f->span->self += took - f->inner;
		f->span->total += took;
		f->span->calls++;
	}
	if (outer && outer->depth == f->depth)
		outer->inner += counts_for_lines(f) || f->kind == IGNORED ? took : f->inner;
	if (f->span && f->of && !f->beside && (!outer || outer->of != f->of)) {
		f->of->wall += took;
		f->of->threads.running = false;
		if (active == f->of)
			active = f->active;
	}
	/* another compile within this one */
	while (outer && outer->of == NULL)
		outer = outer->outer;
	if (outer && f->span && f->of != outer->of && outer->depth == f->depth && outer->of && !outer->beside)
		outer->of->wall -= took;
}

static void pop(void)
{
	struct stay *f = here.top;
	double now = compile_clock();

	if (f->kind != NODE && here.top->depth == compile_clock_depth())
		count_line(now);
	count_frame(f, now);
	here.top = f->outer;
	if (f->kind != NODE) {
		here.file = f->file;
		here.line = f->line;
		here.module = f->module;
		here.module_row = f->module_row;
		here.since = f->outer && f->outer->depth == f->depth ? now : f->since;
	}
	if (f->span && !f->beside)
		tell();
	free(f);
}

/* Ends this frame and those left within it. */
static void pop_to(const struct stay *f)
{
	bool last = false;

	while (here.top && !last) {
		last = here.top == f;
		pop();
	}
}

static struct stay *owned_by(const void *owner, enum frame_kind kind)
{
	struct stay *f;

	drop_dead();
	for (f = here.top; f && !(f->kind == kind && f->owner == owner); f = f->outer)
		;
	return f;
}

/* The span around what begins now, in the same compile. */
static struct span *span_around(const struct timing *t)
{
	struct stay *f;

	for (f = here.top; f && f->of == t; f = f->outer)
		if (f->span)
			return f->span;
	return NULL;
}

/* The compile that this thread is in, at this depth of stops. */
static struct timing *timing_here(void)
{
	return here.top && here.top->depth == compile_clock_depth() ? here.top->of : NULL;
}

static void begin_outermost(struct stay *f, struct timing *t)
{
	t->threads.running = true;
	t->threads.own = PyThread_get_thread_ident();
	f->active = active;
	active = t;
}

/* ---- torch's counters of caches --------------------------------------------------------------------------- */

static void read_counters(long out[CACHE_COUNT][3])
{
	static const char *const group[] = { "aot_autograd", "inductor" };
	static const char *const name[][3] = {
		{ "autograd_cache_hit", "autograd_cache_miss", "autograd_cache_bypass" },
		{ "fxgraph_cache_hit", "fxgraph_cache_miss", "fxgraph_cache_bypass" },
	};
	PyObject *all = attrs_get(ATTR_COUNTERS), *one, *n;
	int i, k;

	for (i = 0; i < CACHE_COUNT; i++) {
		one = all && PyDict_Check(all) ? PyDict_GetItemString(all, group[i]) : NULL;
		for (k = 0; k < 3; k++) {
			n = one && PyDict_Check(one) ? PyDict_GetItemString(one, name[i][k]) : NULL;
			out[i][k] = n && PyLong_Check(n) ? PyLong_AsLong(n) : 0;
		}
	}
	PyErr_Clear();
	Py_XDECREF(all);
}

/* The program may have set them to 0 meanwhile. */
static long more_than(long now, long before)
{
	return now >= before ? now - before : now;
}

static void count_caches(const struct stay *f)
{
	long now[CACHE_COUNT][3];
	int i;

	read_counters(now);
	for (i = 0; i < CACHE_COUNT; i++) {
		f->of->cache[i].hits += more_than(now[i][0], f->counted[i][0]);
		f->of->cache[i].misses += more_than(now[i][1], f->counted[i][1]);
		f->of->cache[i].bypasses += more_than(now[i][2], f->counted[i][2]);
	}
}

/* ---- a compile of Dynamo's -------------------------------------------------------------------------------- */

void phase_times_begin(struct compiling *c, PyObject *compile_id)
{
	struct stay *f;

	drop_dead();
	c->parts.timing = timing_new(c->id, compile_id, false);
	c->parts.timing->func = c->func;
	c->parts.timing->attempts.misses = autograd_misses_take(); /* torch 2.6 has no event of the capture */
	f = push(ROOT, c, c->parts.timing);
	f->span = &c->parts.timing->root;
	begin_outermost(f, c->parts.timing);
	read_counters(f->counted);
	tell();
}

void phase_times_end(struct compiling *c)
{
	struct stay *f = c->parts.timing ? owned_by(c, ROOT) : NULL;

	if (!f) {
		c->parts.timing = NULL;
		return;
	}
	count_caches(f);
	pop_to(f);
}

double phase_times_of(struct compiling *c, struct entry *e)
{
	if (!c->parts.timing)
		return 0;
	c->parts.timing->entry = e;
	last_took = c->parts.timing->wall;
	return c->parts.timing->wall;
}

/* ---- torch's events --------------------------------------------------------------------------------------- */

/* Names of events are few: a text of the model. */
static const char *event_name(struct call *call)
{
	PyObject *name = call_arg(call, 1, "event_name");

	return name && PyUnicode_Check(name) ? py_text_utf8_kept(name) : NULL;
}

/* A new reference, or NULL. */
static PyObject *current_compile_id(void)
{
	PyObject *get = attrs_get(ATTR_COMPILE_ID), *id = get ? PyObject_CallNoArgs(get) : NULL;

	PyErr_Clear();
	if (id == Py_None)
		Py_CLEAR(id);
	Py_XDECREF(get);
	return id;
}

/* Is what begins here, outside of Dynamo's compile, for a backward graph? */
static bool is_backward(const char *name, PyObject *metadata)
{
	PyObject *said = metadata && PyDict_Check(metadata) ? PyDict_GetItemString(metadata, "is_backward") : NULL;

	return said ? said == Py_True :
		      strstr(name, "backward") || strstr(name, "bw_compiler") || !strcmp(name, "compiled_autograd");
}

static struct timing *later_timing(const char *name, PyObject *id, PyObject *metadata)
{
	bool backward = is_backward(name, metadata);
	char *text = py_text_str(id);
	struct timing *t, *first;

	t = timing_find(id, text, backward);
	if (!t) {
		first = timing_find(id, text, !backward);
		t = timing_new(first ? first->id : text, id, backward);
		t->func = first ? first->func : NULL;
		t->entry = first ? first->entry : NULL;
	}
	free(text);
	return t;
}

/* The first event of a thread: what it belongs to is told by torch's context, by the call, or by nothing: then it helps
   the compile of another thread. */
static void begin_first(struct call *call, const char *name)
{
	PyObject *given = call_arg(call, 5, "compile_id"), *metadata = call_arg(call, 3, "metadata");
	PyObject *id = given && given != Py_None ? Py_NewRef(given) : current_compile_id();
	unsigned long self = PyThread_get_thread_ident();
	struct timing *t = id ? later_timing(name, id, metadata) : active;
	bool beside = t && t->threads.running && t->threads.own != self;
	struct stay *f;
	int i;

	if (!t || (!id && !beside)) {
		push(IGNORED, name, NULL);
	} else {
		f = push(EVENT, name, t);
		f->beside = beside;
		f->span = span_within(beside ? &t->beside : &t->root, name);
		if (!strcmp(name, "compiled_autograd")) {
			free(t->attempts.misses);
			t->attempts.misses = autograd_misses_take();
		}
		if (!beside) {
			begin_outermost(f, t);
			read_counters(f->counted);
		}
		for (i = 0; beside && i < t->threads.n && t->threads.other[i] != self; i++)
			;
		if (!beside)
			tell();
		if (beside && i == t->threads.n && i < (int)(sizeof(t->threads.other) / sizeof(*t->threads.other)))
			t->threads.other[t->threads.n++] = self;
	}
	Py_XDECREF(id);
}

/* Is it an event of this depth of stops? */
static bool is_event(const struct stay *f, const char *name)
{
	return (f->kind == EVENT || f->kind == IGNORED) && f->owner == name;
}

/* torch ends neither this event nor the context if an exception leaves what it times. */
static void drop_unfinished(const char *name)
{
	struct stay *f;

	if (strcmp(name, "compiled_autograd"))
		return;
	for (f = here.top; f && !is_event(f, name); f = f->outer)
		;
	if (f)
		pop_to(f);
}

static void begin_event(const char *name)
{
	struct timing *t = timing_here();
	struct stay *outer = here.top, *f;

	f = push(t ? EVENT : IGNORED, name, t);
	if (!t)
		return;
	while (outer && !outer->span)
		outer = outer->outer;
	f->beside = outer && outer->beside;
	f->span = span_within(outer ? outer->span : &t->root, name);
	tell();
}

/* log_event_start(self, event_name, time_ns, metadata, log_pt2_compile_event, compile_id) */
static void event_starts(struct call *call)
{
	const char *name = event_name(call);

	if (!name)
		return;
	drop_dead();
	drop_unfinished(name);
	if (here.top && here.top->depth == compile_clock_depth())
		begin_event(name);
	else if (host->stops.inside())
		push(IGNORED, name, NULL);
	else
		begin_first(call, name);
}

/* log_event_end(self, event_name, ...) */
static void event_ends(struct call *call)
{
	const char *name = event_name(call);
	int depth = compile_clock_depth();
	struct stay *f;

	drop_dead();
	for (f = name ? here.top : NULL; f && f->depth == depth && !is_event(f, name); f = f->outer)
		if (f->kind == ROOT)
			return;
	if (!f || f->depth != depth)
		return;
	if (f->of && !f->beside && (!f->outer || f->outer->of != f->of))
		count_caches(f);
	pop_to(f);
}

const struct watcher watch_event_start = { .before = event_starts };
const struct watcher watch_event_end = { .before = event_ends };

/* ---- events that cdbg adds -------------------------------------------------------------------------------- */

static void own_begins(const char *name)
{
	drop_dead();
	if (timing_here())
		begin_event(name);
}

static void own_ends(const char *name)
{
	struct stay *f;

	drop_dead();
	for (f = here.top; f && f->kind != ROOT && !is_event(f, name); f = f->outer)
		;
	if (f && f->kind != ROOT)
		pop_to(f);
}

void phase_times_import(bool begins)
{
	const char *name = py_text_keep("inductor_import");

	if (begins)
		own_begins(name);
	else
		own_ends(name);
}

/* CheckFunctionManager.__init__: later versions of torch have an event around it. */
static void guards_begin(struct call *call)
{
	drop_dead();
	if (timing_here() && phase_of(span_around(timing_here())->name) != PHASE_GUARDS)
		own_begins(py_text_keep("build_guards"));
	watch_guards.before(call);
}

static void guards_end(struct call *call)
{
	if (here.top && here.top->kind == EVENT && here.top->owner == py_text_keep("build_guards"))
		own_ends(here.top->owner);
	if (watch_guards.after)
		watch_guards.after(call);
}

const struct watcher watch_guards_timed = { .before = guards_begin, .after = guards_end };

/* ---- translators and lines -------------------------------------------------------------------------------- */

static bool is_attempt(const struct stay *f)
{
	return f->kind == EVENT && py_text_begins_with(f->owner, "compile_attempt_");
}

static struct stay *attempt_here(void)
{
	struct stay *f;

	for (f = here.top; f && f->kind != ROOT && !is_attempt(f); f = f->outer)
		;
	return f && f->kind != ROOT ? f : NULL;
}

static bool is_outermost(PyObject *tx)
{
	return !strcmp(_PyType_Name(Py_TYPE(tx)), "InstructionTranslator");
}

/* The module that a translator is in: the last row of its stack, (path, class) by name. */
static void enter_module(PyObject *tx)
{
	PyObject *stack = attr(tx, "nn_module_stack"), *key, *row = NULL;
	Py_ssize_t at = 0;

	while (stack && PyDict_Check(stack) && PyDict_Next(stack, &at, &key, &row))
		;
	if (row != here.module_row || !here.module) {
		here.module_row = row;
		here.module = fx_graph_module_text(stack);
	}
	Py_XDECREF(stack);
}

void phase_times_translator(struct call *call)
{
	PyObject *tx = call_arg(call, 0, "self");
	struct timing *t;
	char *name;

	drop_dead();
	t = timing_here();
	if (!t || !tx)
		return;
	if (is_outermost(tx) && !attempt_here()) { /* torch 2.6 */
		name = mem_fmt("compile_attempt_%d", t->attempts.timed++);
		own_begins(py_text_keep(name));
		free(name);
	}
	push(RUN, call->arg, t);
	enter_module(tx);
}

/* A restart: its reason, and all that the attempt took, in vain. */
static void note_restart(struct timing *t, struct stay *attempt, PyObject *raised)
{
	PyObject *reason = attr(raised, "restart_reason");
	char *text = reason ? py_text_str(reason) : NULL, *before = t->attempts.restarts;

	if (reason && attempt->span) {
		attempt->span->discarded = true;
		t->attempts.restarts = mem_fmt("%s%s%.*s", before ? before : "", before ? "\n" : "",
					       text ? (int)strcspn(text, "\n") : 0, text ? text : "");
		free(before);
	}
	free(text);
	Py_XDECREF(reason);
}

void phase_times_translated(struct call *call)
{
	struct stay *f = owned_by(call->arg, RUN), *attempt;
	PyObject *tx = call_arg(call, 0, "self");
	struct timing *t = timing_here();

	attempt = t && tx && is_outermost(tx) ? attempt_here() : NULL;
	if (attempt && call->raised)
		note_restart(t, attempt, call->raised);
	if (f)
		pop_to(f);
	if (attempt && t->attempts.timed) /* cdbg's own */
		pop_to(attempt);
}

void phase_times_line(const char *file, int line)
{
	struct timing *t;

	drop_dead();
	t = timing_here();
	if (!t || here.top->kind != RUN || (here.file == file && here.line == line)) /* the next instruction of it */
		return;
	count_line(compile_clock());
	here.file = file;
	here.line = line;
	timing_line(t, file, line, here.module)->starts++;
}

/* ---- operators -------------------------------------------------------------------------------------------- */

static void node_begins(struct call *call)
{
	drop_dead();
	if (timing_here())
		push(NODE, call->arg, timing_here());
}

/* Returns the seconds of the frame that node_begins() made, without those of nodes within it; -1: there is none. */
static double node_took(struct call *call)
{
	struct stay *f = owned_by(call->arg, NODE);
	double took;

	if (!f)
		return -1;
	took = compile_clock() - f->began;
	pop_to(f);
	return took;
}

/* get_fake_value(node, tx, ...) */
static void node_traced(struct call *call)
{
	PyObject *node = call_arg(call, 0, "node");
	struct timing *t = timing_here();
	double took = node_took(call);

	if (t && node && took >= 0)
		timing_operator(t, fx_graph_target(node))->fake += took;
}

/* GraphLowering.run_node(self, n) */
static void node_lowered(struct call *call)
{
	PyObject *node = call_arg(call, 1, "n"), *op = attr(node, "op"), *meta = attr(node, "meta");
	struct timing *t = timing_here();
	double took = node_took(call);
	struct source_line line = { 0 };
	struct operator_cost *cost;
	struct line_cost *at;

	if (t && took >= 0 && op && py_text_begins_with(py_text_utf8(op) ? py_text_utf8(op) : "", "call_")) {
		cost = timing_operator(t, fx_graph_target(node));
		cost->lowering += took;
		cost->lowered++;
		if (meta && PyDict_Check(meta) && fx_graph_line(PyDict_GetItemString(meta, "stack_trace"), &line)) {
			at = timing_line(t, line.file, line.line, fx_graph_module(meta));
			at->lowering += took;
			at->lowered++;
		}
	}
	PyErr_Clear();
	Py_XDECREF(meta);
	Py_XDECREF(op);
}

const struct watcher watch_fake_value = { .before = node_begins, .after = node_traced };
const struct watcher watch_lower_node = { .before = node_begins, .after = node_lowered };

void phase_times_stop(void)
{
	life++;
	active = NULL;
	drop_dead();
	tell();
}
