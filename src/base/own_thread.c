/* SPDX-License-Identifier: BSD-3-Clause */
/* Starts threads without the program's signals: see own_thread.h. */
#include "base/own_thread.h"
#include <signal.h>

int own_thread_start(pthread_t *thread, void *(*run)(void *arg), void *arg)
{
	sigset_t all, before;
	pthread_t own;
	int e;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	e = pthread_create(thread ? thread : &own, NULL, run, arg);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (!e && !thread)
		pthread_detach(own);
	return e;
}
