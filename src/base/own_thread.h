/* SPDX-License-Identifier: BSD-3-Clause */
/* Threads of cdbg's own in the program: the program's signals go to its threads. */
#ifndef CDBG_OWN_THREAD_H
#define CDBG_OWN_THREAD_H
#include <pthread.h>

/*
 * Starts a thread in which all signals are blocked.  *thread is to be joined or detached by the caller; NULL: it is
 * detached.  Returns 0, or an errno as of pthread_create().
 */
int own_thread_start(pthread_t *thread, void *(*run)(void *arg), void *arg);

#endif
