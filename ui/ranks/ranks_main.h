/* SPDX-License-Identifier: BSD-3-Clause */
/* One prompt for a distributed job: python -m cdbg --ranks.  Knows no session. */
#ifndef CDBG_RANKS_MAIN_H
#define CDBG_RANKS_MAIN_H

struct args;
struct controller;
struct err;

/* argv: the launcher's command, or with --ranks=N the script and its arguments; empty with --listen.  python and start:
   this interpreter, and the folder whose sitecustomize begins cdbg in ranks.  The exit status of the process. */
int ranks_main(const struct args *a, char **argv, const char *python, const char *start);

/* The same of so many ranks that run already; join: adds them to the controller, -1 with err if there is none. */
int ranks_attached(const struct args *a, int world, int (*join)(struct controller *c, void *arg, struct err *err),
		   void *arg);

#endif
