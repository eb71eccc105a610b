/* SPDX-License-Identifier: BSD-3-Clause */
/* The actions for signals (`handle`), and which process is debugged after a fork.  Knows not how a signal is
   caught, and stops nothing: dispatch.c does. */
#ifndef CDBG_PROCS_H
#define CDBG_PROCS_H
#include <stdbool.h>
#include "py/hook/hook.h"

struct err;
struct session;

/* What is done when a signal arrives, with the meanings of gdb's `handle`. */
struct disposition {
	bool stop, print, pass;
};

/* The n-th signal, from 0; 0 past the last. */
int procs_signal_at(int n);
struct disposition procs_disposition(int sig);
/* Change what is done with a signal.  -1: it cannot be caught. */
int procs_handle(int sig, struct disposition d, struct err *err);
/* Tell the hooks which signals to report; called before the program continues. */
void procs_apply(struct session *s);

/* set follow-fork-mode parent|child|ask: -1 where this front end cannot follow a child. */
int procs_check_follow(struct session *s, const char *value, struct err *err);
/* After a fork, in either process: does the child keep the session?  Once for each fork. */
bool procs_follow_child(struct session *s);

/* In the parent: a child runs without the session.  The first one is noted where a breakpoint may wait for it. */
void procs_child_left(struct session *s);
/* Has that happened? */
bool procs_left_children(void);

/* A fork is about to come (or not): does follow-fork-mode take the session into the child? */
void procs_fork(struct session *s, bool forks);

/* set crash-report on|off|FILE: installs and removes the handlers of the signals that end the process. */
int procs_check_crash(struct session *s, const char *value, struct err *err);
/* The session begins: the same, as the option is. */
void procs_crash_start(struct session *s);

#endif
