/* SPDX-License-Identifier: BSD-3-Clause */
/* What the program, its children and C code write to descriptors 1 and 2, caught in pipes.  Never takes the GIL. */
#ifndef CDBG_CAPTURE_H
#define CDBG_CAPTURE_H
#include <stddef.h>

struct err;

/*
 * Descriptors 1 and 2 become pipes, 0 the null device.  say is called with what was written, cut between characters,
 * in order within a stream (1 or 2): by a thread of capture's own, by capture_drain(), and by a process that outlives
 * this one for a moment when it died with text in the pipes.  keep is the descriptor that say writes to.
 */
int capture_start(void (*say)(int stream, const char *text, size_t n), int keep, struct err *err);
/* All that was written before this call has been said when it returns. */
void capture_drain(void);
/* The program's end: the same, and half a character too. */
void capture_finish(void);
/* In a fork's child, from its atfork handler: its output still goes where the parent's goes; nobody waits for it. */
void capture_forked(void);

#endif
