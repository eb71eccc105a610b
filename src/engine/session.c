/* SPDX-License-Identifier: BSD-3-Clause */
/* The session: joins the hooks' events with step plans, breakpoints and the front end.  Knows no command
   and no CPython. */
#include "engine/session.h"
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "engine/bp.h"
#include "engine/option.h"
#include "engine/plug.h"
#include "engine/procs.h"
#include "engine/source.h"
#include "engine/step.h"
#include "engine/trace.h"
#include "event/table.h"
#include "py/interp/eval.h"
#include "py/hook/hook.h"
#include "py/interp/path.h"
#include "py/hook/selfcheck.h"

struct line {
	struct line *next;
	char *text;
};

struct line_queue {
	struct line *first;
};

struct modules {
	struct py_code **code;               /* owned */
	size_t n, cap;
};

static struct session *current;
static struct py_obj *awaited;               /* co_filename of the script that is to be stopped at; owned, or NULL */
static struct modules modules;

/* ---- the hooks' sink ---------------------------------------------------------------------------------- */

static void on_instr(struct hook_thread *t, struct py_frame *f, struct code *c, int index)
{
	step_instr(current, t, f, c, index);
}

static void on_call(struct hook_thread *t, struct py_frame *f, struct code *c)
{
	step_call(current, t, f, c);
}

static void on_leave(struct hook_thread *t, struct py_frame *f, struct code *c, enum hook_how how,
		     struct py_obj *value)
{
	step_leave(current, t, f, c, how, value);
}

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

/* Seen before, further in?  An address alone says nothing: the next exception is often made where the last one was. */
static bool passes_on(struct hook_thread *t, struct py_frame *f, struct py_obj *value, struct py_obj *tb)
{
	int deep = frames_deep(f);
	uintptr_t origin = frame_traceback_origin(tb);
	bool same = t->last_exc == value && deep < t->last_depth && t->last_origin == origin;

	t->last_exc = value;
	t->last_depth = deep;
	t->last_origin = origin;
	return same;
}

/* One stop for one exception: it is reported where it is first seen, not again in each frame it passes. */
static void on_raise(struct hook_thread *t, struct py_frame *f, struct code *c, struct py_obj *type,
		     struct py_obj *value, struct py_obj *tb)
{
	struct event ev = { .kind = &ev_exception, .thread = t, .frame = f, .code = c, .index = -1,
			    .type = type, .exc = value, .tb = tb };
	char *trouble = NULL;
	struct bp *b;

	if (!bp_catching(current, "exception") || passes_on(t, f, value, tb))
		return;
	b = bp_caught(current, &ev, &trouble);
	if (b) {
		if (trouble)
			session_note(current, NOTE_WARNING, "%s", trouble);
		session_stop(current, &ev);
	}
	free(trouble);
}

static unsigned on_enter(struct hook_thread *t, struct code *c)
{
	return step_enter(current, t, c);
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

static void on_exec(struct py_code *co)
{
	struct code *c = code_get(co);

	if (awaited && code_file_is(c, awaited)) {
		session_stop_at_file(current, NULL);
		session_stop_at(current, co);
	} else if (path_kind(code_file(c)) == KIND_USER)
		session_program_code(current, co);
	else
		bp_body_appeared(current, co);
	py_unref_waiting();
}

static bool on_signal(struct hook_thread *t, struct py_frame *f, int sig)
{
	return procs_signal(current, t, f, sig);
}

static void on_process(enum hook_process what, const char *how, const char *program)
{
	procs_event(current, what, how, program);
}

static void on_ended(struct hook_thread *t)
{
	step_stopped(current, t);
}

static const struct hook_sink sink = {
	.instr = on_instr,
	.call = on_call,
	.leave = on_leave,
	.raise = on_raise,
	.enter = on_enter,
	.interrupt = on_interrupt,
	.exec = on_exec,
	.signal = on_signal,
	.process = on_process,
	.ended = on_ended,
};

/* ---- life ------------------------------------------------------------------------------------------------ */

struct session *session_get(void)
{
	return current;
}

struct session *session_living(void)
{
	return current && current->started && !current->detached ? current : NULL;
}

struct session *session_new(const struct front_ops *front)
{
	struct session *s = mem_alloc(sizeof(*s));

	s->front = front;
	s->queue = mem_alloc(sizeof(*s->queue));
	current = s;
	return s;
}

int session_start(struct session *s, struct err *err)
{
	s->started = true;
	if (selfcheck_wanted())
		return selfcheck_start(err);
	if (hook_start(&sink, err) < 0)
		return -1;
	return hook_signals_start(err);
}

static void let_go(struct session *s)
{
	struct bp *b;

	s->detached = true;
	step_release(s);
	while ((b = bp_first(s)))
		bp_delete(s, b);
	plug_detach(s);
	hook_stop();
}

void session_detach(struct session *s)
{
	if (s->detached)
		return;
	let_go(s);
	if (s->front->release)
		s->front->release(s);
	py_unref_waiting();
}

/* Only the forking thread lives in the child; the terminal and the files are the parent's. */
bool session_forked(struct session *s)
{
	if (!s->detached && procs_follow_child(s)) {
		hook_forked();
		session_note(s, NOTE_INFO, "following the child, process %ld", (long)getpid());
		return true;
	}
	s->resume = RESUME_DETACH;
	if (!s->detached)
		let_go(s);
	return false;
}

void session_forked_parent(struct session *s)
{
	if (!s->detached && procs_follow_child(s))
		session_detach(s);
}

void session_program_code(struct session *s, struct py_code *module_body)
{
	size_t i;

	for (i = 0; i < modules.n; i++)
		if (modules.code[i] == module_body)
			return;
	modules.code = mem_grow(modules.code, &modules.cap, modules.n + 1, sizeof(*modules.code));
	modules.code[modules.n++] = py_ref(module_body);
	bp_module_appeared(s, module_body);
}

struct py_code *session_module_code(const struct session *s, int n)
{
	(void)s;
	return n >= 0 && (size_t)n < modules.n ? modules.code[n] : NULL;
}

/* ---- what is said -------------------------------------------------------------------------------------- */

void session_note(struct session *s, enum note_level level, const char *fmt, ...)
{
	va_list ap;
	char *text;

	va_start(ap, fmt);
	text = mem_vfmt(fmt, ap);
	va_end(ap);
	if (!s->detached)
		s->front->note(s, level, text);
	free(text);
}

void session_say(struct session *s, const char *fmt, ...)
{
	va_list ap;
	char *text;

	va_start(ap, fmt);
	text = mem_vfmt(fmt, ap);
	va_end(ap);
	if (!s->detached)
		s->front->say(s, text);
	free(text);
}

void session_queue(struct session *s, const char *line, bool next)
{
	struct line *l = mem_alloc(sizeof(*l)), **p = &s->queue->first;

	l->text = mem_str(line);
	while (!next && *p)
		p = &(*p)->next;
	l->next = *p;
	*p = l;
}

char *session_unqueue(struct session *s)
{
	struct line *l = s->queue->first;
	char *text;

	if (!l)
		return NULL;
	s->queue->first = l->next;
	text = l->text;
	free(l);
	return text;
}

/* ---- a stop ------------------------------------------------------------------------------------------------ */

bool session_stopped(const struct session *s)
{
	return s->thread != NULL;
}

/* What runs already is armed for exceptions and traces; new frames are asked about as they begin. */
static void arm_running(struct session *s, struct hook_thread *t)
{
	bool raises = bp_catching(s, "exception");
	struct stack other = { 0 };
	struct hook_thread *p;
	struct err err;
	int i;

	hook_into_all(raises || trace_on(s));
	if (t->plan)
		hook_step(true);
	for (p = raises ? hook_thread_first() : NULL; p; p = p->next) {
		stack_fill_thread(&other, s, p->ts);
		for (i = 0; i < other.n; i++)
			if (!other.frame[i].hidden)
				hook_frame(other.frame[i].fo, HOOK_CALLS, &err);
		stack_release(&other);
	}
}

/* It stopped: its commands are what is said next, and a temporary one has had its stop. */
static void queue_commands(struct session *s, int number)
{
	struct bp *b = number ? bp_find(s, number) : NULL;
	int n;

	for (n = 0; b && b->commands && b->commands[n]; n++)
		;
	while (n > 0)
		session_queue(s, b->commands[--n], true);
	if (b && b->temporary)
		bp_delete(s, b);
}

static void view(struct session *s, struct hook_thread *t)
{
	struct hook_thread *old = s->viewed;

	s->viewed = hook_thread_hold(t);
	hook_thread_drop(old);
}

/* It comes from outside, wherever the program is: library frames are passed over. */
static bool between_steps(const struct event *ev)
{
	return ev->kind == &ev_interrupt || ev->kind == &ev_signal || ev->kind == &ev_fork || ev->kind == &ev_exec;
}

/* The front end serves; then what it was told is done.  Inside the bracket. */
static void serve(struct session *s, struct event *ev)
{
	struct hook_thread *t = ev->thread;
	const char *lock;

	hook_lock_scheduler(NULL);
	s->thread = t;
	view(s, t);
	s->event = ev;
	s->selected = 0;
	s->resume = RESUME_NONE;
	step_stopped(s, t);
	stack_fill(&s->stack, s, ev);
	while (s->selected < s->stack.n - 1 && s->stack.frame[s->selected].hidden && between_steps(ev))
		s->selected++;
	queue_commands(s, ev->number);
	s->front->stopped(s, ev);
	t->broken = false;                   /* from here on Ctrl-C is the program's: see session_stop() */
	if (s->resume == RESUME_GO) {
		hook_step(step_any(s));
		procs_apply(s);
		arm_running(s, t);
		lock = option_text(s, "scheduler-locking");
		if (!strcmp(lock, "on") || (!strcmp(lock, "step") && s->viewed->plan))
			hook_lock_scheduler(s->viewed);
		if (s->front->running)
			s->front->running(s);
	}
	stack_release(&s->stack);
	s->thread = NULL;
	view(s, NULL);
	s->event = NULL;
}

static void finish_stop(struct session *s)
{
	enum resume how = s->resume;

	if (how == RESUME_DETACH)
		session_detach(s);
	else if ((how == RESUME_QUIT || how == RESUME_RESTART) && s->end)
		s->end(s, how == RESUME_RESTART);
}

static void bracket(struct session *s, struct event *ev, void (*run)(struct session *, struct event *))
{
	struct hook_saved saved;
	void *plugs[PLUG_MAX];

	hook_stop_enter(ev->thread, &saved);
	plug_stop_enter(s, plugs);
	run(s, ev);
	finish_stop(s);
	plug_stop_leave(s, plugs);
	hook_stop_leave(ev->thread, &saved);
}

void session_stop(struct session *s, const struct event *why)
{
	struct event own = *why, *ev = &own;

	if (s->detached || s->exited || selfcheck_wanted())
		return;
	if (!ev->thread)
		ev->thread = hook_thread_self();
	if (ev->thread->in_stop)             /* what the user evaluates stops nowhere */
		return;
	event_hold(ev);                      /* from here on other threads may run */
	hook_lock();
	/* while this thread waited its turn the session may have ended */
	if (!s->detached && !s->exited)
		bracket(s, ev, serve);
	hook_unlock();
	event_drop(ev);
	py_unref_waiting();
	hook_interrupt_again(ev->thread);
	hook_yield();
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

	(void)s;
	awaited = py_ref(file);
	py_unref(before);
}

void session_break_here(struct session *s)
{
	struct hook_thread *t = hook_thread_self();
	struct py_frame *f = frame_top(), *back;

	if (s->detached || t->in_stop || selfcheck_wanted()) {
		py_unref(f);
		return;
	}
	while (f && stack_kind(s, frame_code(f)) == KIND_SELF) {
		back = frame_back(f);
		py_unref(f);
		f = back;
	}
	if (f)
		step_to_next(s, t, f, &ev_breakpoint);
	py_unref(f);
}

void session_post_mortem(struct session *s, struct py_obj *type, struct py_obj *exc, struct py_obj *tb)
{
	struct event ev = { .kind = &ev_exception, .index = -1, .type = type, .exc = exc, .tb = tb, .dead = true };

	if (option_number(s, "post-mortem"))
		session_stop(s, &ev);
}

static void serve_exit(struct session *s, struct event *ev)
{
	(void)ev;
	s->resume = RESUME_NONE;
	s->front->exited(s, s->status);
	/* the end of input, or anything else: the process ends with the program's status */
	if (s->resume != RESUME_RESTART)
		s->resume = RESUME_NONE;
}

static void report_selfcheck(struct session *s)
{
	struct buf b = { 0 };
	bool well = selfcheck_report(&b);

	session_note(s, well ? NOTE_INFO : NOTE_WARNING, "%s", buf_str(&b));
	buf_release(&b);
}

void session_exit(struct session *s, int status)
{
	struct event ev = { .thread = hook_thread_self() };

	if (s->exited)
		return;
	if (selfcheck_wanted()) {
		report_selfcheck(s);
		return;
	}
	step_release(s);
	hook_lock_scheduler(NULL);
	s->status = status;
	s->exited = true;
	bracket(s, &ev, serve_exit);
	plug_finish(s);
}

/* ---- the selected frame -------------------------------------------------------------------------------------- */

struct frame *session_frame(struct session *s, struct err *err)
{
	if (!s->thread) {
		err_set(err, s->exited ? "the program has ended" : "the program is not stopped");
		return NULL;
	}
	if (s->selected < 0 || s->selected >= s->stack.n) {
		err_set(err, "this thread has no frame to look at");
		return NULL;
	}
	return &s->stack.frame[s->selected];
}

int session_scope(struct session *s, struct scope *out, struct err *err)
{
	struct frame *f = session_frame(s, err);

	memset(out, 0, sizeof(*out));
	if (!f)
		return -1;
	out->frame = f->fo;
	out->at_event = f->at_event;
	if (f->fake) {
		out->locals = f->fake->locals;
		out->globals = f->fake->globals;
	}
	return 0;
}

int session_select_thread(struct session *s, int number, struct err *err)
{
	struct hook_thread *t;

	if (!s->thread)
		return err_set(err, "the program is not stopped");
	for (t = hook_thread_first(); t && t->number != number; t = t->next)
		;
	if (!t)
		return err_set(err, "no thread %d: 'info threads' lists them", number);
	if (t == s->thread)
		stack_fill(&s->stack, s, s->event);
	else
		stack_fill_thread(&s->stack, s, t->ts);
	view(s, t);
	s->selected = 0;
	while (s->selected < s->stack.n - 1 && s->stack.frame[s->selected].hidden)
		s->selected++;
	return 0;
}
