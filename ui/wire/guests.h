/* SPDX-License-Identifier: BSD-3-Clause */
/* Those that have connected and are not let in yet.  One that says nothing is sent away, and keeps nobody out.  Knows
   no token. */
#ifndef CDBG_GUESTS_H
#define CDBG_GUESTS_H
#include <stdint.h>
#include "base/buf.h"

struct listener;

enum { GUESTS_MS = 10000 }; /* how long one may take */

struct guest {
	int fd; /* -1: none */
	char who[100];
	uint64_t came;	    /* ticks_ns() */
	struct buf text;    /* what it sent */
	unsigned long told; /* objects that it got; the owner's */
};

struct guests {
	struct guest *guest;	     /* the owner's array */
	int most, spare;	     /* spare: see listener_turn_away() */
	const char *stranger, *late; /* why another user's, and one that takes too long, is refused */
	/* Sends it away: closes it and calls guests_drop().  NULL: somebody could not even be accepted. */
	void (*refuse)(void *arg, struct guest *g, const char *why);
	void *arg;
};

void guests_begin(struct guests *all);
void guests_end(struct guests *all); /* closes all */
void guests_drop(struct guest *g);   /* its place is free; its descriptor is somebody else's, or closed */
/* The next one that connects, with these flags of accept4(); NULL: there is none, or it was refused.  Where all places
   or descriptors are taken the one that came first is refused. */
struct guest *guests_accept(struct guests *all, const struct listener *l, int flags);
/* Refuses those that take too long.  ms until the next one may have to be; -1: there is none. */
int guests_late(struct guests *all);

#endif
