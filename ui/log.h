/* SPDX-License-Identifier: BSD-3-Clause */
/* The file of `set logging`.  Stopped thread only: both front ends write to it, one at a time. */
#ifndef CDBG_LOG_H
#define CDBG_LOG_H
struct session;

void log_line(struct session *s, const char *line); /* a command line, as typed */
void log_text(struct session *s, const char *text); /* what is shown for it */
#endif
