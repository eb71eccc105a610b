/* SPDX-License-Identifier: BSD-3-Clause */
/* The dispatcher: passes what the hooks notice to trace, breakpoints, watchpoints and step plans, in this order; the
   first that asks for a stop gets it.  Knows no command and no front end. */
#include "engine/dispatch.h"
#include <stdlib.h>
#include <string.h>
#include "base/signame.h"
#include "base/val.h"
#include "engine/bp.h"
#include "engine/way.h"
#include "engine/plug.h"
#include "engine/procs.h"
#include "engine/modules.h"
#include "engine/recording.h"
#include "engine/session.h"
#include "engine/step.h"
#include "engine/stop.h"
#include "engine/trace.h"
#include "engine/watch.h"
#include "event/event_table.h"
#include "py/decompile/decompile.h"
#include "py/hook/hook.h"
#include "py/hook/selfcheck.h"
#include "py/interp/path.h"
#include <signal.h>

static struct session *current; /* receives the events, from session_start() on */
static struct py_obj *awaited;	/* co_filename of the script that is to be stopped at; owned, or NULL */

/* Report the error of a condition.  Takes text, which may be NULL. */
static void warn(struct session *s, char *text)
{
	if (text)
		session_note(s, NOTE_WARNING, "%s", text);
	free(text);
}

/* Stops if a catchpoint matches the event, or always. */
static void offer(struct session *s, struct event *ev, bool always)
{
	char *trouble = NULL;
	struct bp *b = way_away ? NULL : bp_caught(s, ev, &trouble);

	warn(s, trouble);
	if (b || always)
		session_stop(s, ev);
}

void dispatch_event(struct session *s, struct event *ev)
{
	offer(s, ev, false);
}

/* ---- instructions and frames ------------------------------------------------------------------------------ */

/* Stop before an instruction. */
static void stop_at(struct session *s, struct event *ev)
{
	ev->at_event = true;
	if (ev->kind == &ev_return)
		ev->value = frame_return_value(ev->frame, ev->code, ev->index);
	session_stop(s, ev);
}

static bool at_breakpoint(struct session *s, struct hook_thread *t, struct py_frame *f, struct code *c, int index)
{
	struct event ev = { .thread = t, .frame = f, .code = c, .index = index };
	struct val *detail = NULL;
	char *trouble = NULL;
	bool graph = stack_kind(s, c) == KIND_GRAPH;
	struct bp *b = graph && plug_traced(s, c) > 0 ? NULL : bp_hit(s, t, f, c, index, &trouble);
	const char *note;

	if (!b) { /* a condition that failed may have been a hit to ignore */
		free(trouble);
		py_unref_waiting();
		return false;
	}
	warn(s, trouble);
	ev.kind = b->type == BP_CATCH ? b->kind : &ev_breakpoint;
	ev.number = b->number;
	if (graph) {
		s->graphs_shown = true; /* stepg continues from here */
		plug_graph_line(s, f, c, index);
	}
	note = b->type == BP_CATCH ? NULL : bp_note_at(b, c, index);
	if (note) {
		ev.detail = detail = val_map();
		val_put(detail, "note", val_str(note));
	}
	stop_at(s, &ev);
	val_free(detail);
	return true;
}

static void at_watchpoint(struct session *s, struct hook_thread *t, struct py_frame *f, struct code *c, int index,
			  struct bp *b)
{
	struct val *detail = watch_detail(b);
	struct event ev = { .kind = &ev_watch,
			    .thread = t,
			    .frame = f,
			    .code = c,
			    .index = index,
			    .number = b->number,
			    .value = watch_take_value(b),
			    .detail = detail };

	stop_at(s, &ev);
	val_free(detail);
	py_unref(ev.value);
}

static void at_plan_end(struct session *s, struct hook_thread *t, struct py_frame *f, struct code *c, int index,
			const struct event_kind *kind)
{
	struct event ev = { .kind = kind, .thread = t, .frame = f, .code = c, .index = index };

	stop_at(s, &ev);
}

/* Hot: a stepped thread comes here at each instruction. */
static bool dispatch_instr(struct hook_thread *t, struct py_frame *f, struct code *c, int index)
{
	struct session *s = current;
	const struct event_kind *kind;
	struct bp *watch;

	if (t->due) {
		t->due = false;
		at_plan_end(s, t, f, c, index, &ev_step);
		return false;
	}
	if (way_away)
		return false;
	if (trace_on(s))
		trace_instr(s, f, c, index);
	if ((c->flags[code_unit(c, index)] & CODE_BREAK) && at_breakpoint(s, t, f, c, index))
		return false;
	watch = watch_check(s, t, f);
	if (watch) {
		at_watchpoint(s, t, f, c, index, watch);
		return false;
	}
	kind = t->plan ? step_check(s, t, f, c, index) : NULL;
	if (kind)
		at_plan_end(s, t, f, c, index, kind);
	return t->plan && step_to_line(s, t, f, c, index);
}

static bool on_recorded(struct hook_thread *t, struct code *c, int unit)
{
	return way_at(current, t, c, unit);
}

static void on_leave(struct hook_thread *t, struct py_frame *f, struct code *c, enum hook_how how, struct py_obj *value)
{
	(void)value;
	if (how != HOOK_YIELD)
		watch_left(current, f);
	step_leave(current, t, f, c, how);
}

static unsigned on_enter(struct hook_thread *t, struct code *c)
{
	unsigned want = step_enter(current, t, c);

	if (step_starting(t))
		return want;
	want |= trace_want(current, c) | recording_enter(current, c);
	if (hook_into_wanted() && bp_catching(current, "exception") && stack_shown(current, c))
		want |= HOOK_CALLS;
	return want;
}

static void on_ended(struct hook_thread *t)
{
	step_stopped(current, t);
}

/* ---- exceptions ------------------------------------------------------------------------------------------- */

static int frames_deep(struct py_frame *f)
{
	struct py_frame *back;
	int n = 0;

	for (py_ref(f); f; f = back, n++) {
		back = frame_back(f);
		py_unref(f);
	}
	return n;
}

/* Was this exception seen in a frame further in?  Its address is not enough: memory is reused for the next one. */
static bool passes_on(struct hook_thread *t, struct py_frame *f, struct py_obj *value, struct py_obj *tb)
{
	int deep = frames_deep(f);
	uintptr_t origin = frame_traceback_origin(tb);
	bool same = t->last.exc == value && deep < t->last.depth && t->last.origin == origin;

	t->last.exc = value;
	t->last.depth = deep;
	t->last.origin = origin;
	return same;
}

/* An exception stops once: in the frame where it is first seen, not in each frame that it passes. */
static void dispatch_raise(struct hook_thread *t, struct py_frame *f, struct code *c, struct py_obj *type,
			   struct py_obj *value, struct py_obj *tb)
{
	struct event ev = { .kind = &ev_exception,
			    .thread = t,
			    .frame = f,
			    .code = c,
			    .index = -1,
			    .type = type,
			    .exc = value,
			    .tb = tb };

	if (bp_catching(current, "exception") && !passes_on(t, f, value, tb))
		offer(current, &ev, false);
}

/* ---- the process ------------------------------------------------------------------------------------------ */

/* Stops in the innermost frame when the event has none. */
static void offer_in_frame(struct session *s, struct event *ev, bool always)
{
	struct py_frame *top = ev->frame ? NULL : frame_top();

	if (top)
		ev->frame = top;
	if (ev->frame)
		ev->code = frame_code(ev->frame);
	offer(s, ev, always);
	py_unref(top);
}

static void on_interrupt(struct hook_thread *t, struct py_frame *f)
{
	struct event ev = { .kind = &ev_interrupt, .thread = t, .index = -1 };
	struct py_frame *top = f ? NULL : frame_top();

	ev.frame = f ? f : top;
	if (ev.frame)
		ev.code = frame_code(ev.frame);
	session_stop(current, &ev);
	py_unref(top);
}

static void on_visit(struct hook_thread *t)
{
	session_visit(current, t);
}

static bool dispatch_signal(struct hook_thread *t, struct py_frame *f, int sig)
{
	struct session *s = current;
	struct disposition d = procs_disposition(sig);
	struct event ev = {
		.kind = sig == SIGINT ? &ev_interrupt : &ev_signal, .thread = t, .frame = f, .index = -1, .signal = sig
	};
	struct val *detail = val_map();

	val_put(detail, "signal", val_str(signame_name(sig)));
	val_put(detail, "number", val_int(sig));
	ev.detail = detail;
	if (d.stop || bp_catching(s, "signal"))
		offer_in_frame(s, &ev, d.stop);
	if (d.print && !d.stop)
		session_note(s, NOTE_INFO, "the program got signal %s, %s", signame_name(sig), signame_help(sig));
	val_free(detail);
	return procs_disposition(sig).pass; /* read it again: the user may have changed it by `handle` at the stop */
}

static void offer_process(struct session *s, const struct event_kind *kind, enum hook_process what, const char *how,
			  const char *program)
{
	struct event ev = { .kind = kind, .index = -1, .thread = hook_thread_self() };
	struct val *detail = val_map();

	val_put(detail, "call", val_str(how));
	if (what == HOOK_EXEC)
		val_put(detail, "program", val_str(program));
	ev.detail = detail;
	if (!ev.thread->in_stop)
		offer_in_frame(s, &ev, false);
	val_free(detail);
}

static void on_process(enum hook_process what, const char *how, const char *program)
{
	const struct event_kind *kind = what == HOOK_FORK ? &ev_fork : &ev_exec;

	procs_fork(current, false);
	if (bp_catching(current, kind->name))
		offer_process(current, kind, what, how, program);
	/* a fork at the prompt is not followed, nor is the child of subprocess before it executes its program */
	procs_fork(current, what == HOOK_FORK && !current->detached && !hook_thread_self()->in_stop);
}

/* ---- code appears, and where the program asks for a stop -------------------------------------------------- */

/* The body of a module of the program's own is about to run: a root of what FUNC means. */
static void session_program_code(struct session *s, struct py_code *module_body)
{
	if (modules_add(module_body))
		bp_module_appeared(s, module_body);
}

void session_stop_at(struct session *s, struct py_code *co)
{
	if (selfcheck_wanted())
		return;
	path_add_user(code_file(code_get(co)));
	session_program_code(s, co);
	step_to_start(s, hook_thread_self(), co);
}

void session_stop_at_file(struct session *s, struct py_obj *file)
{
	struct py_obj *before = awaited;

	if (!file) {
		step_stopped(s, hook_thread_self());
		hook_step(step_any(s));
	}
	awaited = py_ref(file);
	py_unref(before);
}

void session_break_in(struct session *s, struct py_frame *f)
{
	struct hook_thread *t = hook_thread_self();

	if (s->detached || t->in_stop || selfcheck_wanted())
		return;
	frame_code(f); /* the hooks see code that has a record */
	step_to_next(s, t, f, &ev_breakpoint);
}

void session_break_here(struct session *s)
{
	struct py_frame *f = frame_top(), *back;

	while (f && stack_kind(s, frame_code(f)) == KIND_SELF) {
		back = frame_back(f);
		py_unref(f);
		f = back;
	}
	if (f)
		session_break_in(s, f);
	py_unref(f);
}

static void on_exec(struct py_code *co)
{
	struct code *c = code_get(co);

	if (plug_body(current, co))
		bp_graph_appeared(current);
	if (awaited && code_file_is(c, awaited)) {
		session_stop_at_file(current, NULL);
		session_stop_at(current, co);
	} else if (path_kind(code_file(c)) == KIND_USER)
		session_program_code(current, co);
	else
		bp_body_appeared(current, co);
	py_unref_waiting();
}

static void on_recode(struct py_code *old, struct py_code *now)
{
	if (old != now)
		bp_code_replaced(current, old, now);
	py_unref_waiting();
}

/* ---- start ------------------------------------------------------------------------------------------------ */

static const struct hook_sink sink = {
	.instr = dispatch_instr,
	.recorded = on_recorded,
	.leave = on_leave,
	.raise = dispatch_raise,
	.enter = on_enter,
	.interrupt = on_interrupt,
	.visit = on_visit,
	.recode = on_recode,
	.exec = on_exec,
	.signal = dispatch_signal,
	.process = on_process,
	.ended = on_ended,
};

/* The bodies of modules that run already, where a session begins late: their functions are found before they are
   defined, as those of bodies that begin later. */
static void running_bodies(struct session *s)
{
	struct py_frame *f, *back;
	struct hook_thread *t;
	struct code *c;

	for (t = hook_thread_first(); t; t = t->next)
		for (f = frame_top_of(t->ts); f; f = back) {
			c = frame_code(f);
			if (!strcmp(code_name(c), "<module>") && path_kind(code_file(c)) == KIND_USER)
				session_program_code(s, c->co);
			back = frame_back(f);
			py_unref(f);
		}
}

int session_start(struct session *s, struct err *err)
{
	current = s;
	s->started = true;
	if (selfcheck_wanted())
		return selfcheck_start(err);
	if (hook_start(&sink, err) < 0)
		return -1;
	decompile_ask(hook_interrupt_ends);
	if (hook_signals_start(err) < 0)
		return -1;
	procs_crash_start(s);
	running_bodies(s);
	return 0;
}
