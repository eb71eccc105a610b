/* SPDX-License-Identifier: BSD-3-Clause */
/* The file of command lines, ~/.cdbg_history, one line each, oldest first.  Both front ends for people use it, and
   several processes at once may.  Knows no editor. */
#ifndef CDBG_HISTORY_H
#define CDBG_HISTORY_H

struct err;

/*
 * Call each with the last `max` lines, oldest first.  A file in the format of libedit, which the full screen once
 * wrote, is read too.  A file that has become twice too long is cut, one in libedit's format rewritten.
 */
void history_load(long max, void (*each)(void *arg, const char *line), void *arg);
/* Append a line at once, so that it survives the process and other sessions' lines.  max 0: keep nothing.  -1 with
   err, once for a cause: the line could not be written. */
int history_append(const char *line, long max, struct err *err);

#endif
