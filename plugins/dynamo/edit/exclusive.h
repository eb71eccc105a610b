/* SPDX-License-Identifier: BSD-3-Clause */
/* A stretch of C in which no other thread runs, entered while none is in the middle of Dynamo's cache.  Knows
   nothing of what is done in it. */
#ifndef DYNAMO_EDIT_EXCLUSIVE_H
#define DYNAMO_EDIT_EXCLUSIVE_H
#include "torch/host.h"

/* Call it while no other thread is in Dynamo's cache or gets the GIL; waits for that.  It must not run Python for long.
   -1: not called, somebody stayed. */
int exclusive_run(PyCodeObject *co, void (*run)(void *arg), void *arg, struct err *err);
bool exclusive_runs_now(PyCodeObject *co);        /* in any thread's stack */

#endif
