/* SPDX-License-Identifier: BSD-3-Clause */
/* The actions for signals, and which process is debugged after a fork: see procs.h. */
#include "engine/procs.h"
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include "base/err.h"
#include "base/ownfd.h"
#include "base/signame.h"
#include "engine/bp.h"
#include "engine/option.h"
#include "engine/session.h"
#include "event/event_table.h"
#include "py/crash/crash.h"

static struct {
	struct disposition d;
	bool set; /* by handle */
} table[SIGNALS];
static bool follow;  /* the next fork keeps the session in the child */
static bool applied; /* the hooks watch signals */
static bool handled; /* an entry of the table is set */
static bool forked;  /* a child runs, or ran, without the session */
static bool noted;   /* ... and a note has reported it */

int procs_signal_at(int n)
{
	int sig;

	for (sig = 1; sig < SIGNALS; sig++)
		if (signame_name(sig) && n-- == 0)
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
	const char *why = signame_uncatchable(sig);

	if (why)
		return err_set(err, "cannot handle %s: %s", signame_name(sig), why);
	table[sig].d = d;
	table[sig].set = true;
	handled = true;
	return 0;
}

/* The next enabled catchpoint of signals, from this one on. */
static struct bp *signal_catch(struct bp *b)
{
	while (b && (b->type != BP_CATCH || b->kind != &ev_signal || !b->enabled))
		b = b->next;
	return b;
}

/* Is there a catchpoint for this signal? */
static bool caught_by_name(struct session *s, int sig)
{
	struct event ev = { .kind = &ev_signal, .signal = sig };
	struct bp *b;

	for (b = signal_catch(bp_first(s)); b; b = signal_catch(b->next))
		if (b->kind->matches(&ev, b->words))
			return true;
	return false;
}

static bool signal_is_wanted(struct session *s, int sig, bool catching)
{
	struct disposition d = procs_disposition(sig);

	if (sig == SIGINT)
		return table[sig].set;
	if (!catching && !table[sig].set)
		return false;
	return !signame_uncatchable(sig) && (caught_by_name(s, sig) || d.stop || d.print || !d.pass);
}

/* Each step calls this: signals are asked one by one only if one of them may be wanted. */
void procs_apply(struct session *s)
{
	bool want[SIGNALS] = { false }, any = false, catching = signal_catch(bp_first(s)) != NULL;
	int sig;

	if (!catching && !handled && !applied)
		return;
	for (sig = 1; sig < SIGNALS; sig++) {
		want[sig] = signal_is_wanted(s, sig, catching);
		any = any || want[sig];
	}
	if (any || applied)
		hook_signals_watch(want);
	applied = any;
}

int procs_check_follow(struct session *s, const char *value, struct err *err)
{
	if (!strcmp(value, "parent") || !s->front->no_child)
		return 0;
	return err_set(err, "cannot follow a child %s", s->front->no_child);
}

/* Only a person at a terminal can be asked, if questions are on; elsewhere the parent is followed. */
static bool asked_for_child(struct session *s)
{
	return option_is(s, "follow-fork-mode", "ask") && s->setup.interactive && option_number(s, "confirm") &&
	       !s->front->no_child && s->front->confirm &&
	       s->front->confirm(s, "The program forks. Debug the child, and let the parent run?");
}

void procs_fork(struct session *s, bool forks)
{
	follow = forks && (option_is(s, "follow-fork-mode", "child") || asked_for_child(s));
	ownfd_inherit(follow);
}

void procs_child_left(struct session *s)
{
	const struct bp *b;

	forked = true;
	if (noted)
		return;
	for (b = bp_first(s); b; b = b->next)
		if (b->type == BP_BREAK && b->enabled && !b->hits)
			break;
	if (!b)
		return;
	noted = true;
	session_note(
		s, NOTE_INFO,
		"the program forked, and cdbg does not follow the child: breakpoints do not stop there; a DataLoader "
		"with num_workers=0 loads in this process%s",
		s->front->no_child ? "" : ", 'set follow-fork-mode child' debugs the next child instead");
}

bool procs_left_children(void)
{
	return forked;
}

bool procs_follow_child(struct session *s)
{
	struct err err;
	bool yes = follow && procs_check_follow(s, "child", &err) == 0;

	follow = false;
	ownfd_inherit(false);
	return yes;
}

int procs_check_crash(struct session *s, const char *value, struct err *err)
{
	(void)s;
	if (strcmp(value, "off"))
		return crash_on(!*value || !strcmp(value, "on") ? NULL : value, err);
	crash_keep(false);
	crash_off();
	return 0;
}

void procs_crash_start(struct session *s)
{
	struct err err;

	if (procs_check_crash(s, option_text(s, "crash-report"), &err) < 0)
		session_note(s, NOTE_WARNING, "%s", err.text);
}
