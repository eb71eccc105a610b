/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by the two sides of the relay: their memory, and the function of the other process.  See relay.h. */
#ifndef CDBG_RELAY_RUN_H
#define CDBG_RELAY_RUN_H
#include <linux/futex.h>
#include <pthread.h>
#include "ui/wire/ring.h"

struct buf;
struct listener;
struct relay_words;

/* A part belongs to the message after it. */
enum relay_kind {
	RELAY_PART,
	RELAY_OBJECT,
	RELAY_LAST,
	RELAY_DRAIN,
	RELAY_STOP,
	RELAY_WELCOME,
	RELAY_END,
	RELAY_KEEP,  /* a number of seconds, for listener_keep() */
	RELAY_AGAIN, /* another process of the program goes on: it has not ended, whatever was said */
};

struct relay_head { /* before each message, either way: an enum relay_kind, or back an enum relay_got */
	int kind;
	size_t len;
};

struct relay_shared {
	struct ring up, down;	    /* messages to the relay process; bytes of commands from it */
	struct robust_list node;    /* makes the kernel mark the next word at the process's end: */
	_Atomic uint32_t alive;	    /* its thread id, 0 before it runs */
	_Atomic unsigned long told; /* objects that the other side has got */
	struct relay_head came;	    /* of the message that the program's side reads; len: of what it has not read */
};

struct relay_stream {
	int fd;	     /* read end, not blocking; -1: none, or nobody writes any more */
	size_t kept; /* bytes of a character whose rest has not come yet */
	char text[65536 + 4];
};

struct relay_run {
	int in, out;
	struct relay_stream stream[2];
	const struct relay_words *words;
	unsigned long told; /* objects that the other side has got */
	bool told_end;	    /* an object has told that the program ended, or nothing is to be told */
	struct relay_shared *shared;
	pthread_mutex_t lock; /* of out and of the streams */
	int stop[2];	      /* its write end is closed to end the thread that reads commands */
	pthread_t reader;     /* ... which is this one */
	/* With clients, NULL without. The rest belongs to the lock. */
	struct listener *listener;
	int client;	   /* descriptor of the client, which is `out` when it is welcome; -1 */
	bool slow;	   /* it did not read, and was cut off */
	char refusal[400]; /* who was not let in since it was told, and why; "" */
};

/* To the program's side: waits for room.  False: nobody reads there. */
bool relay_down(struct relay_run *r, int kind, const char *s, size_t n);
/* To the other side, with the lock: objects, each with its newline. */
void relay_out(struct relay_run *r, const char *s, size_t n);
/* The same objects as they go there: s itself, or in room, which the caller releases.  told: as in relay_run. */
const char *relay_wrap(const struct relay_words *words, const char *s, size_t *n, unsigned long *told,
		       struct buf *room);
/* clients.c: accepts clients, refuses those that must not come or that come while one is there, and passes on what the
   one sends; returns when r->stop is closed. */
void clients_serve(struct relay_run *r);
void relay_run(void *run, int program); /* program: readable when it has ended, or -1 */

#endif
