/* SPDX-License-Identifier: BSD-3-Clause */
/* A clock that stands still while its thread serves a stop.  Knows nothing of Dynamo. */
#ifndef DYNAMO_OBSERVE_COMPILE_CLOCK_H
#define DYNAMO_OBSERVE_COMPILE_CLOCK_H
#include "torch/cdbg_host.h"

/* A stop of this thread begins or ends: its time is none of what a compile took. */
void compile_clock_stopped(bool begins);
/* Seconds that the program, or a command at a stop, has run in this thread.  Only times of one depth compare. */
double compile_clock(void);
int compile_clock_depth(void); /* 0: the program itself; 1: a command at a stop; 2: at a stop within that */

#endif
