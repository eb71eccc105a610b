/* SPDX-License-Identifier: BSD-3-Clause */
/* Attaches to the ranks of a distributed job that runs, by the process that launched them. */
#ifndef CDBG_ATTACH_RANKS_H
#define CDBG_ATTACH_RANKS_H
#include <stdbool.h>

struct args;

/* `--attach PID` where the process is no rank itself, and descendants of it are: one prompt for all of them.  False: it
   has no such descendants; else *status is the exit status.  *none: it is a launcher all the same, as torchrun
   is. */
bool attach_ranks(const struct args *a, int *status, bool *none);

#endif
