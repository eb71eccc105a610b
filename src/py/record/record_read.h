/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads a record: the state before each instruction from the words of a ring.  Pure functions over memory that nobody
   writes meanwhile, which may be damaged: nothing is read outside of it.  Knows neither CPython nor a session. */
#ifndef CDBG_RECORD_READ_H
#define CDBG_RECORD_READ_H
#include <stdbool.h>
#include <stddef.h>
#include "py/record/record_code.h"

struct record_names {
	const struct record_code *(*code)(const void *arg, uint32_t id); /* NULL: unknown */
	const void *arg;
};

/* A frame before the instruction at `unit`, or suspended in it. */
struct record_frame {
	uint64_t serial;
	uint32_t code, unit;
	bool known;		     /* its values are */
	bool fresh;		     /* ... as a KEY gave them, of the instruction to come */
	uint32_t nlocals, depth;     /* values: variables, then slots */
	struct record_value *values; /* owned */
	size_t cap;
};

struct record_read {
	const uint64_t *words;
	uint64_t mask, head, chunk; /* head, chunk: in words */
	struct record_names names;
	/* Where it is: after the instruction with this number. */
	uint64_t at, number, ticks;
	struct record_frame *frame; /* outermost first; owned */
	/* Of RECORD_READ_LEAVE: the frame that has gone, and how. */
	uint64_t left;
	int how;
	int n;
	size_t cap;
};

enum record_event {
	RECORD_READ_END, /* of what was written, or of what can be read */
	RECORD_READ_INSTR,
	RECORD_READ_BEGIN,
	RECORD_READ_LEAVE, /* a frame has gone */
};

void record_read_release(struct record_read *r);
/* The first whole chunk, and the one after those that were written: word positions. */
uint64_t record_read_first(const struct record_read *r);
/* The number of the chunk's first instruction; false: no chunk begins there. */
bool record_read_number(const struct record_read *r, uint64_t chunk, uint64_t *number, uint64_t *ticks);
/* Go to the beginning of a chunk; false: no chunk begins there. */
bool record_read_seek(struct record_read *r, uint64_t chunk);
enum record_event record_read_next(struct record_read *r);
/* The numbers of the instructions that can be read: from *first up to but not *end.  false: none. */
bool record_read_range(struct record_read *r, uint64_t *first, uint64_t *end);
/* To the beginning of the chunk that has this instruction; false: there is none. */
bool record_read_before(struct record_read *r, uint64_t number);
/* To the state before instruction `number`; false: it cannot be read. */
bool record_read_to(struct record_read *r, uint64_t number);
/* The frame that runs; NULL: none is known. */
static inline const struct record_frame *record_read_top(const struct record_read *r)
{
	return r->n ? &r->frame[r->n - 1] : NULL;
}

#endif
