/* SPDX-License-Identifier: BSD-3-Clause */
/* Has another process begin a session of cdbg.  SECURITY.md: it needs the right to trace that process, and nobody gets
   a right by it.

   The thread of the process is stopped for a fraction of a millisecond, anywhere.  So what runs then takes no lock
   that the program could have: mmap(), and Py_AddPendingCall(), which CPython made for such places.  All else runs as
   that pending call, between two instructions of the main thread, with the GIL: the shared object is loaded there and
   calls attached_pending() in src/attached.c.  CPython 3.14 and later are asked by their own protocol instead, which
   stops nothing (remote_exec.h), while their main thread is not blocked.  A main thread that is blocked in a system
   call does not come to it: then a thread of cdbg's own is made, by dlopen() in the blocked thread, and only there. */
#ifndef CDBG_INJECT_H
#define CDBG_INJECT_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include "attach/remote_exec.h"

struct err;

/* Who waits meanwhile: gives_up() is called every few ms, with a text once, which says why that takes longer. */
struct inject_waiter {
	bool (*gives_up)(void *arg, const char *text);
	void *arg;
};

struct inject {
	pid_t pid;
	struct page *page;	   /* what the process gets; owned */
	struct remote_exec remote; /* it was asked by CPython's protocol, while remote.page is there */
	uintptr_t at;		   /* the memory in it, a struct page behind its first page; 0: none */
	bool queued;		   /* the call there is, and uses that memory until it has left it */
	int channel;		   /* this end of the channel; -1: none */
	double stopped;		   /* seconds that its main thread was stopped, all times together */
	uintptr_t munmap, close, dlopen;
	int theirs; /* the other end, in the process; -1 */
	void (*opened)(void *arg, int channel);
	void *arg;
};

/*
 * Prepare it: words are those of cdbg's command line there, each ends with NUL, an empty one ends them.  opened: NULL,
 * or a socket is made whose one end is i->channel, and the other the process's; it is called when that is there,
 * before the session needs it.  -1: err says why it cannot be attached to, and what to do.
 */
int inject_begin(struct inject *i, pid_t pid, const char *words, void (*opened)(void *arg, int channel), void *arg,
		 struct err *err);
/*
 * Wait until the session is there: 0, and in `where` where the process listens.  -1: err, also when the waiter
 * gives up.
 */
int inject_wait(struct inject *i, char *where, size_t max, const struct inject_waiter *waiter, struct err *err);
/* What keeps a session from being there, or from its first stop, after so many ms. */
enum { INJECT_LATE_MS = 1500 };
void inject_tell_why(pid_t pid, const struct inject_waiter *waiter);
/* Leaves no descriptor there, and no memory unless a session began while the main thread was blocked: its queue of
   pending calls knows the memory then.  i->channel stays open. */
void inject_end(struct inject *i);

#endif
