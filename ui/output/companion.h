/* SPDX-License-Identifier: BSD-3-Clause */
/* A process beside the program, which outlives it for a moment: neither its wait() nor its SIGCHLD handler sees it.
   Does not know what that process does. */
#ifndef CDBG_ASIDE_H
#define CDBG_ASIDE_H
#include <stdbool.h>
#include <sys/types.h>

/*
 * Start run(arg, program) in a new process of a session of its own, in the directory /, with all signals blocked and
 * all descriptors but the n of keep closed (-1 is skipped).  program is a descriptor that becomes readable when the
 * program has ended; -1 where the kernel has none: poll companion_gone() then.  The pid, or -1 with errno.
 * bare: no fork handler runs, and run() may call only async-signal-safe functions.
 */
pid_t companion_start(void (*run)(void *arg, int program), void *arg, const int *keep, int n, bool bare);
/* In the new process: how the program ended, as waitpid() gives it.  False: it has not, or its parent has collected it
   on a kernel before 6.15, which forgets it then. */
bool companion_status(int program, int *status);
/* In the new process: has the program, which started it, ended? */
bool companion_gone(void);

#endif
