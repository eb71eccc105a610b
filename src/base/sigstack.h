/* SPDX-License-Identifier: BSD-3-Clause */
/* Stacks for signal handlers, so that these run in a thread whose own stack is full. */
#ifndef CDBG_SIGSTACK_H
#define CDBG_SIGSTACK_H

/* Gives this thread such a stack if it has none; it is freed with the thread. */
void sigstack_thread(void);

#endif
