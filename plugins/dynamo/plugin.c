/* SPDX-License-Identifier: BSD-3-Clause */
/* The plugin for torch.compile: its tables, start and end. */
#include "answers.h"
#include "cmd/dynamo_cmd.h"
#include "code/crash_notes.h"
#include "code/dynamo_code.h"
#include "code/graph_codes.h"
#include "code/locate.h"
#include "code/node_values.h"
#include "edit/backend.h"
#include "edit/dynamo_edit.h"
#include "edit/ledger.h"
#include "edit/overridden.h"
#include "edit/overrides.h"
#include "edit/rebuild.h"
#include "event/dynamo_event.h"
#include "event/ev_graph_break.h"
#include "guards/guard_edit.h"
#include "guards/guard_model.h"
#include "model/breaks.h"
#include "model/compiling.h"
#include "model/entry.h"
#include "model/entry_state.h"
#include "model/func.h"
#include "model/qualname.h"
#include "model/timing.h"
#include "observe/compile_trace.h"
#include "observe/dynamo_observe.h"
#include "observe/observe.h"
#include "report/data.h"
#include "report/report.h"
#include "show/dynamo_show.h"
#include "show/view_guards.h"
#include "torch/attrs.h"
#include "torch/cdbg_host.h"
#include "torch/dynamo_torch.h"
#include "torch/py_text.h"
#include "watch_list.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

const struct cdbg_host *host;

/* The model as a whole. */
static void model_release(void)
{
	funcs_release();
	entries_release();
	breaks_release();
	timings_release();
}

static bool awake, wanted; /* wanted: something was armed before torch came */

/* ---- life ------------------------------------------------------------------------------------------------- */

static const struct entry_edits entry_edits = {
	.state = override_entry_state,
	.original = overridden_original,
	.manager = overridden_manager,
	.more_guards = override_more_guards,
};

static const struct guard_edits guard_edits = {
	.state = override_guard_edit,
	.text = override_guard_text,
	.passes = rebuild_guard_passes,
};

/* Records what a report needs before a user stops here and perhaps edits it. */
static void after_compile(struct compiling *c)
{
	if (c->entry) {
		crash_notes_entry(c->entry);
		crash_notes_graphs(c->entry);
	}
	data_compiled(c);
	ev_compile_emit(c);
}

static const struct observe_hooks observe_hooks = {
	.frame_comes = ev_guard_fail_enter,
	.compile_begins = backend_give,
	.record_begin = record_begin,
	.record_end = record_finish,
	.raised = ev_graph_break_escaped,
	.compiled = after_compile,
	.skipped = ev_skip_emit,
	.limit = ev_limit_emit,
	.refused = ev_recompile_refused,
	.was_reset = ledger_reset,
};

static int init(const struct cdbg_host *given, struct err *err)
{
	host = given;
	entry_edits_register(&entry_edits);
	guard_edits_register(&guard_edits);
	(void)err;
	package_add(&wrapper_rows_def);
	bug_restore(host->talk.restore_terminal);
	return 0;
}

/* cdbg.breakpoint names the reason for its graph break, if this version of Dynamo accepts an attribute that excludes
   a function. */
static void disallow_breakpoint(void)
{
	PyObject *add = attrs_get(ATTR_DISALLOWED),
		 *cdbg = add ? PyImport_ImportModuleLevel("cdbg", NULL, NULL, NULL, 0) : NULL;
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

static int plugin_wake(struct err *err)
{
	graph_codes_on_free(node_values_forget);
	attrs_find(watch_list);
	awake = true;
	answers_begin();
	disallow_breakpoint();
	existing_read();
	kept_read();
	if (model_entries)
		graph_codes_find();
	crash_notes_all();
	if (observe_start(&observe_hooks, err) < 0)
		return -1;
	ev_graph_break_wake();
	lookup_wake();
	compile_trace_wake();
	record_switch(NULL);
	switch_watch(wanted);
	host->code.appeared();
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
	compile_clock_stopped(false);
	node_values_resumed();
	ev_nan_left();
	switch_leave(saved);
}

static void *stop_enter(void)
{
	compile_clock_stopped(true);
	return awake ? switch_enter() : NULL;
}

static void code_changed(struct code *c, const char *what, const char *text)
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
	answers_end();
	awake = false;
}

static const struct plug_ops questions = {
	.code.of = answer_code,
	.code.regions = answer_regions,
	.code.lines = answer_lines,
	.code.line = answer_line,
	.places.line = answer_line_places,
	.places.function = answer_function_places,
	.code.inside = answer_inside,
	.names.unwrap = answer_unwrap,
	.names.code = locate_by_name,
	.source.steady = hints_steady,
	.source.boilerplate = hints_boilerplate,
	.source.name_length = hints_name_length,
	.source.reads_as = hints_reads_as,
	.source.class_of = answer_class_of,
	.source.kept = answer_kept,
	.code.node = answer_node,
	.code.body = answer_body,
	.places.node = answer_node_places,
	.names.nodes = answer_node_names,
	.steps.graph_line = answer_graph_line,
	.steps.raised_at = answer_raised_at,
	.names.list = answer_names,
	.code.traced = answer_traced,
	.names.entry = answer_entry,
	.steps.enter = stop_enter,
	.steps.leave = stop_leave,
	.steps.watched = watched,
	.life.detach = detach,
	.life.finish = detach,
	.code.pieces = locate_pieces,
	.names.links = related_of,
	.places.inlined = answer_inlined_places,
	.steps.changed = code_changed,
};

static const struct event_kind *const events[] = {
	&ev_graph_break, &ev_compile, &ev_resume, &ev_skip,  &ev_recompile, &ev_guard_fail, &ev_limit, &ev_backward,
	&ev_kernel,	 &ev_nan,     &ev_stale,  &ev_wrong, NULL
};
static const struct view_ops *const views[] = { &view_compiled, &view_breaks,	 &view_entries,	    &view_graphs,
						&view_graph,	&view_effects,	 &view_resume,	    &view_links,
						&view_dynamo,	&view_guards,	 &view_why,	    &view_cost,
						&view_trace,	&view_unguarded, &view_times,	    &view_overrides,
						&view_kernel,	&view_backends,	 &view_collectives, NULL };

static void record_changed(struct session *s)
{
	if (awake)
		record_switch(s);
}

static const struct option_def options[] = {
	{ .name = "cache-notes",
	  .type = OPTION_BOOL,
	  .number = 1,
	  .help = "note in ~/.cache/cdbg which nodes inductor's code is made of, for runs that find it cached" },
	{ .name = "compile-seconds",
	  .type = OPTION_BOOL,
	  .help = "the source pane has a column with the seconds that compiling took, by line" },
	{ .name = "count",
	  .type = OPTION_BOOL,
	  .changed = lookup_changed,
	  .help = "count how often each entry is used; adds a hook to each call of compiled functions" },
	{ .name = "graph-values",
	  .type = OPTION_BOOL,
	  .number = 1,
	  .help = "record shape, statistics and time of each node while a graph is stepped" },
	{ .name = "guard-record",
	  .type = OPTION_BOOL,
	  .number = 1,
	  .changed = record_changed,
	  .help = "record how Dynamo builds guards, so that single guards can be edited" },
	{ .name = "keep-graphs",
	  .type = OPTION_BOOL,
	  .number = 1,
	  .help = "keep captured graphs as long as their entries, for graph run, compare and save" },
	{ .name = "report-keep",
	  .type = OPTION_BOOL,
	  .help = "keep generated code as text, and what guards cost, for reports of entries that are gone" },
	{ .name = "trace-compile",
	  .type = OPTION_BOOL,
	  .changed = compile_trace_changed,
	  .help = "record Dynamo's symbolic run of each compile, for info trace" },
	{ .name = "wrong-every",
	  .type = OPTION_NUMBER,
	  .max = 1000000000,
	  .help = "catch wrong judges the first call of each entry, and each one of this many; 0: the first only" },
	{ .name = NULL },
};

static const struct cmd_def *const commands[] = { cmd_explain, cmd_graph, cmd_guard,  cmd_entry, cmd_overrides,
						  cmd_backend, cmd_code,  cmd_report, cmd_blame, NULL };

const struct cdbg_plugin cdbg_plugin = {
	.abi = CDBG_PLUGIN_ABI,
	.name = "dynamo",
	.wakes_on = "torch._dynamo",
	.package = "torch",
	.events = events,
	.views = views,
	.commands = commands,
	.options = options,
	.questions = &questions,
	.init = init,
	.wake = plugin_wake,
};
