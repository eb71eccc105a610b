/* SPDX-License-Identifier: BSD-3-Clause */
/* Work that only CPython's main thread may do, as setting signal handlers.  For src/py only. */
#ifndef CDBG_MAIN_THREAD_H
#define CDBG_MAIN_THREAD_H
#include <stdbool.h>

bool main_thread_here(void);
/*
 * Has the main thread call run() between two of its instructions, with the GIL.  wait: up to a tenth of a second for
 * it, without the GIL.  -1: it takes no more calls.
 */
int main_thread_do(void (*run)(void), bool wait);

#endif
