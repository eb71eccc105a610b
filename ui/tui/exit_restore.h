/* SPDX-License-Identifier: BSD-3-Clause */
/* The terminal as it was, however the process ends.  Signals that end it, a fork's child, the window's size. */
#ifndef CDBG_EXIT_RESTORE_H
#define CDBG_EXIT_RESTORE_H
#include <stdbool.h>

/* Put our handlers above what is there now; again and again is fine (faulthandler and others come later). */
void exit_restore_watch(void);
void exit_restore_unwatch(void);   /* if ours are unchanged */
void exit_restore_thread(void);	   /* a stack of its own for this thread's handlers */
bool exit_restore_continued(void); /* SIGCONT came since the last call: the terminal may be anyhow */
void exit_restore_restore(void);   /* for BUG() */
/* A process that restores the terminal, and shows the last output, when this one is killed. */
void exit_restore_guard(bool on);
void exit_restore_guard_again(void); /* the screen moved to another terminal */

#endif
