/* SPDX-License-Identifier: BSD-3-Clause */
/* A queue of bytes from one process to another, in shared memory: no descriptor that the program could close.  One
   thread writes, one reads. Does not know the meaning of the bytes. */
#ifndef CDBG_RING_H
#define CDBG_RING_H
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RING_SIZE = 128 << 10 };

/* In memory that both processes map; all zero at first. */
struct ring {
	_Atomic uint32_t changes; /* counts changes of the others; both sides sleep on it */
	_Atomic uint32_t sleepers;
	_Atomic uint64_t in, out; /* bytes put and taken so far */
	_Atomic uint64_t handled; /* the reader's count of what it has finished */
	atomic_bool closed;	  /* by either side: nothing more is put */
	char data[RING_SIZE];
};

size_t ring_put(struct ring *r, const char *s, size_t n); /* how many bytes there was room for */
size_t ring_get(struct ring *r, char *s, size_t max);	  /* how many bytes there were */
size_t ring_room(struct ring *r);
size_t ring_there(struct ring *r);
void ring_close(struct ring *r);
void ring_wake(struct ring *r);	   /* who sleeps looks again */
void ring_handled(struct ring *r); /* count one more, and wake who waits */
/*
 * Sleep until something changes: call ring_changes(), look whether there is anything to do, and pass its result.
 * ms -1: no limit.  May return early.
 */
uint32_t ring_changes(struct ring *r);
void ring_sleep(struct ring *r, uint32_t changes, int ms);

#endif
