/* SPDX-License-Identifier: BSD-3-Clause */
/* Where ranks come in: the controller's side of the handshake.  A guest that is slow, says too much or the wrong thing
   is sent away, and holds up nobody.  Knows no rank that is in. */
#ifndef CDBG_DOOR_H
#define CDBG_DOOR_H
#include "ui/ranks/handshake.h"
#include "ui/wire/guests.h"
#include "ui/wire/listener.h"

struct err;
struct val;

enum { GUESTS_MOST = 1024 }; /* at a time: one more sends the oldest away */

struct door {
	struct listener listener;
	char token[TOKEN_MAX];
	struct guests guests; /* guests_late() is to be asked */
	struct guest guest[GUESTS_MOST];
	char nonce[GUESTS_MOST][NONCE_TEXT]; /* of each */
	const char *(*admit)(void *arg,
			     const struct val *hello);	     /* why one whose hello is right must stay out, or NULL */
	void (*enter)(void *arg, int fd, struct val *hello); /* it is in: takes both */
	void (*refused)(void *arg, const char *who, const char *why); /* somebody was sent away */
	void *arg;
	int epoll;	    /* guests are watched by it, as DOOR_GUEST + their index */
	unsigned long base; /* of these */
};

/* Listens; token_file as listener_open() takes it.  The functions and epoll are set before.  -1: err. */
int door_open(struct door *d, const char *address, const char *token_file, struct err *err);
void door_close(struct door *d);
void door_accept(struct door *d);	    /* somebody knocks */
void door_read(struct door *d, unsigned i); /* guest i has said something */

#endif
