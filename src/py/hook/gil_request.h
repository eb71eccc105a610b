/* SPDX-License-Identifier: BSD-3-Clause */
/* A helper thread that requests the GIL for a thread that waits for it: see gil_request.c.  Private to src/py. */
#ifndef CDBG_GIL_REQUEST_H
#define CDBG_GIL_REQUEST_H

struct py_thread;

/* The source of interrupts.  waits(): the state of the main thread while an interrupt waits for it, else NULL; poke():
   ends a system call of the main thread.  Both: any thread, no GIL needed. */
void gil_request_serve(struct py_thread *(*waits)(void), void (*poke)(void));
/* The main thread, or one that steps while others are locked, needs the GIL.  Any thread but not a signal handler, no
   GIL needed. */
void gil_request_wake(void);
void gil_request_signal(void); /* the same, safe in a signal handler, if the helper thread exists already */

#endif
