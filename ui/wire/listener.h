/* SPDX-License-Identifier: BSD-3-Clause */
/* The socket that a session listens on, and what a client must show to be let in.  Made in the program's process, used
   in the relay's.  SECURITY.md has the rules.  Knows no session. */
#ifndef CDBG_LISTENER_H
#define CDBG_LISTENER_H
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct err;

enum { TOKEN_MAX = 256, SHOWN_MAX = 300, NAME_MAX_UNIX = 108, KEEP_SECONDS = 30 };

struct listener {
	int fd;			  /* -1: none */
	int dir;		  /* of a Unix socket: its folder; else -1 */
	char name[NAME_MAX_UNIX]; /* in that folder */
	bool once;		  /* when the first client leaves no other one is let in; the caller's to set */
	dev_t dev;		  /* the socket's file: one that has taken its name stays */
	ino_t ino;
	char shown[SHOWN_MAX];	    /* "unix:/run/user/1000/cdbg/42.sock", "127.0.0.1:4711" */
	char token[TOKEN_MAX];	    /* of TCP; "": none is asked for */
	char token_file[SHOWN_MAX]; /* it is in this file; "": it must be printed */
};

/*
 * Listen on an address as struct address describes it.  token_file: of TCP, where the token is, or where a new one is
 * put; NULL: a new one is made.  -1: err, nothing is left behind.
 */
int listener_open(struct listener *l, const char *address, const char *token_file, struct err *err);
/* Take the socket's name away, and close all.  In the process that used it last. */
void listener_end(struct listener *l);
void listener_close(struct listener *l); /* in this process: another one goes on to listen */

/* The token of a file that exists, as listener_open() reads it.  -1: err. */
int listener_token(const char *file, char token[TOKEN_MAX], struct err *err);
/* On standard error: where it is, and the token or the name of its file.  quiet: a token that is in no file alone. */
void listener_tell(const struct listener *l, bool wait, bool quiet);

/* The next client, with these flags of accept4(), or -1.  full: the process has no descriptor left; then the caller
   gives one up and asks again, or turns the client away by way of *spare, which listener_spare() has kept for that. */
int listener_accept(const struct listener *l, int flags, bool *full);
int listener_spare(void);
void listener_turn_away(const struct listener *l, int *spare);
/* Who the client of a connection is, "process 42 (nvim)" or "127.0.0.1:4711".  False: it must not connect. */
bool listener_peer(const struct listener *l, int fd, char *who, size_t max);
/* From now on the connection ends within so many seconds when the other host is gone; KEEP_SECONDS where nobody says
   another time.  Small messages go at once. */
void listener_keep(int fd, int seconds);
/* Is this the token?  Takes the same time for all wrong ones. */
bool listener_admits(const struct listener *l, const char *text, size_t n);

#endif
