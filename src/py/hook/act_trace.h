/* SPDX-License-Identifier: BSD-3-Clause */
/* CPython 3.11: an activation that the eval-frame hook armed.  For the files of the trace function, as live_trace.h
   is. */
#ifndef CDBG_ACT_TRACE_H
#define CDBG_ACT_TRACE_H
#include "py/hook/hook_impl.h"

typedef struct _PyInterpreterFrame Frame;

#define LIVE_INSTRUCTIONS (HOOK_FLAGGED | HOOK_EVERY | HOOK_STEP | HOOK_HOLD | HOOK_RECORD)

/*
 * f_trace_opcodes of a frame, which is the program's too.  The program's value is noted in one record: the activation's
 * own if it has one, else the eval-frame hook's.  A tracer of the program finds the program's value, and what it sets
 * is noted.
 */
struct trace_flag {
	bool ours; /* it is set because instructions are needed; `program` is the program's value */
	bool lent; /* a tracer of the program runs for this frame: the flag is not to be touched */
	char program;
};

/* What an activation that is armed for flagged instructions alone can do without. */
enum act_rest {
	ACT_AWAKE,
	ACT_TO_LINE, /* the next flagged instruction comes after a line event: no events of instructions until then */
	ACT_TO_CALL, /* ... after a call has returned, which the hook sees: no events until then */
	ACT_RESTS,   /* no flagged instruction can be reached any more: no events */
};

/*
 * An activation that the eval-frame hook armed, for as long as the hook runs it.  It is found by its frame, and is on
 * the heap: greenlets switch C stacks, so the hook's calls end in any order and their stack frames move.
 */
struct act {
	struct act *next; /* in its bucket */
	Frame *f;
	PyFrameObject *fo; /* borrowed; NULL before its first event and after its RETURN event */
	_PyCFrame *outer;  /* its own cframe is the one whose previous this is */
	struct code *code; /* or this is armed */
	unsigned want;	   /* asked for by sink->enter */
	int call;	   /* ACT_TO_CALL: the code unit of the call */
	int loaded; /* ... since the activation began, if not 0: from here on the called object is on the value stack */
	int depth;  /* ... as the topmost of so many */
	uint8_t rest; /* enum act_rest */
	bool begun;   /* its CALL event came, or is not needed */
	bool covered; /* by its own record, which has what is armed from now on */
	struct trace_flag opcodes;
};

/* Does it still need events?  Its code may have been disarmed since it began. */
static inline bool act_on(const struct act *a)
{
	return a && (!a->begun || (!a->covered && a->rest <= ACT_TO_LINE && a->code && a->code->hook.armed));
}

/* Does it need the events of instructions? */
static inline bool act_instructions(const struct act *a)
{
	return a->begun && act_on(a) && a->rest == ACT_AWAKE && (a->code->hook.armed & LIVE_INSTRUCTIONS);
}

#endif
