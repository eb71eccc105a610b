/* SPDX-License-Identifier: BSD-3-Clause */
/* The conversation of a front end for machines, held by a second process: it reads the commands and the program's
   output, writes all objects, and lets clients in.  So the output is reported however the program ends, and the program
   can close no descriptor that the conversation needs.  Never takes the GIL.  Knows no session, and no protocol but
   that a client of TCP shows its token first. */
#ifndef CDBG_RELAY_H
#define CDBG_RELAY_H
#include <stdbool.h>
#include <stddef.h>

struct buf;
struct err;
struct listener;

/* The objects that the other process writes on its own. */
struct relay_words {
	/* What the program wrote on stream 1 or 2. */
	void (*output)(struct buf *out, int stream, const char *text, size_t n);
	/* The program ended and has sent no object about it, by relay_send() with `last`.  status: as waitpid() gives
	   it; -1: not known. */
	void (*ended)(struct buf *out, int status);
	void (*refused)(struct buf *out, const char *why);  /* to a client that is not let in */
	void (*warning)(struct buf *out, const char *text); /* to the client: somebody was not let in, for example */
	/* The form in which an object, without its newline, goes to the other side; n counts those that the client has
	   got.  NULL: the object and a newline. */
	void (*wrap)(struct buf *out, const char *s, size_t len, unsigned long n);
	/* Without clients: so many ms without reading are the end of the other side; 0: it is waited for. */
	long patience;
	/*
	 * What a client of TCP has sent so far, in *text: 1: it has shown the token, and what is left in *text was sent
	 * to the program; 0: more must come; -1: it must not, *why says why (a constant).  reply: what it gets at once;
	 * *told counts the objects in it.  NULL: its first line is "token TOKEN".
	 */
	int (*guest)(const struct listener *l, struct buf *text, struct buf *reply, unsigned long *told,
		     const char **why);
};

/*
 * Commands come from in, objects go to out; both stay open here, for a restart.  capture: descriptors 1 and 2 become
 * pipes and 0 the null device; what comes through the pipes is written as objects made by words->output, in order
 * within a stream and cut between characters.
 */
int relay_start(int in, int out, bool capture, const struct relay_words *words, struct err *err);
void relay_told(unsigned long n); /* before relay_start(): the other side has got so many objects already */
/*
 * The other process lets clients in, one at a time; the program's descriptors are left alone.  What is sent while there
 * is none is dropped.  A client that does not read what it is sent is cut off: nothing blocks for ever.  Takes the
 * descriptors of l, which must stay.
 */
int relay_listen(struct listener *l, const struct relay_words *words, struct err *err);
/* What is sent from now on goes to the client that relay_read() has reported. */
void relay_welcome(void);

/* One whole object with its newline: it is written after the program's output up to this call.  Any thread.  last: half
   a character of the program's output is written before it, too. */
void relay_send(const char *s, size_t n, bool last);
/* The beginning of an object that the same thread ends with relay_send(); other threads wait until then. */
void relay_part(const char *s, size_t n);
/* When the other side's host is gone, a connection of TCP ends within so many seconds.  Any thread. */
void relay_keep(int seconds);
/* Returns when all that was sent has been written: call it before the program continues, if its next output must not
   come first. Blocks while the other side does not read. */
void relay_wait(void);
/* The same, with what the program wrote before this call. */
void relay_flush(void);
/* In two steps: the other process ends, with its listener and its client, and relay_read() returns RELAY_ENDED; then,
   when nobody reads any more, nothing is left.  A new relay can be started. */
void relay_end(void);
void relay_release(void);
/* Flush, then leave the conversation to the next process: nothing more is read or written.  Returns how many objects
   the other side has got, for relay_told(). */
unsigned long relay_stop(void);

enum relay_got {
	RELAY_BYTES,  /* of commands */
	RELAY_CLIENT, /* a client is there */
	RELAY_GONE,   /* it is not any more; with a byte: since it did not read */
	RELAY_ENDED,  /* nothing more comes */
	RELAY_LEFT,   /* nothing more is read here: see relay_leave() */
};
/* For one thread: waits for what comes, at most max bytes of it. */
enum relay_got relay_read(char *s, size_t max, size_t *n);
/* Is there something to read, within so many milliseconds? */
bool relay_readable(int ms);

bool relay_here(void); /* async-signal-safe */
/* In the child of a fork: from now on it writes nothing. */
void relay_forked(void);
/* Another process of the program, a child that was forked or its parent, is to have the conversation: what was sent is
   written, and the thread that reads gets RELAY_LEFT, also if it waits now. */
void relay_leave(void);
/* In that process, when no thread of the other one reads any more. */
int relay_arrive(struct err *err);

#endif
