/* SPDX-License-Identifier: BSD-3-Clause */
/* Signals, forks and executed programs as stops: see procs.h. */
#include "engine/procs.h"
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include "base/err.h"
#include "base/ownfd.h"
#include "base/signame.h"
#include "base/val.h"
#include "engine/bp.h"
#include "engine/option.h"
#include "engine/session.h"
#include "event/table.h"

static struct {
	struct disposition d;
	bool set;                            /* by handle */
} table[SIGNALS];
static bool follow;                          /* the fork that is about to come takes the session into the child */
static bool applied;                         /* the hooks have been told of some */

int procs_signal_at(int n)
{
	int sig;

	for (sig = 1; sig < SIGNALS; sig++)
		if (signal_name(sig) && n-- == 0)
			return sig;
	return 0;
}

struct disposition procs_disposition(int sig)
{
	struct disposition d = { .stop = sig == SIGINT, .print = sig == SIGINT, .pass = sig != SIGINT };

	return table[sig].set ? table[sig].d : d;
}

int procs_handle(int sig, struct disposition d, struct err *err)
{
	const char *why = signal_uncatchable(sig);

	if (why)
		return err_set(err, "cannot handle %s: %s", signal_name(sig), why);
	table[sig].d = d;
	table[sig].set = true;
	return 0;
}

/* Does a catchpoint want this signal, whatever the program does with it? */
static bool caught_by_name(struct session *s, int sig)
{
	struct event ev = { .kind = &ev_signal, .signal = sig };
	struct bp *b;

	for (b = bp_first(s); b; b = b->next)
		if (b->type == BP_CATCH && b->kind == &ev_signal && b->enabled && b->kind->matches(&ev, b->words))
			return true;
	return false;
}

static bool wanted(struct session *s, int sig)
{
	struct disposition d = procs_disposition(sig);

	if (signal_uncatchable(sig))
		return false;
	if (sig == SIGINT)
		return table[sig].set;
	return caught_by_name(s, sig) || d.stop || d.print || !d.pass;
}

void procs_apply(struct session *s)
{
	bool want[SIGNALS] = { false }, any = false;
	int sig;

	for (sig = 1; sig < SIGNALS; sig++) {
		want[sig] = wanted(s, sig);
		any = any || want[sig];
	}
	if (any || applied)
		hook_signals_watch(want);
	applied = any;
}

/* ---- stops -------------------------------------------------------------------------------------------- */

/* Stops if a catchpoint wants it, or always. */
static void stop(struct session *s, struct event *ev, bool always)
{
	struct py_frame *top = ev->frame ? NULL : frame_top();
	char *trouble = NULL;
	struct bp *b;

	if (top)
		ev->frame = top;
	if (ev->frame)
		ev->code = frame_code(ev->frame);
	b = bp_caught(s, ev, &trouble);
	if (trouble)
		session_note(s, NOTE_WARNING, "%s", trouble);
	if (b || always)
		session_stop(s, ev);
	free(trouble);
	py_unref(top);
}

bool procs_signal(struct session *s, struct hook_thread *t, struct py_frame *f, int sig)
{
	struct disposition d = procs_disposition(sig);
	struct event ev = { .kind = sig == SIGINT ? &ev_interrupt : &ev_signal, .thread = t, .frame = f, .index = -1,
			    .signal = sig };
	struct val *detail = val_map();

	val_put(detail, "signal", val_str(signal_name(sig)));
	val_put(detail, "number", val_int(sig));
	ev.detail = detail;
	if (d.stop || bp_catching(s, "signal"))
		stop(s, &ev, d.stop);
	if (d.print && !d.stop)
		session_note(s, NOTE_INFO, "the program got signal %s, %s", signal_name(sig), signal_help(sig));
	val_free(detail);
	return procs_disposition(sig).pass;  /* as it is now: handle may have changed it at the stop */
}

int procs_check_follow(struct session *s, const char *value, struct err *err)
{
	if (strcmp(value, "child") || !strcmp(s->front->name, "plain"))
		return 0;
	if (!strcmp(s->front->name, "json"))
		return err_set(err, "cannot follow a child in JSON: the process that holds the conversation serves the "
			       "one it was started for, and ends with it; use --plain");
	return err_set(err, "cannot follow a child in the full screen: the thread that draws it stays in the parent; "
		       "'tui disable' first");
}

bool procs_follow_child(struct session *s)
{
	struct err err;
	bool yes = follow && procs_check_follow(s, "child", &err) == 0;

	follow = false;
	ownfd_inherit(false);
	return yes;
}

static void report(struct session *s, const struct event_kind *kind, enum hook_process what, const char *how,
		   const char *program)
{
	struct event ev = { .kind = kind, .index = -1, .thread = hook_thread_self() };
	struct val *detail = val_map();

	val_put(detail, "call", val_str(how));
	if (what == HOOK_EXEC)
		val_put(detail, "program", val_str(program));
	ev.detail = detail;
	if (!ev.thread->in_stop)
		stop(s, &ev, false);
	val_free(detail);
}

void procs_event(struct session *s, enum hook_process what, const char *how, const char *program)
{
	const struct event_kind *kind = what == HOOK_FORK ? &ev_fork : &ev_exec;

	follow = false;
	if (bp_catching(s, kind->name))
		report(s, kind, what, how, program);
	/* what runs between fork and exec in a child of subprocess is not followed, nor a fork at the prompt */
	if (what == HOOK_FORK && !s->detached && !hook_thread_self()->in_stop)
		follow = !strcmp(option_text(s, "follow-fork-mode"), "child");
	ownfd_inherit(follow);
}
