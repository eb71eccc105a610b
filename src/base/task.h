/* SPDX-License-Identifier: BSD-3-Clause */
/* What Linux tells of a thread of this process, by its number. */
#ifndef CDBG_TASK_H
#define CDBG_TASK_H
#include <stdbool.h>

long task_self(void);	      /* the calling thread; glibc has gettid() since 2.30 only */
bool task_in_futex(long tid); /* does it wait there, as for a lock?  True where Linux does not tell */
char task_state(long tid);    /* 'R', 'S', 'D', ...; 'S' where it is not known */
/* How often it has given up the processor by itself; 0: not known.  While it waits for one thing that does not change;
   while it waits for the GIL it does, about every 5 ms (seen with CPython 3.11 to 3.13). */
long task_moves(long tid);

#endif
