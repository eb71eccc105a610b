/* SPDX-License-Identifier: BSD-3-Clause */
/* The complete output of the program by lines: the newest in memory, the rest in an unlinked file.  The line being
   written is a one-line terminal.  Knows no pty and no pane.  UI thread only. */
#ifndef CDBG_CONSOLE_H
#define CDBG_CONSOLE_H
#include <stdbool.h>
#include <stddef.h>
#include "base/buf.h"
#include "ui/term/grid.h"

void console_bytes(const char *p, size_t n);
unsigned long console_lines(void); /* whole lines */
unsigned long console_total(void); /* bytes ever taken */
/* Line i as text with its colours as SGR sequences; i == console_lines() is the one being written.  Borrowed until the
   next call; "" past the end. */
const char *console_line(unsigned long i);
int console_cursor(void); /* column in the line being written */
/* Draws text with SGR sequences; returns the columns of the whole text. */
int console_draw(struct grid *g, int y, int x, int width, int skip, const char *s, bool colours);
/* The last n lines and the one being written, to a descriptor (the program has ended). */
void console_tail(int fd, unsigned long n);
/* The same in a signal handler, while the UI thread touches nothing; true: the last line is not ended yet. */
bool console_dying(int fd, int n);
/* In a child that goes on with what was written before the fork, but not with the file of the thread that wrote it. */
void console_woken(void);
void console_clear(void);
void console_release(void);

#endif
