/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls functions in CPython's main thread, the only one that may, for example, set signal handlers. For src/py
   only. */
#ifndef CDBG_MAIN_THREAD_H
#define CDBG_MAIN_THREAD_H
#include <stdbool.h>

bool main_thread_here(void);
/*
 * Has the main thread call run() between two of its instructions, with the GIL.  wait: waits up to a tenth of a
 * second for the call to end, without the GIL. -1: the queue of pending calls is full.
 */
int main_thread_do(void (*run)(void), bool wait);

/* For the next function: which thread is the main one.  With the GIL. */
void main_thread_remember(void);
/* The same as main_thread_do() from any thread, without the GIL; it never waits. */
int main_thread_post(void (*run)(void));
/*
 * The same of a main thread that waits in a system call: also out of one in which Python itself waits, if Ctrl-C has
 * Python's own handler there.  Waits for a moment.  Another thread, with the GIL.
 */
int main_thread_fetch(void (*run)(void));

#endif
