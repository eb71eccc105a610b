/* SPDX-License-Identifier: BSD-3-Clause */
/* The program's terminal: a pty on its descriptors 0, 1 and 2, if they are a terminal. Reads the output, and sends
   the input typed for the program.  Knows no pane.  The UI thread reads and writes; the stopped thread reports its
   position. */
#ifndef CDBG_PROGTTY_H
#define CDBG_PROGTTY_H
#include <stdbool.h>
#include <stddef.h>

struct err;

int progtty_open(struct err *err); /* makes the pty; descriptors stay where they are */
bool progtty_ok(void);		   /* its descriptors are still ours */
/* Those of 0, 1 and 2 that are a terminal, and that the program has not replaced since, become the pty; and what they
   were: async-signal-safe. */
void progtty_take(void);
void progtty_give(void);
bool progtty_taken(void);
/* 1 and 2 go to this descriptor instead of the pty until progtty_take(); -1: the pty. */
void progtty_output(int fd);
int progtty_fd(void); /* to be polled for what the program wrote */
/* Read at most max bytes of it into the console; true when there were any. */
bool progtty_drain(size_t max);
void progtty_size(int rows, int cols);
/* Typed for the program: queued, written as its terminal takes it. */
void progtty_type(const char *p, size_t n);
bool progtty_typing(void); /* poll for POLLOUT */
void progtty_flush(void);
void progtty_close(void); /* gives, drains, closes */
/* Death: the last lines, and all that the pty still holds, to the real standard error, then progtty_give(). */
void progtty_die(void);
/* The same in the watchdog's process, which was started with these descriptors (at most 3). */
void progtty_guard_tell(void);
int progtty_guard_fds(int *fd);
bool progtty_guard_over(void); /* cdbg reads the pty no more */
/* Copies to the terminal what children of the program still write to the pty; returns when no process has the pty
   open. */
void progtty_guard_pump(void);
void progtty_forked(void);
int progtty_saved(int fd);	 /* the real descriptor replaced by 0, 1 or 2 */
bool progtty_open_by_name(void); /* a descriptor of the program is /dev/tty */

#endif
