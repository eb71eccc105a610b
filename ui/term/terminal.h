/* SPDX-License-Identifier: BSD-3-Clause */
/* Takes the terminal, draws on it, lends and restores it, also if the program dies. Only ui/term knows curses.
   Knows no pane.  All but term_can() and term_restore() belong to the UI thread. */
#ifndef CDBG_TERMINAL_H
#define CDBG_TERMINAL_H
#include <stdbool.h>
#include <stddef.h>
#include <termios.h>
#include "ui/term/grid.h"

struct err;

/* The terminal's type, in place of that in TERM; NULL: TERM.  Kept by address. */
void term_type(const char *type);
/* Opens this device (NULL: the controlling terminal) if it can show a full screen; -1 with the reason. */
int term_can(const char *device, struct err *err);
void term_close_device(void);	/* when it was only asked */
int term_open(struct err *err); /* takes what term_can() opened */
void term_close(void);		/* leaves the screen and releases all; term_can() may be called again */
bool term_live(void);		/* the screen is ours now (not lent) */
/* Lend the screen to another program, and take it again. The next term_send() redraws it. */
void term_leave(void);
void term_back(void);
void term_suspend(void); /* Ctrl-Z: stops the job; returns when it continues */

int term_fd(void);
int term_colours(void);
bool term_utf8(void);
/* The size now.  True when it differs from that of the last call. */
bool term_size(int *rows, int *cols);
bool term_resized(void); /* ... without taking it */
/* Send what differs from what the terminal shows, all of it after `all`; cursor at y, x. */
void term_send(struct grid *g, int y, int x, bool all);
/* Ask for the background's colour: the answer, if any, comes as "ESC ] 11 ; rgb:R/G/B" among the keys.  False: this
   terminal is not asked. */
bool term_ask_background(void);
void term_beep(void);
void term_mouse(bool on);
void term_ready(unsigned long consumed); /* the mark that tests wait for */

/* Every write to the terminal and every read of the program's output is between these two: a crash waits for it. */
void term_section(void);
void term_section_end(void);

/* When the process dies: restores the terminal, once. Async-signal-safe, any thread. False: there was nothing to do. */
bool term_restore(void);
/* The thread that draws; set by itself. */
void term_thread_is_self(void);
bool term_guard_share(void);   /* for the watchdog: records in shared memory whether cdbg has the screen */
bool term_guard_restore(void); /* the watchdog restores the terminal after a kill; false: cdbg had no screen */
int term_copy(void);	       /* a descriptor of it for the calling thread; -1: none */
bool term_ok(void);	       /* its descriptors are still ours */
void term_lost(void);	       /* they are not: restore the terminal otherwise, forget them */
/* In a child that is not to notice the fork: the thread that drew is not here, the terminal was left by the parent. */
void term_woken(void);
void term_forked(void); /* in a child: close, touch nothing */

#endif
