/* SPDX-License-Identifier: BSD-3-Clause */
/* The record of a process that is gone, from its file.  Nothing in the file is trusted: offsets, counts and numbers are
   compared before they are used, and text that is not UTF-8 is changed to be.  Knows no session. */
#ifndef CDBG_RECORD_GONE_H
#define CDBG_RECORD_GONE_H
#include <stdbool.h>
#include <stddef.h>
#include "py/record/record_code.h"
#include "py/record/record_read.h"

struct buf;
struct err;

/* A thread that wrote. */
struct record_gone_ring {
	const uint64_t *words; /* of the file */
	uint64_t mask, head;   /* up to its last instruction that can be read */
	uint64_t ticks;	       /* of that */
	int thread;	       /* as the process numbered it */
	bool left;	       /* the frame of that instruction has ended after it */
};

/* Once: reads the file, at most 4 GB.  -1: err: it is no record, it is damaged, or it has no instruction. */
int record_gone_load(const char *file, struct err *err);
/* The same of bytes at an address that is a multiple of 8, which it owns from now on.  In place of those it had. */
int record_gone_take(struct buf *bytes, struct err *err);
void record_gone_release(void);
bool record_gone(void);	    /* is there one? */
bool record_gone_cut(void); /* ... of a file that was longer: what it lacks may be newer than what it has */

uint32_t record_gone_pid(void);
long long record_gone_written(void);			/* when the file was written last: seconds, as of stat() */
const struct record_gone_ring *record_gone_ring(int i); /* the newest first; NULL past the last */
struct record_read record_gone_reader(const struct record_gone_ring *ring);
uint32_t record_gone_codes(void);			 /* numbers of code objects are below this */
const struct record_code *record_gone_code(uint32_t id); /* NULL: there is none */
const char *record_gone_type(uint32_t id);		 /* NULL: there is none */
const char *record_gone_data(uint32_t id);
double record_gone_seconds(uint64_t ticks);

#endif
