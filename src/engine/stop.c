/* SPDX-License-Identifier: BSD-3-Clause */
/* A stop: saves the program's state, reads its frames, lets the front end serve it, and restores the state.  Knows
   no command, and not what decides on stops. */
#include "engine/stop.h"
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "base/buf.h"
#include "base/val.h"
#include "base/visible.h"
#include "engine/bp.h"
#include "engine/checkpoint.h"
#include "engine/display.h"
#include "engine/doing.h"
#include "engine/session_end.h"
#include "engine/option.h"
#include "engine/past.h"
#include "engine/source.h"
#include "engine/stack.h"
#include "engine/way.h"
#include "engine/plug.h"
#include "engine/procs.h"
#include "engine/recording.h"
#include "engine/session.h"
#include "engine/step.h"
#include "engine/trace.h"
#include "event/event_table.h"
#include "py/hook/hook.h"
#include "py/hook/selfcheck.h"
#include "py/interp/path.h"

static unsigned long stops; /* until now, of all sessions */

unsigned long stop_number(void)
{
	return stops;
}

/* Arms running frames for exceptions and traces; for new frames this is decided when they begin. */
static void arm_running(struct session *s, struct hook_thread *t)
{
	bool raises = bp_catching(s, "exception");
	struct stack other = { 0 };
	struct hook_thread *p;
	struct err err;
	int i;

	hook_into_all(raises || trace_on(s) || recording_all());
	if (t->plan)
		hook_step(true);
	for (p = raises ? hook_thread_first() : NULL; p; p = p->next) {
		stack_fill_thread(&other, s, p->ts);
		for (i = 0; i < other.n; i++)
			if (!other.frame[i]->hidden)
				hook_frame(other.frame[i]->fo, HOOK_CALLS, &err);
		stack_release(&other);
	}
}

/* Queue the commands of the breakpoint that stopped; delete it if it is temporary. */
static void queue_commands(struct session *s, int number)
{
	struct bp *b = number ? bp_find(s, number) : NULL;

	if (b && b->commands)
		session_queue_commands(s, b->commands);
	if (b && b->temporary)
		bp_delete(s, b);
}

static void view(struct session *s, struct hook_thread *t)
{
	struct hook_thread *old = s->viewed;

	s->viewed = hook_thread_hold(t);
	hook_thread_drop(old);
}

/* Selects the innermost frame that is shown, the outermost if none is. */
static void select_shown(struct session *s)
{
	const struct frame *f;

	for (s->selected = 0; (f = stack_frame(&s->stack, s, s->selected)) && f->hidden; s->selected++)
		if (!stack_frame(&s->stack, s, s->selected + 1))
			return;
}

/* Did the event come from outside the program's code?  Then library frames are skipped. */
static bool between_steps(const struct event *ev)
{
	return ev->kind == &ev_interrupt || ev->kind == &ev_signal || ev->kind == &ev_fork || ev->kind == &ev_exec;
}

/* A line of a graph ran since the stop before, which calls C code of the library alone, and nothing else. */
static bool is_undisturbed(struct session *s, const struct event *ev)
{
	const struct frame *f = stack_frame(&s->stack, s, 0);

	return ev->kind == &ev_step && f && f->code == s->left.code && f->line == s->left.line + 1 &&
	       ev->thread->number == s->left.thread && hook_only_c(ev->thread, s->left.serial);
}

static void note_left(struct session *s, const struct hook_thread *t)
{
	const struct frame *f = stack_frame(&s->stack, s, 0);

	s->left.code = f && f->library && s->asked < 2 ? f->code : NULL;
	s->left.line = f ? f->line : 0;
	s->left.thread = t->number;
	s->left.serial = t->serial;
}

/* The frames of the thread that stopped.  A breakpoint on a line, in code generated for it, stops on that line: its
   instruction may stand for several lines. */
static void fill_stack(struct session *s, const struct event *ev)
{
	const struct bp *b = ev->number ? bp_find(s, ev->number) : NULL;
	struct frame *f;
	int line;

	if (s->gone) {
		past_gone(s, NULL);
		return;
	}
	stack_fill(&s->stack, s, ev);
	if (!b || b->type != BP_BREAK || b->loc->type != LOC_LINE || !ev->at_event)
		return;
	f = stack_frame(&s->stack, s, 0);
	line = f && f->kind == KIND_GENERATED ? bp_line_at(b, f->code, f->index) : 0;
	if (line)
		f->line = line;
}

static void show_and_serve(struct session *s, const struct event *ev)
{
	s->front_changed = false;
	if (ev)
		s->front->stopped(s, past_event(s, ev));
	else
		s->front->exited(s, s->status);
	if (ev && doing_waits())
		hook_visit();
	if (s->setup.serve)
		s->setup.serve(s);
	if (ev && !s->stack.n && s->front_changed && !s->gone) /* back from the past */
		fill_stack(s, ev);
}

/* Show where the program is, then read and run lines until one continues or ends the program. */
static void serve_front(struct session *s, const struct event *ev)
{
	bool again;

	s->resume = RESUME_NONE;
	if (ev)
		checkpoint_auto(s, stops);
	do {
		again = s->resume == RESUME_BACK;
		if (again)
			checkpoint_back(s);
		else
			show_and_serve(s, ev);
		again = again || s->resume == RESUME_BACK || s->front_changed;
	} while (again && (s->resume == RESUME_NONE || s->resume == RESUME_BACK));
}

/* Serve the stop, then do what the commands asked for.  Inside the bracket. */
static void serve(struct session *s, struct event *ev)
{
	struct hook_thread *t = ev->thread;
	struct val *detail = NULL;

	hook_lock_scheduler(NULL);
	if (ev->number && ev->kind->detail && ev->code && !ev->detail)
		ev->detail = detail = ev->kind->detail(ev->code, ev->index);
	s->thread = t;
	view(s, t);
	s->event = ev;
	if (ev->kind != &ev_step) /* C code may have changed it, which CPython does not report */
		path_moved();
	s->selected = 0;
	if (ev->kind != &ev_interrupt) /* 'continue' then goes on to the end of the step that it came in */
		step_stopped(s, t);
	fill_stack(s, ev);
	way_stopped(s);
	past_beyond_stopped(s);
	s->undisturbed = is_undisturbed(s, ev);
	s->asked = 0;
	stops++;
	if (between_steps(ev))
		select_shown(s);
	stop_card_keep(s, ev);
	queue_commands(s, ev->number);
	serve_front(s, ev);
	t->broken = false; /* from here on Ctrl-C interrupts the program: see session_stop() */
	if (s->resume == RESUME_GO) {
		hook_step(step_any(s));
		procs_apply(s);
		arm_running(s, t);
		if (option_is(s, "scheduler-locking", "on") ||
		    (s->viewed->plan && option_is(s, "scheduler-locking", "step")))
			hook_lock_scheduler(s->viewed);
		if (s->front->running)
			s->front->running(s);
	}
	past_drop(s);
	note_left(s, t);
	display_forget(s);
	stack_clear(&s->stack);
	s->thread = NULL;
	view(s, NULL);
	s->event = NULL;
	ev->detail = detail ? NULL : ev->detail;
	val_free(detail);
}

static void finish_stop(struct session *s)
{
	enum resume how = s->gone && s->resume == RESUME_DETACH ? RESUME_QUIT : s->resume;

	if (how == RESUME_RESTART)
		checkpoint_release();
	if (how == RESUME_DETACH)
		session_detach(s);
	else if ((how == RESUME_QUIT || how == RESUME_RESTART) && s->setup.end)
		s->setup.end(s, how == RESUME_RESTART);
}

/* own: the thread that runs this. */
static void bracket_in(struct session *s, struct hook_thread *own, struct event *ev,
		       void (*run)(struct session *, struct event *))
{
	struct hook_saved saved;
	void *plugs[PLUG_MAX];

	hook_stop_enter(own, &saved);
	plug_stop_enter(s, plugs);
	run(s, ev);
	finish_stop(s);
	plug_stop_leave(s, plugs);
	hook_stop_leave(own, &saved);
}

static void bracket(struct session *s, struct event *ev, void (*run)(struct session *, struct event *))
{
	bracket_in(s, ev->thread, ev, run);
}

void session_stop(struct session *s, const struct event *why)
{
	struct event own = *why, *ev = &own;

	if (s->detached || s->exited || selfcheck_wanted())
		return;
	if (!ev->thread)
		ev->thread = hook_thread_self();
	if (ev->thread->in_stop) /* code that the user evaluates does not stop */
		return;
	/* it ends what is queued, also what another thread's stop runs now; a script of --batch continues */
	if (ev->kind == &ev_interrupt && (!s->setup.batch || session_stopped(s)))
		session_drop_lines(s, false);
	event_hold(ev); /* from here on other threads may run */
	hook_lock();
	/* the session may have ended while this thread waited */
	if (!s->detached && !s->exited)
		bracket(s, ev, serve);
	hook_unlock();
	event_drop(ev);
	py_unref_waiting();
	hook_interrupt_again(ev->thread);
	hook_yield();
}

/* Steps go on, and what was set meanwhile takes effect.  Inside the bracket. */
static void serve_visit(struct session *s, struct event *ev)
{
	s->resume = RESUME_NONE;
	path_moved();
	s->front->visit(s);
	if (s->resume != RESUME_NONE)
		return;
	hook_step(step_any(s));
	procs_apply(s);
	arm_running(s, ev->thread);
}

void session_visit(struct session *s, struct hook_thread *t)
{
	struct event ev = { .thread = t, .index = -1 };

	if (s->detached || s->exited || t->in_stop || !s->front->visit || selfcheck_wanted())
		return;
	hook_lock();
	/* a stop of another thread may have ended the session */
	if (!s->detached && !s->exited) {
		t->broken = false;
		bracket(s, &ev, serve_visit);
	}
	hook_unlock();
	py_unref_waiting();
	hook_interrupt_again(t);
}

bool session_aside(struct session *s, void (*run)(void *arg), void *arg)
{
	struct hook_thread *t = hook_thread_self();
	struct hook_saved saved;
	void *plugs[PLUG_MAX];
	bool may;

	if (!t || t->in_stop)
		return false;
	hook_lock();
	may = !s->detached && !s->exited;
	if (may) {
		t->broken = false;
		hook_stop_enter(t, &saved);
		plug_stop_enter(s, plugs);
		run(arg);
		plug_stop_leave(s, plugs);
		hook_stop_leave(t, &saved);
	}
	hook_unlock();
	hook_interrupt_again(t);
	return may;
}

/* The interrupt that the main thread has not seen is this stop.  What it evaluates here may let it come out of its C
   code: then a visit waits for this stop to end, as each does. */
void session_stand_in(struct session *s, const char *waits, bool (*wanted)(void))
{
	struct hook_thread *own = hook_thread_self(), *t = hook_thread_main();
	struct event ev = { .kind = &ev_interrupt, .thread = t, .index = -1 };

	if (!t || t == own || own->in_stop || !wanted())
		return;
	hook_lock();
	if (!s->detached && !s->exited && wanted() && (ev.frame = frame_top_of(t->ts))) {
		hook_interrupt_taken();
		session_drop_lines(s, false);
		event_hold(&ev);
		doing_in_c(waits);
		bracket_in(s, own, &ev, serve);
		doing_in_c(NULL);
		event_drop(&ev);
		hook_interrupt_again(own);
	}
	hook_unlock();
	py_unref(ev.frame);
	py_unref_waiting();
}

void session_post_mortem(struct session *s, struct py_obj *type, struct py_obj *exc, struct py_obj *tb)
{
	struct event ev = { .kind = &ev_exception, .index = -1, .type = type, .exc = exc, .tb = tb, .dead = true };

	if (option_number(s, "post-mortem"))
		session_stop(s, &ev);
}

void session_gone(struct session *s)
{
	struct event ev = { .kind = &ev_step, .index = -1 };

	s->gone = true;
	session_stop(s, &ev);
}

static void serve_exit(struct session *s, struct event *ev)
{
	(void)ev;
	serve_front(s, NULL);
	/* the end of input, or another reason: the process ends with the program's status */
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
	way_stopped(s);
	s->status = status;
	s->exited = true;
	bracket(s, &ev, serve_exit);
	plug_finish(s);
}

int session_select_thread(struct session *s, int number, struct err *err)
{
	struct hook_thread *t;

	if (!s->thread)
		return err_set(err, "the program is not stopped");
	if (s->gone)
		return past_gone_thread(s, number, err);
	if (session_present(s, err) < 0)
		return -1;
	for (t = hook_thread_first(); t && t->number != number; t = t->next)
		;
	if (!t)
		return err_set(err, "no thread %d: 'info threads' lists them", number);
	if (t == s->thread)
		fill_stack(s, s->event);
	else
		stack_fill_thread(&s->stack, s, t->ts);
	view(s, t);
	select_shown(s);
	return 0;
}

/* What a stop has to say in full, also after the program has ended. */

static struct {
	const char *kind; /* NULL: no stop had a card */
	char *text;
} last;

static void add_place(struct session *s, const char *before, const char *file, int line, const char *function,
		      struct buf *out)
{
	const char *slash = strrchr(file, '/'), *text = source_line(s, file, line);

	buf_addf(out, "\n%s %s:%d", before, visible(slash ? slash + 1 : file), line);
	buf_addf(out, " in %s", visible(function));
	if (text)
		buf_addf(out, ": %s", text + strspn(text, " \t"));
}

/* Where it was raised: in the frame, or in code that the frame's call was compiled from. */
static void add_raised_at(struct session *s, const struct event *ev, const struct frame *f, struct buf *out)
{
	char *users = stack_function(s, f);
	const char *file, *function;
	int line;

	if (plug_raised_at(s, ev->exc, &file, &function, &line) > 0) {
		add_place(s, "at", file, line, function, out);
		add_place(s, "while compiled by", f->file, f->line, users, out);
	} else {
		add_place(s, "at", f->file, f->line, users, out);
	}
	free(users);
}

bool stop_card(struct session *s, const struct event *ev, struct buf *out)
{
	const struct frame *f = stack_frame(&s->stack, s, 0);
	size_t had = out->len, first;
	struct buf all = { 0 };
	bool more;

	if (ev->kind->card)
		ev->kind->card(ev, out);
	more = out->len > had;
	if (!more && ev->kind->describe)
		ev->kind->describe(ev, out);
	if (ev->exc && f && f->file && f->line) { /* below the first line: a small screen shows the first ones only */
		first = had + strcspn(buf_str(out) + had, "\n");
		buf_add(&all, buf_str(out), first);
		add_raised_at(s, ev, f, &all);
		buf_adds(&all, out->s + first);
		buf_reset(out);
		buf_adds(out, all.s);
		buf_release(&all);
		more = true;
	}
	return more;
}

void stop_card_keep(struct session *s, const struct event *ev)
{
	struct buf b = { 0 };

	if ((ev->kind->card || ev->exc) && stop_card(s, ev, &b)) {
		free(last.text);
		last.text = mem_str(buf_str(&b));
		last.kind = ev->kind->name;
	}
	buf_release(&b);
}

const char *stop_card_last(struct buf *out)
{
	if (last.kind)
		buf_adds(out, last.text);
	return last.kind;
}
