/* SPDX-License-Identifier: BSD-3-Clause */
/* Checkpoints: the process at a stop is forked, and the child waits there.  The process that goes on is the program
   itself; going back gives the child its turn, and this one waits for it and ends as it ends.  Processes are in
   base/family.c.  Knows no command and no front end. */
#ifndef CDBG_CHECKPOINT_H
#define CDBG_CHECKPOINT_H
#include <stdbool.h>
#include <stdint.h>

struct buf;
struct err;
struct session;

/*
 * A checkpoint of this stop; stop: its number.  force: although threads, processes or memory would be missing.
 * Returns twice, as fork() does: here with text in out, or -1 with err; and in the child, when it is its turn, with
 * s->resume set to RESUME_BACK.
 */
int checkpoint_take(struct session *s, unsigned long stop, bool force, struct buf *out, struct err *err);
/* A stop begins: takes one if `set checkpoint auto` says so, and ends one if there are more than that. Returns twice,
   too. */
void checkpoint_auto(struct session *s, unsigned long stop);
/* After the command that calls it, this process waits, and the one of this checkpoint continues.  Lines that are queued
   are run there: `stepi 5` for a reverse step. */
int checkpoint_go(struct session *s, int number, struct err *err);
/* s->resume is RESUME_BACK: leaves, or arrives.  Returns when the stop must be shown, with s->resume RESUME_NONE. */
void checkpoint_back(struct session *s);
/* The newest checkpoint of this future, at or before the instruction of this number in that record, see record_id(); 0:
   there is none. */
int checkpoint_before(unsigned long record, uint64_t number);
int checkpoint_delete(int number, struct err *err);
void checkpoint_release(void); /* the session ends: so do all of them */
void checkpoint_forked(void);  /* in a child of the program */

#endif
