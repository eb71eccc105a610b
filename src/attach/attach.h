/* SPDX-License-Identifier: BSD-3-Clause */
/* The process that attaches: it has another one begin a session, and passes on bytes between that and its own terminal,
   or its own standard input and output. */
#ifndef CDBG_ATTACH_H
#define CDBG_ATTACH_H
#include <stddef.h>
#include <sys/types.h>

struct args;
struct err;
struct inject_waiter;

/* `python -m cdbg --attach PID`; the exit status. */
int attach_run(const struct args *a);

/*
 * Has a process serve a front end for machines on a Unix socket, and returns a descriptor of the client's end of it.
 * option: of cdbg's command line, "--json" or "--dap".  A process that listens for JSON already is connected to.
 * The session ends when the descriptor is closed.  -1: err says why, and what to do.
 */
int attach_listen(pid_t pid, const char *option, const struct inject_waiter *waiter, struct err *err);

/* The same of a rank of a distributed job, for its controller. */
int attach_rank(pid_t pid, struct err *err);

#endif
