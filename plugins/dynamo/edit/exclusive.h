/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs a function while no other thread runs and none is inside Dynamo's cache.  Knows nothing about that function. */
#ifndef DYNAMO_EDIT_EXCLUSIVE_H
#define DYNAMO_EDIT_EXCLUSIVE_H
#include "torch/cdbg_host.h"

/* Waits until no other thread is inside Dynamo's cache, then calls run() while no other thread gets the GIL.
   run() must not execute Python code for long. -1 with err: another thread did not leave the cache, and run() was
   not called. */
int exclusive_run(PyCodeObject *co, void (*run)(void *arg), void *arg, struct err *err);
bool exclusive_compiles(PyCodeObject *co); /* does this thread compile it? */
bool exclusive_runs_now(PyCodeObject *co); /* in any thread's stack */

#endif
