/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs a function while no other thread runs and none is inside Dynamo's cache.  Knows nothing about that function. */
#ifndef DYNAMO_EDIT_EXCLUSIVE_H
#define DYNAMO_EDIT_EXCLUSIVE_H
#include "torch/cdbg_host.h"

/* Call it while no other thread is in Dynamo's cache or gets the GIL; waits for that.  It must not run Python for long.
   -1: not called, another thread did not leave. */
int exclusive_run(PyCodeObject *co, void (*run)(void *arg), void *arg, struct err *err);
bool exclusive_runs_now(PyCodeObject *co); /* in any thread's stack */

#endif
