/* SPDX-License-Identifier: BSD-3-Clause */
/* A fork that the program does not notice: the child is to go on as if it were the process that was forked.  Knows no
   checkpoint. */
#ifndef CDBG_FORK_H
#define CDBG_FORK_H
#include <stdbool.h>
#include <sys/types.h>

struct buf;

/* What a child would lack.  With the GIL; none of the program's code runs.  Each returns a number and adds names. */
int fork_threads(struct buf *names);  /* other threads with Python code, but those that torch's compiler starts again */
int fork_children(struct buf *names); /* processes of multiprocessing that run, as DataLoader's workers */
bool fork_loop(void);		      /* an event loop of asyncio runs in this thread */
bool fork_main_thread(void);	      /* this is the process's first thread: no other outlives a fork as itself */

/*
 * In the parent as fork().  In the child: 0, with all signals blocked, before Python knows of it; nothing of Python may
 * be used before fork_woken().  libgomp's threads are let go before: a child without them would wait for them (pytorch
 * issue 58962).  -1: errno.
 */
pid_t fork_quietly(void);
/*
 * Python in the child: its locks, its threads, and the functions of os.register_at_fork(), but those that make the
 * child differ: random seeds itself anew, asyncio forgets its loop.  From here on the process ends without
 * destructors of C++: libtorch's join threads that the child lacks (pthreadpool_destroy).
 */
void fork_woken(void);
bool fork_is_quiet(void); /* one of these is under way: cdbg's own functions of os.register_at_fork() do nothing */

#endif
