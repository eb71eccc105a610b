/* SPDX-License-Identifier: BSD-3-Clause */
/* The terminal of another process, which attached to this one, as long as the session lasts.  A channel leads there:
   the terminal comes over it, and later a byte for each Ctrl-C and each new size.  When the other process goes away the
   session ends.  A thread of its own listens; it never takes the GIL.  Knows no front end. */
#ifndef CDBG_REMOTE_H
#define CDBG_REMOTE_H
#include <stdbool.h>

struct err;

enum remote_word {
	REMOTE_TERMINAL = 't', /* with its descriptor */
	REMOTE_INTERRUPT = 'c',
	REMOTE_SIZE = 'w',
	REMOTE_BYE = 'b', /* from here, the last: the session has ended, the terminal is as it was */
};

/* Called in the thread that listens. */
struct remote_calls {
	bool (*interrupt)(void); /* Ctrl-C; false: it is for the program */
	void (*changed)(void);	 /* another size, or the other process has gone */
};

/* Keeps a copy of the channel; calls is kept by address.  Returns the terminal, or the socket in its place where the
   other side has none, owned by the caller; -1: err. */
int remote_open(int channel, const struct remote_calls *calls, struct err *err);
bool remote_gone(void); /* the other process has gone, or it never came */
/* Says good-bye, and ends the thread.  Does nothing where no channel is open. */
void remote_close(void);

#endif
