/* SPDX-License-Identifier: BSD-3-Clause */
/* One prompt for a distributed job: python -m cdbg --ranks.  Knows no session. */
#ifndef CDBG_RANKS_MAIN_H
#define CDBG_RANKS_MAIN_H

struct args;

/* argv: the launcher's command, or with --ranks=N the script and its arguments; empty with --listen.  python and start:
   this interpreter, and the folder whose sitecustomize begins cdbg in ranks.  The exit status of the process. */
int ranks_main(const struct args *a, char **argv, const char *python, const char *start);

#endif
