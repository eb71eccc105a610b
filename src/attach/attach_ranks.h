/* SPDX-License-Identifier: BSD-3-Clause */
/* Attaches to the ranks of a distributed job that runs, by the process that launched them. */
#ifndef CDBG_ATTACH_RANKS_H
#define CDBG_ATTACH_RANKS_H
#include <stdbool.h>

struct args;

/* `--attach PID` where the process is no rank itself, and descendants of it are: one prompt for all of them.  False: it
   is no launcher; else *status is the exit status. */
bool attach_ranks(const struct args *a, int *status);

#endif
