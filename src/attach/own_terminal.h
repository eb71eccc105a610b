/* SPDX-License-Identifier: BSD-3-Clause */
/* The terminal of the process that attaches: a pseudo terminal in between, whose bytes are passed on.  Knows no
   session. */
#ifndef CDBG_OWN_TERMINAL_H
#define CDBG_OWN_TERMINAL_H
#include <stdbool.h>
#include "base/unsent.h"

struct err;

struct own_terminal {
	int end;	    /* this process's end of what is between them; does not block */
	int theirs;	    /* the other one's, until it is sent; -1 */
	bool tty;	    /* it is a pseudo terminal; else a socket, since this process has no terminal */
	struct unsent keys; /* that the other one has not taken yet */
};

int own_terminal_open(struct own_terminal *t, struct err *err);
/* The other process gets its end over the channel.  -1: err. */
int own_terminal_send(struct own_terminal *t, int channel, struct err *err);
/*
 * Passes on keys, output, sizes and Ctrl-C until the session has ended; Ctrl-Z stops this process only.  Keys that
 * the other one does not read wait here, and behind UNSENT_MOST of them in the terminal or pipe.  The terminal is then
 * as it was, whatever happened to the other process.  False: that has ended, or has been killed.
 */
bool own_terminal_pass(struct own_terminal *t, int channel);
void own_terminal_close(struct own_terminal *t);

#endif
