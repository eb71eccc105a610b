/* SPDX-License-Identifier: BSD-3-Clause */
/* What a client has sent to a front end for machines: a thread of its own reads it and queues the messages, so that
   they are answered while the program runs, in a visit of the main thread; it never takes the GIL.  Knows no protocol
   and no session. */
#ifndef CDBG_INBOX_H
#define CDBG_INBOX_H
#include <stdbool.h>
#include <stddef.h>

struct buf;
struct err;

/* The state of the program, for the thread that reads. */
enum inbox_state {
	INBOX_STOPPED, /* messages are taken one by one */
	INBOX_BUSY,    /* ... and one is being served */
	INBOX_RUNNING,
	INBOX_DETACHED,
};

/* How the thread that reads answers on its own. */
enum inbox_answer {
	ANSWER_DONE,	/* an interrupt was requested */
	ANSWER_PENDING, /* it waits for the main thread, which is in C code; it is served, and answered again, later */
	ANSWER_DETACHED /* nobody serves the program any more */
};

/* The protocol.  Called with the inbox's lock, in any thread, without the GIL: the functions only send. */
struct inbox_words {
	/* Bytes that came: calls inbox_take() for each whole message.  s NULL: forget the beginning of one, since
	   another client begins. */
	void (*bytes)(const char *s, size_t n);
	void (*ended)(void); /* ... and no more come.  May be NULL. */
	void (*rest)(
		struct buf *
			out); /* adds the beginning of a message, without a NUL, and forgets it; NULL: there are none */
	bool (*interrupts)(const char *text); /* does this message ask for a stop? */
	bool (*at_once)(const char *text);    /* while the program runs: true if it answered.  May be NULL. */
	void (*answer)(const char *text, enum inbox_answer how);
	void (*late)(void); /* the stop that was asked for does not come, see inbox_stop_is_late().  May be NULL. */
};

/* Starts the thread.  begin: has the program begin a session, since a client came when it had none; any thread; NULL
   where clients do not come and go. */
int inbox_start(const struct inbox_words *words, void (*begin)(void), struct err *err);
/* Before it, where the session is for one client: its coming asks for a stop, if `stop`; inbox_end() waits for the end
   of the thread, when relay_end() has been called. */
void inbox_once(bool stop);
void inbox_end(void);
void inbox_take(char *text); /* in words->bytes and words->ended: one message, owned by the inbox */
/* The same bytes as if they had been read; before inbox_start(). */
void inbox_given(const struct inbox_words *words, const char *s, size_t n);
/* After relay_stop(): passes on each message that nobody has served. */
void inbox_unserved(void (*pass)(void *arg, const char *text), void *arg);
void inbox_ends_session(void); /* before: the end of input is the departure of a client, also while the program runs */
void inbox_forked(void);       /* in the child of a fork */
/* Another process of the program gets what comes from now on: ends the thread after relay_leave(), and adds to out,
   without a NUL, what it must know. */
void inbox_leave(struct buf *out);
int inbox_arrive(const char *said, struct err *err); /* in that process, at a stop, after relay_arrive() */

/* ---- at a stop ---- */

char *inbox_next(void); /* waits for it with the GIL; the caller's.  NULL: the input has ended, or the client left */
/* Instead of waiting: wake() is called, in any thread, when inbox_next_visit() has something at a stop, too.  A client
   that leaves then ends nothing. */
void inbox_wakes(void (*wake)(void));
bool inbox_waits(void); /* would inbox_next() return at once? */
void inbox_enter(enum inbox_state state);
void inbox_began(bool stopped); /* a session has begun, also after inbox_detached() */
void inbox_end_busy(void);	/* no command runs any more: no interrupt is requested for one */
/* Stopped, but not for the other side: it was told otherwise, or the stop is not shown. */
void inbox_see_running(bool on);
void inbox_run(void); /* the program continues */
/* Was a stop asked for, which has not come in a fifth of a second?  The main thread is in C code, or Python waits for
   the GIL. */
bool inbox_stop_is_late(void);

/* ---- in a visit ---- */

char *inbox_next_visit(void); /* the caller's; NULL: there is none */
bool inbox_visited(void);     /* at its end.  true: the session ends, since the client has left */

/* ---- clients of a socket that listens ---- */

/* Is a client there to which nothing was sent yet?  Then it gets what is sent from now on. */
bool inbox_greet(void);
bool inbox_nobody(void); /* a stop would wait for nobody */
bool inbox_client(void); /* is one there? */
/* The session has ended, the program runs on.  After this the next client is told to begin one.  Returns whether the
   client was cut off since it did not read. */
bool inbox_detached(void);

#endif
