/* SPDX-License-Identifier: BSD-3-Clause */
/* A thread of cdbg's own that takes the GIL, to look at the program while its main thread waits in C code.  It is made
   at the first need, and takes the GIL for a call only.  Must not know what it calls. */
#ifndef CDBG_GIL_THREAD_H
#define CDBG_GIL_THREAD_H
#include <stdbool.h>

struct err;

/* Has run(arg) called with the GIL, as soon as it is free; the calls come one after the other.  Any thread, no GIL
   needed.  A process that ends drops what has not begun.  -1: err. */
int gil_thread_post(void (*run)(void *arg), void *arg, struct err *err);
/* How many ms that thread has waited for the GIL now; 0: it does not.  Any thread. */
long gil_thread_waits(void);
/* In a call, which gives the GIL away meanwhile, for 100 ms: does the main thread wait all the time?  Not for the
   GIL then, which it would have got. */
bool gil_thread_main_waits(void);
/* With the GIL, which it keeps for 50 ms: does the main thread, if it is another one, wait in C code as for a lock, and
   not for the GIL?  One that sleeps, reads or computes does not. */
bool gil_thread_main_blocked(void);
/* In a call: task_moves() of the main thread. */
long gil_thread_main_moves(void);
void gil_thread_forked(void); /* in the child of a fork */

#endif
