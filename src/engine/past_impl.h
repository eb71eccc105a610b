/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files past*.c share: the moment that is looked at, and moments of the record without their values.  For them
   only. */
#ifndef CDBG_PAST_IMPL_H
#define CDBG_PAST_IMPL_H
#include "engine/past.h"
#include "event/event.h"
#include "py/record/record_read.h"

/* What is known of an instruction without its values. */
struct past_moment {
	uint64_t serial;
	uint32_t code, unit;
	int level; /* frames that are recorded below it */
};

struct past_call {
	uint64_t serial;
	uint32_t code;
};

struct past {
	struct record_read read; /* at the moment; its frames are owned */
	uint64_t first, end;	 /* numbers that can be read: end is exclusive */
	uint64_t now, at;	 /* the number of the present's instruction, and of this one */
	uint64_t end_ticks;
	struct past_moment *moment; /* those of a chunk, from number `from` on; owned */
	size_t n, cap;
	uint64_t from;
	uint64_t lack, lack_end; /* numbers that cannot be read, as load() found */
	struct past_call *call;	 /* that began in the record, by serial; owned */
	size_t ncalls, calls_cap;
	struct past_frame *frame; /* innermost first; owned */
	size_t frames_cap;
	struct event event;
	struct val *detail; /* owned: the event's; or NULL */
	bool cut;	    /* a move came to the beginning of the record, and would have gone further */
	const char *remark; /* about where it ended up; or NULL */
};

/* The session's, or one that past_set() takes; past_free() where it is not used.  NULL: err. */
struct past *past_open(struct session *s, struct err *err);
void past_free(struct past *p);
/* The moment of this number; false: the record does not have it. */
bool past_moment(struct past *p, uint64_t number, struct past_moment *out);
/* Goes there; takes p, which is the session's from then on.  -1: err. */
int past_set(struct session *s, struct past *p, uint64_t number, struct err *err);

/* Is there a checkpoint before the record? */
bool past_beyond_possible(const struct session *s, const struct past *p);
/* Goes to it after the command that calls this, and on to the instruction of that number; p, which is taken, does not
   have the one before it.  then: lines to run there, or NULL.  -1: err, there is no such checkpoint, and the moment
   stays. */
int past_beyond_go(struct session *s, struct past *p, uint64_t goal, const char *then, struct err *err);
/* Says why not, and what would help; p is taken.  Returns -1. */
int past_beyond_refuse(struct session *s, struct past *p, struct err *err);

/* The last breakpoint, watchpoint or catchpoint that is set now and that was hit before instruction *at, or the first
   after it, and where, and the event's detail, which the caller owns; NULL: none. */
struct bp *past_hits_find(struct session *s, struct past *p, bool back, uint64_t *at, struct val **detail);
void past_hits_unanswered(struct session *s, struct buf *out); /* those that are set and that no record can tell of */

#endif
