/* SPDX-License-Identifier: BSD-3-Clause */
/* Restores the terminal however the process ends.  Handles the signals that end it, forked children, and
   SIGWINCH. */
#ifndef CDBG_EXIT_RESTORE_H
#define CDBG_EXIT_RESTORE_H
#include <stdbool.h>

/* Installs our handlers above the present ones.  May be called repeatedly, since faulthandler and others install
   theirs later. */
void exit_restore_watch(void);
void exit_restore_unwatch(void);   /* removes those of our handlers that nobody replaced */
bool exit_restore_continued(void); /* has SIGCONT arrived since the last call?  The terminal's state is unknown then */
void exit_restore_keep(bool on);   /* a fork leaves all as it is: its child calls this again when it may go on */
void exit_restore_now(void);	   /* for BUG() */
/* Starts the watchdog: a process that restores the terminal and shows the last output when this one is killed. */
void exit_restore_guard(bool on);
void exit_restore_guard_again(void); /* the screen moved to another terminal */

#endif
