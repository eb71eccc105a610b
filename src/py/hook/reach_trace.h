/* SPDX-License-Identifier: BSD-3-Clause */
/* CPython 3.11: which flagged instructions an activation can still reach, and the events that it needs for them.
   For the files of the trace function, as live_trace.h is. */
#ifndef CDBG_REACH_TRACE_H
#define CDBG_REACH_TRACE_H
#include "py/hook/live_trace.h"

enum { REACH_ASKS = 4 };

/* The code units of a code object from which a flagged instruction can be reached; its record's `hook`. */
struct reach {
	bool known;	  /* since the flags changed last */
	int resting;	  /* activations that are not awake because of it */
	uint64_t version; /* the globals' in which the name `first` is a Python function; 0: none is known */
	int first;	  /* the index in co_names of what ask[0] asks about, if a frame begins with it; or -1 */
	int asks;
	struct reach_ask {
		int at, call; /* code units: an event here asks whether to wait for the return of this call */
		int depth;    /* of the value stack there, with what is called on top */
	} ask[REACH_ASKS];
	uint8_t ahead[]; /* enum reach_ahead */
};

enum reach_ahead {
	REACH_NONE,  /* no flagged instruction can be reached */
	REACH_LINE,  /* one can, but CPython reports a new line before */
	REACH_ASK,   /* one can; perhaps the return of a call comes before */
	REACH_LATER, /* one can, but it is not this one */
	REACH_HERE,  /* this one is flagged */
};

/* With the record of its code. */
void reach_free(struct code *c);
/* Computed when it is asked for first, and again after the flags have changed. */
struct reach *reach_known(struct code *c);
/* The activation, in its own trace callback: reduces its events to those that it needs after the instruction where it
   is.  At a line event: asks for those that it needs from this line on. */
void reach_reduce(struct hook_state *st, struct act *a);
void reach_at_line(struct hook_state *st, struct act *a);
/* The activation is about to begin: true if it runs without events until a call that it makes has returned. */
bool reach_start(struct hook_state *st, struct act *a);
/* A function that the current frame called has returned: if its activation waits for that, it has the events again that
   it needs from here on.  False: nothing has changed. */
bool reach_returned(struct hook_state *st);
/* It waits neither for lines nor for a call any more: a record of its own has what is armed. */
void reach_wake(struct hook_state *st, struct act *a);
/* The program watches frames: no activation waits for lines. */
void reach_no_lines(struct hook_state *st);
/* The activation has ended. */
void reach_ended(struct hook_state *st, struct act *a);
/* The flags of c have changed, or what it is armed for: activations of it that rest get events again. */
void reach_changed(struct code *c);

/* Finds where to ask, once `ahead` tells what is flagged and what leads there. */
void await_trace_find(const struct code *c, struct reach *r);
/* Asks: true if the activation, in its callback, may wait for its call to return. */
bool await_trace_begin(struct hook_state *st, struct act *a, const struct reach *r);
/* The same before the activation begins, from its globals. */
bool await_trace_start(struct hook_state *st, struct act *a, struct reach *r);
/* The activation that waits with no frame object noted, if this is its object; else NULL.  Notes it. */
struct act *await_trace_of(struct hook_state *st, PyFrameObject *fo);
/* A frame has ended: was it that call?  sees: hook_sees_calls() now; if it does not, waiting ends, too. */
bool await_trace_returned(const struct hook_state *st, bool sees);
/* Is the function on the value stack that the activation was expected to load?  A signal handler may run before. */
static inline bool await_expected(const struct act *a)
{
	int unit = _PyInterpreterFrame_LASTI(a->f), nlocals = a->f->f_code->co_nlocalsplus;

	return unit >= a->loaded && unit < a->call && PyFunction_Check(a->f->localsplus[nlocals + a->depth - 1]);
}
/* True in a compiled region whose evaluator calls the hook for each Python function.  It stays so while this thread
   is in there, whatever other threads do; the thread itself may leave it in functions that it calls. */
bool hook_sees_calls(void);

#endif
