/* SPDX-License-Identifier: BSD-3-Clause */
/* The plugin for torch.compile: its tables, its life, and its answers about code. */
#include "torch/attrs.h"
#include "torch/host.h"
#include "torch/switch.h"
#include "torch/text.h"
#include "model/compiling.h"
#include "model/entry.h"
#include "model/entry_state.h"
#include "model/func.h"
#include "model/model.h"
#include "model/qualname.h"
#include "code/call_text.h"
#include "code/decompile_hints.h"
#include "code/locate.h"
#include "code/node_values.h"
#include "code/regions.h"
#include "guards/guard_edit.h"
#include "guards/guard_model.h"
#include "observe/cache_lookup.h"
#include "observe/compile_trace.h"
#include "observe/existing.h"
#include "observe/observe.h"
#include "edit/backend.h"
#include "edit/held.h"
#include "edit/ledger.h"
#include "edit/overrides.h"
#include "edit/precompiled.h"
#include "edit/rebuild.h"
#include "edit/record.h"
#include "edit/undo.h"
#include "show/explain.h"
#include "show/related.h"
#include "show/view_breaks.h"
#include "show/view_compiled.h"
#include "show/view_cost.h"
#include "show/view_effects.h"
#include "show/view_entries.h"
#include "show/view_graph.h"
#include "show/view_guards.h"
#include "show/view_kernel.h"
#include "show/view_links.h"
#include "show/view_overrides.h"
#include "show/view_resume.h"
#include "show/view_trace.h"
#include "code/graph_code.h"
#include "code/kept_names.h"
#include "code/graph_codes.h"
#include "show/view_why.h"
#include "event/ev_backward.h"
#include "event/ev_compile.h"
#include "event/ev_graph_break.h"
#include "event/ev_guard_fail.h"
#include "event/ev_kernel.h"
#include "event/ev_limit.h"
#include "event/ev_nan.h"
#include "event/ev_recompile.h"
#include "event/ev_resume.h"
#include "event/ev_skip.h"
#include "cmd/cmd_backend.h"
#include "cmd/cmd_code.h"
#include "cmd/cmd_entry.h"
#include "cmd/cmd_graph.h"
#include "cmd/cmd_guard.h"
#include "cmd/cmd_overrides.h"
#include "report/cmd_report.h"
#include "report/data.h"
#include "watch_list.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static bool awake, wanted;                   /* wanted: something was armed before torch came */

/* Questions come from the hooks too, in the middle of the program's exceptions: these stay as they are. */
struct pending {
	PyObject *type, *value, *tb;
};

static void pending_save(struct pending *p)
{
	PyErr_Fetch(&p->type, &p->value, &p->tb);
}

static void pending_restore(struct pending *p)
{
	PyErr_Clear();
	PyErr_Restore(p->type, p->value, p->tb);
}

/* ---- what is this code? ----------------------------------------------------------------------------------- */

/* Python that compiled graphs are made of.  KIND_GRAPH: what computes, FX's forward and inductor's call; KIND_LIBRARY:
   what is around it; KIND_UNKNOWN: other code. */
static enum kind graph_kind(PyCodeObject *co)
{
	const char *file = utf8_of(co->co_filename), *name = utf8_of(co->co_name);
	const char *dir = getenv("TORCHINDUCTOR_CACHE_DIR");

	if (!file || !name)
		return KIND_UNKNOWN;
	if (!strncmp(file, "<eval_with_key>", 15))
		return !strcmp(name, "forward") ? KIND_GRAPH : KIND_LIBRARY;
	if (strstr(file, "codegen("))
		return KIND_LIBRARY;
	if (!strcmp(name, "call") && graph_codes_is_call(co))
		return KIND_GRAPH;
	if (strstr(file, "/torchinductor_") || (dir && *dir && !strncmp(file, dir, strlen(dir))))
		return !strcmp(name, "call") || !strncmp(name, "partition_", 10) ? KIND_GRAPH : KIND_LIBRARY;
	return KIND_UNKNOWN;
}

static int code(struct py_code *co, struct code_info *out)
{
	const struct compiling *top = compiling_top();
	struct pending pending;
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
	pending_save(&pending);
	graph = graph_kind((PyCodeObject *)co);
	pending_restore(&pending);
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
	out->kind = KIND_UNKNOWN;            /* a resume function that runs in eager mode: its file decides */
	out->root = (struct py_code *)f->root->co;
	out->resume = true;
	return 1;
}

static int regions(struct code *c, const struct region **out, int *n)
{
	struct pending pending;
	struct entry *e = awake ? model_entry((PyCodeObject *)c->co) : NULL;

	if (!e)
		return 0;
	pending_save(&pending);
	*n = regions_of(e, out);
	pending_restore(&pending);
	return *n > 0;
}

static const char *kept(struct code *c, int index)
{
	struct entry *e = awake ? model_entry((PyCodeObject *)c->co) : NULL;
	struct pending pending;
	const char *names;

	if (!e)
		return NULL;
	pending_save(&pending);
	names = kept_names(e, c, index);
	pending_restore(&pending);
	return names;
}

static int line(struct code *c, int index, int *out)
{
	struct entry *e = awake ? model_entry((PyCodeObject *)c->co) : NULL;
	const struct region *r;
	struct pending pending;

	if (!e)
		return 0;
	pending_save(&pending);
	r = regions_at(e, index);
	pending_restore(&pending);
	*out = !r ? 0 : r->kind == REGION_ORIGINAL ? c->instr[index].line : r->line;
	return 1;
}

static int line_places(const char *file, int at, struct places *out)
{
	struct pending pending;
	int n;

	pending_save(&pending);
	n = awake ? locate_line(file, at, out) : 0;
	pending_restore(&pending);
	return n;
}

static int function_places(struct py_code *original, struct places *out)
{
	struct pending pending;
	int n;

	pending_save(&pending);
	n = awake ? locate_function(original, out) : 0;
	pending_restore(&pending);
	return n;
}

static int inlined_places(struct py_code *original, struct places *out)
{
	struct pending pending;
	int n;

	pending_save(&pending);
	n = awake ? locate_inlined(original, out) : 0;
	pending_restore(&pending);
	return n;
}

static int inside(struct py_code *original)
{
	struct pending pending;
	int yes;

	pending_save(&pending);
	yes = awake ? locate_inside(original) : 0;
	pending_restore(&pending);
	return yes;
}

static int unwrap(struct py_obj *v, void (*add)(void *arg, struct py_code *co), void *arg)
{
	struct pending pending;
	int n;

	pending_save(&pending);
	n = awake ? locate_unwrap(v, add, arg) : 0;
	pending_restore(&pending);
	return n;
}

static int body(struct py_code *co)
{
	struct pending pending;
	int n;

	if (!awake)
		return 0;
	pending_save(&pending);
	n = graph_codes_body(co);
	pending_restore(&pending);
	return n;
}

static int node_places(const char *pattern, struct places *out)
{
	struct pending pending;
	int n;

	pending_save(&pending);
	n = awake ? graph_codes_places(pattern, out) : 0;
	pending_restore(&pending);
	return n;
}

static int node_names(void (*add)(void *arg, const char *name), void *arg)
{
	if (awake)
		graph_codes_names(add, arg);
	return awake;
}

static void graph_line(struct py_frame *f, struct code *c, int index)
{
	struct pending pending;

	if (!awake || !host->option_number("graph-values"))
		return;
	pending_save(&pending);
	node_values_line(f, c, index);
	pending_restore(&pending);
}

static int entry(const char *id, struct py_code **generated, struct err *err)
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

/* ---- life ------------------------------------------------------------------------------------------------- */

static const struct entry_edits entry_edits = {
	.state = override_entry_state, .original = held_original, .manager = held_manager, .more_guards =
	override_more_guards,
};

static const struct guard_edits guard_edits = {
	.state = override_guard_edit, .text = override_guard_text, .passes = rebuild_guard_passes,
};

/* What a report needs is taken before a person stops here, and perhaps edits it. */
static void compiled(struct compiling *c)
{
	data_compiled(c);
	ev_compile_emit(c);
}

static const struct observe_hooks observe_hooks = {
	.frame_comes = ev_guard_fail_enter, .compile_begins = backend_give, .record_begin = record_begin,
	.record_end = record_finish, .raised = ev_graph_break_escaped, .compiled = compiled,
	.skipped = ev_skip_emit, .limit = ev_limit_emit, .was_reset = ledger_reset,
};

static int init(const struct cdbg_host *given, struct err *err)
{
	host = given;
	entry_edits_register(&entry_edits);
	guard_edits_register(&guard_edits);
	if (host->size < sizeof(*host))
		return err_set(err, "this cdbg is older than the plugin: install both again");
	bug_restore(host->restore_terminal);
	return 0;
}

/* cdbg.breakpoint says itself why it breaks a graph, to a Dynamo that knows that it is not to look inside. */
static void disallow_breakpoint(void)
{
	PyObject *add = attrs_get(ATTR_DISALLOWED), *cdbg = add ? PyImport_ImportModule("cdbg") : NULL;
	PyObject *stop = cdbg ? PyObject_GetAttrString(cdbg, "breakpoint") : NULL, *id, *r = NULL;

	id = stop ? PyLong_FromVoidPtr(stop) : NULL;
	if (id)
		r = PyObject_CallOneArg(add, id);
	PyErr_Clear();
	Py_XDECREF(r);
	Py_XDECREF(id);
	Py_XDECREF(stop);
	Py_XDECREF(cdbg);
	Py_XDECREF(add);
}

static int wake(struct err *err)
{
	graph_codes_on_free(node_values_forget);
	attrs_find(watch_list);
	awake = true;
	disallow_breakpoint();
	existing_read();
	if (model_entries)
		graph_codes_find();
	if (observe_start(&observe_hooks, err) < 0)
		return -1;
	ev_graph_break_wake();
	lookup_wake();
	compile_trace_wake();
	record_switch(NULL);
	switch_watch(wanted);
	host->code_appeared();
	return 0;
}

static void watched(bool on)
{
	wanted = on;
	if (awake)
		switch_watch(on);
}

static void stop_leave(void *saved)
{
	node_values_resumed();
	switch_leave(saved);
}

static void *stop_enter(void)
{
	return awake ? switch_enter() : NULL;
}

static void changed(struct code *c, const char *what, const char *text)
{
	if (awake)
		ledger_changed((PyCodeObject *)c->co, what, text);
}

static void detach(void)
{
	if (!awake)
		return;
	observe_stop();
	record_stop();
	undo_stop();
	precompiled_stop();
	data_release();
	guards_release_all();
	node_values_release();
	graph_codes_release();
	model_release();
	awake = false;
}

static const struct plug_ops questions = {
	.size = sizeof(questions),
	.code = code, .regions = regions, .line = line, .line_places = line_places,
	.function_places = function_places, .inside = inside, .unwrap = unwrap, .by_name = locate_by_name,
	.steady = hints_steady, .boilerplate = hints_boilerplate,
	.name_length = hints_name_length, .kept = kept,
	.node = graph_code_node, .body = body, .node_places = node_places, .node_names = node_names,
	.graph_line = graph_line,
	.entry = entry, .stop_enter = stop_enter, .stop_leave = stop_leave, .watched = watched, .detach = detach,
	.finish = detach, .pieces = locate_pieces, .links = related_of, .inlined_places = inlined_places,
	.changed = changed,
};

static const struct event_kind *const events[] = {
	&ev_graph_break, &ev_compile, &ev_resume, &ev_skip, &ev_recompile, &ev_guard_fail, &ev_limit,
	&ev_backward, &ev_kernel, &ev_nan, NULL
};
static const struct view_ops *const views[] = {
	&view_compiled, &view_breaks, &view_entries, &view_graphs, &view_graph, &view_effects, &view_resume,
	&view_links, &view_dynamo, &view_guards, &view_why, &view_cost, &view_trace, &view_overrides,
	&view_kernel, &view_backends, NULL
};

static void record_changed(struct session *s)
{
	if (awake)
		record_switch(s);
}

static const struct option_def options[] = {
	{ .name = "count", .type = OPTION_BOOL, .changed = lookup_changed,
	  .help = "count how often each entry is used; adds a hook to each call of compiled functions" },
	{ .name = "graph-values", .type = OPTION_BOOL, .number = 1,
	  .help = "record shape, statistics and time of each node while a graph is stepped" },
	{ .name = "guard-record", .type = OPTION_BOOL, .number = 1, .changed = record_changed,
	  .help = "record how Dynamo builds guards, so that single guards can be edited" },
	{ .name = "keep-graphs", .type = OPTION_BOOL, .number = 1,
	  .help = "keep captured graphs as long as their entries, for graph run, compare and save" },
	{ .name = "report-keep", .type = OPTION_BOOL,
	  .help = "keep generated code as text, and what guards cost, for reports of entries that are gone" },
	{ .name = "trace-compile", .type = OPTION_BOOL, .changed = compile_trace_changed,
	  .help = "record Dynamo's symbolic run of each compile, for info trace" },
	{ .name = NULL }
};

static const struct cmd_def *const commands[] = {
	cmd_explain, cmd_graph, cmd_guard, cmd_entry, cmd_overrides, cmd_backend, cmd_code, cmd_report, NULL
};

const struct cdbg_plugin cdbg_plugin = {
	.size = sizeof(cdbg_plugin), .abi = CDBG_PLUGIN_ABI, .name = "dynamo", .wakes_on = "torch._dynamo",
	.package = "torch",
	.events = events, .views = views, .commands = commands, .options = options,
	.questions = &questions, .init = init, .wake = wake,
};
