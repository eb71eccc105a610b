/* SPDX-License-Identifier: BSD-3-Clause */
/* A fork whose child the program does not see: no SIGCHLD, and no wait() but one with __WALL has it.  Knows no
   Python. */
#ifndef CDBG_HIDDEN_FORK_H
#define CDBG_HIDDEN_FORK_H
#include <sys/types.h>

/*
 * As fork(), but functions of pthread_atfork() do not run.  While the process has several threads it is fork(), since
 * only the C library can take its locks: the child is one as any other.  So is one that another process adopts, by
 * the kernel.
 */
pid_t hidden_fork(void);

#endif
