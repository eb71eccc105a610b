/* SPDX-License-Identifier: BSD-3-Clause */
/* Going back in the record of the thread that stopped: the moment that is looked at, and the frames as they were then.
   Nothing of it runs the program. */
#ifndef CDBG_PAST_H
#define CDBG_PAST_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;
struct err;
struct event;
struct record_code;
struct record_frame;
struct record_instr;
struct record_value;
struct session;
struct val;

/* A frame of the past: its code and its values. */
struct past_frame {
	const struct record_code *code;
	const struct record_frame *frame;
};

enum past_unit { PAST_INSTR, PAST_LINE, PAST_OUT, PAST_HIT };

/* Each goes there and has the front end show it; where the present is reached, that.  -1: err. */
/* By instructions, by lines or regions, to the call of the frame or the end of it, to a breakpoint. */
int past_move(struct session *s, enum past_unit unit, bool over, bool back, long count, struct err *err);
int past_go(struct session *s, uint64_t number, struct err *err);     /* to the instruction of that number */
int past_go_back(struct session *s, uint64_t count, struct err *err); /* so many before the present */
int past_now(struct session *s, struct err *err);
/* The number of the instruction that the present is before; false: the thread that stopped has no record. */
bool past_present(struct session *s, uint64_t *number);
void past_end(struct session *s);   /* the record ends, or the stop */
void past_wrote(struct session *s); /* a command may write to the program */

/* Of a process that is gone: the last instruction of its thread s->gone_ring.  -1: err, it cannot be read. */
int past_gone(struct session *s, struct err *err);
int past_gone_thread(struct session *s, int number, struct err *err); /* of that thread; -1: err */
/* The i-th thread of it, the newest first; false: there is none.  *unit: of its last instruction; code NULL: not
   known. */
bool past_gone_at(int i, int *number, const struct record_code **code, uint32_t *unit);
/* Was this source changed after the record of a process that is gone was written?  Its lines may have moved. */
bool past_source_newer(const struct session *s, const char *file);
int past_thread(const struct session *s); /* the number of the thread that is looked at */

void past_drop(struct session *s); /* the same, where the frames are forgotten too */

void past_beyond_stopped(struct session *s); /* a stop begins: what it is, for a way back to it */
/* The event of a stop there, in place of `ev`, which it returns in the present. */
const struct event *past_event(const struct session *s, const struct event *ev);
/* "PAST -14 instructions (...): read-only, 'now' returns"; the same for machines. */
void past_text(const struct session *s, struct buf *out);
struct val *past_val(const struct session *s);

struct record_read;
/* A reader of the whole record of the thread that stopped, released by the caller; the first number, and that of the
   moment that is looked at, or the last one.  -1: err. */
int past_reader(struct session *s, struct record_read *out, uint64_t *first, uint64_t *at, struct err *err);

/* ---- values ----------------------------------------------------------------------------------------------- */

/* As text for people: "3", "list of 3~"; the sign ~: as when it was made, it may have changed since. */
void past_value_text(const struct record_value *v, struct buf *out);
const char *past_value_type(const struct record_value *v); /* NULL: it has none */
const char *
past_value_kind(const struct record_value *v); /* as in the view `stack`: "object", "null", "int", "unknown" */
/* Of variable i; of slot i; NULL: the record does not have it. */
const struct record_value *past_local(const struct past_frame *f, int i);
const struct record_value *past_slot(const struct past_frame *f, int i);
int past_local_kind(const struct past_frame *f, int i);		   /* enum local_kind */
int past_operands(const struct past_frame *f);			   /* slots that its instruction takes */
void past_instr_text(const struct past_frame *f, struct buf *out); /* "192 CALL 1" */
const struct record_instr *past_instr(const struct past_frame *f); /* that it is before, or in */
int past_depth(const struct past_frame *f);			   /* -1: not known */
const char *past_local_name(const struct past_frame *f, int i);	   /* NULL past the last */
/* A variable, or $N, by its name; NULL: err. */
const struct record_value *past_named(struct session *s, const char *name, struct err *err);

#endif
