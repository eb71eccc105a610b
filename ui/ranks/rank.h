/* SPDX-License-Identifier: BSD-3-Clause */
/* A rank as the controller sees it: the connection, and what the rank said last.  Knows no other rank. */
#ifndef CDBG_RANK_H
#define CDBG_RANK_H
#include "base/buf.h"

struct val;

enum rank_state {
	RANK_STARTING, /* it has not come to its first stop */
	RANK_STOPPED,
	RANK_RUNNING,
	RANK_EXITED, /* it said so */
	RANK_GONE,   /* the connection ended without a word, or by `detach` */
};

struct rank {
	int number, fd;	   /* fd -1: none any more */
	struct val *hello; /* owned */
	enum rank_state state;
	struct val *stop;   /* owned: the object of the stop, or of the exit; kept when it has gone; or NULL */
	struct val *look;   /* owned: what it was in when it ran and was looked at last; or NULL */
	bool fresh;	    /* ... and it was not shown */
	bool detached;	    /* it was told to, and has gone */
	bool screen_left;   /* it said so: see ranks_screen.h */
	long screen_wanted; /* ... of this rank, by a key there; -1: of none */
	bool joined_late;   /* it continues from its first stop by itself */
	long waits;	    /* the id of the reply that is waited for; 0: none */
	struct val *answer; /* owned: that reply, or NULL */
	long resumes;	    /* the id of the command that continues it, until its reply has come; 0: none */
	struct val *notes;  /* owned list of texts that were not shown */
	struct buf in, out; /* the beginning of a line; what could not be sent */
	bool watched_room;  /* the controller's: it waits for room in the socket */
	size_t searched;    /* bytes of in without a line feed */
};

/* Takes the connection and hello. */
struct rank *rank_new(int number, int fd, struct val *hello);
void rank_free(struct rank *r);
void rank_close(struct rank *r);
bool rank_live(const struct rank *r); /* does it take commands? */
/* Queues the command, and sends what can be sent.  id 0: its reply is nobody's.  as: rows come as "rows", as the "text"
   that people see, or as "lines" that can be compared with those of other ranks. */
void rank_send(struct rank *r, long id, const char *command, const char *as);
void rank_flush(struct rank *r);
/* Reads what has come and follows it.  False: the connection has ended. */
bool rank_read(struct rank *r);
/* "stopped breakpoint f train.py:6", "running": what `ranks` shows of it. */
void rank_describe(const struct rank *r, struct buf *out);

#endif
