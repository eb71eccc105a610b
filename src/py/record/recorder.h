/* SPDX-License-Identifier: BSD-3-Clause */
/* The recorder: writes what each recorded instruction did into the ring of its thread.  Called by the hooks before
   instructions, with the GIL; allocates nothing there once a code object and a thread are known, and calls no Python.
   What is recorded, the engine decides. */
#ifndef CDBG_RECORDER_H
#define CDBG_RECORDER_H
#include <stdbool.h>
#include <stddef.h>
#include "py/record/record_code.h"

struct code;
struct err;
struct record_read;
struct record_thread;

struct record_setup {
	const char *file; /* NULL: none has a name */
	size_t size;	  /* bytes of a ring, a power of two, at least RECORD_SMALLEST */
	bool values;
};

/* -1: err.  Records nothing yet: hook_record() says which code. */
int record_start(const struct record_setup *setup, struct err *err);
void record_stop(void); /* what was recorded is gone, but for a file with a name */
bool record_on(void);
/* Code that will be recorded; what its plugin knows of it is noted now.  false: there is no room. */
bool record_prepare(struct code *c);
/* What its plugin knows of the code has changed: from now on it is recorded as other code, with that. */
void record_renew(struct code *c);
int record_save(const char *file, struct err *err); /* -1: err */

/* What there is, for `info record`. */
struct record_facts {
	int threads, codes;
	uint64_t instructions; /* since the start */
	uint64_t bytes;	       /* of the file */
	unsigned long left;    /* threads and code objects for which there was no room */
};
void record_facts(struct record_facts *out);

/* ---- the hooks -------------------------------------------------------------------------------------------- */

/* *t: the thread's own, NULL at first; number: of the thread; frame: py_frame_address().  True: this instruction has
   the number that record_await() was given. */
bool record_instr(struct record_thread **t, int number, uintptr_t frame, struct code *c, int unit);
/* A recorded frame ends; how: enum hook_how. */
void record_leave(struct record_thread **t, uintptr_t frame, const struct code *c, int how);
/* The thread has ended. */
void record_ended(struct record_thread **t);
/* The user may have written to frames of the thread, or moved one: what they hold now is recorded at their next
   instruction. */
void record_wrote(struct record_thread **t);
/* In the child after a fork: it does not write to its parent's record. */
void record_forked(void);

/* ---- a process that is forked to go on where this one is, while this one goes on, too ----------------------- */

enum { RECORD_NEVER = -1 };
/* How many instructions the thread has recorded, and the number of the last one. */
uint64_t record_count(struct record_thread **t);
static inline uint64_t record_number(struct record_thread **t)
{
	return record_count(t) - 1;
}
void record_await(struct record_thread **t, uint64_t number); /* (uint64_t)RECORD_NEVER: none */
/* What is recorded now, for that process; released by free().  NULL: nothing is recorded. */
void *record_keep(void);
/* There, when its turn comes: goes on recording after what was kept, which it takes.  NULL: nothing is recorded. */
void record_woken(void *kept);
unsigned long record_id(void); /* of the record: no two of a process have the same */

/* ---- who reads it while it is written: with the GIL, and the thread does not run ---------------------------- */

/* From the ring of a thread; false: it has none.  Valid until the thread runs or record_stop(). */
bool record_reader(struct record_thread **t, struct record_read *out);
const struct record_code *record_code_at(uint32_t id); /* NULL: there is none */
struct code *record_code_live(uint32_t id);	       /* NULL: it is gone */
/* All that was prepared and is not gone. */
void record_each_code(void (*each)(struct code *c));
const char *record_type_name(uint32_t id); /* "?": none */
/* A text for RECORDED_DATA: its number, 0: nothing is recorded; and the text of a number, "": none. */
uint32_t record_data_new(const char *text);
const char *record_data_text(uint32_t id);
double record_seconds(uint64_t from, uint64_t to); /* between two ticks */

#endif
