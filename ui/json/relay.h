/* SPDX-License-Identifier: BSD-3-Clause */
/* The conversation of the JSON front end, held by a second process: it reads the commands and the program's output, and
   writes all objects.  So the output is reported however the program ends, and the program can close no descriptor that
   the conversation needs.  Never takes the GIL.  Knows no session. */
#ifndef CDBG_RELAY_H
#define CDBG_RELAY_H
#include <stdbool.h>
#include <stddef.h>

struct buf;
struct err;

/* The objects that the other process writes on its own. */
struct relay_words {
	/* What the program wrote on stream 1 or 2. */
	void (*output)(struct buf *out, int stream, const char *text, size_t n);
	/* The program ended and has sent no object about it, by relay_send() with `last`.  status: as waitpid() gives
	   it; -1: not known. */
	void (*ended)(struct buf *out, int status);
};

/*
 * Commands come from in, objects go to out; both stay open here, for a restart.  capture: descriptors 1 and 2 become
 * pipes and 0 the null device; what comes through the pipes is written as objects made by words->output, in order
 * within a stream and cut between characters.
 */
int relay_start(int in, int out, bool capture, const struct relay_words *words, struct err *err);

/* One whole object with its newline: it is written after the program's output up to this call.  Any thread.  last: half
   a character of the program's output is written before it, too. */
void relay_send(const char *s, size_t n, bool last);
/* The beginning of an object that the same thread ends with relay_send(); other threads wait until then. */
void relay_part(const char *s, size_t n);
/* Returns when all that was sent has been written: call it before the program continues, if its next output must not
   come first. Blocks while the other side does not read. */
void relay_wait(void);
/* The same, with what the program wrote before this call. */
void relay_flush(void);
/* Flush, then leave the conversation to the next process: nothing more is read or written. */
void relay_stop(void);

/* For one thread: waits for bytes of commands; 0: the input has ended. */
size_t relay_read(char *s, size_t max);
/* Is there something to read, within so many milliseconds? */
bool relay_readable(int ms);

bool relay_here(void); /* async-signal-safe */
/* In the child of a fork: from now on it writes nothing. */
void relay_forked(void);

#endif
