/* SPDX-License-Identifier: BSD-3-Clause */
/* How a front end for machines begins and ends its conversation: on descriptors, or over a socket that listens.  Knows
   no protocol and no session. */
#ifndef CDBG_CONVERSATION_H
#define CDBG_CONVERSATION_H
#include <stdbool.h>

struct buf;
struct err;
struct front_socket;
struct inbox_words;
struct relay_words;
struct session;

/* What a protocol is to a conversation; kept by address. */
struct conversation {
	const char *option; /* for errors: "--json" */
	const struct relay_words *relay;
	const struct inbox_words *inbox;
	void (*exiting)(int status); /* os._exit() was called, as struct audit_watch has it */
};

/* fd -1: standard input and output, the program's own are then captured.  first: sends the first object, before the
   program can write; NULL: there is none. */
int conversation_open(const struct conversation *c, int fd, void (*first)(void), struct err *err);
/* Over a socket; again for each later session of the process, which goes on to listen. */
int conversation_listen(const struct conversation *c, const struct front_socket *where, struct err *err);
int conversation_watch(struct err *err); /* again, after another front end had the hooks of audit.h */
const char *conversation_where(void);	 /* "127.0.0.1:4711"; NULL: the process does not listen */

/* As front_ops.ready: where a client may come, but has not, a stop would wait for nobody, and the program goes on. */
bool conversation_ready(struct session *s);
/* Ends a visit of the main thread while the program runs. */
void conversation_visited(struct session *s);

bool conversation_beside(void); /* ... and a person has the session, too */

bool conversation_can_restart(void); /* are there descriptors for a restarted program? */
/* The process ends or becomes another program (restart): that one gets the descriptors as they were.  Returns how many
   objects the other side has got. */
unsigned long conversation_end(void);
/* Another process of the program is to have the conversation, and has it; said: what the one that left adds to out. */
void conversation_leave(struct buf *out);
int conversation_arrive(const char *said, struct err *err);
/* The session has ended, and the program runs on: see inbox_detached().  Says so where a client did not read. */
void conversation_detached(void);

#endif
