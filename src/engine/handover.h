/* SPDX-License-Identifier: BSD-3-Clause */
/* What a process that leaves its turn to a checkpoint says to it: what the user has set since, and the command lines
   that wait.  Knows neither processes nor front ends, but that they have a text of their own. */
#ifndef CDBG_HANDOVER_H
#define CDBG_HANDOVER_H
#include <stddef.h>

struct buf;
struct session;

/* All of it, and the front end's text, which has no NUL. */
void handover_write(struct session *s, const char *front, struct buf *out);
/* In the other process: options, breakpoints, catchpoints and displays become what they were there; those that are new
   here are set by queued commands.  Returns the front end's text, which text must outlive. */
const char *handover_read(struct session *s, const char *text, size_t n);

#endif
