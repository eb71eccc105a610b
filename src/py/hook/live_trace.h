/* SPDX-License-Identifier: BSD-3-Clause */
/* CPython 3.11: the lists of armed activations and what they make of a thread's tracing state.  For hook_trace.c and
   live_trace.c only, which define Py_BUILD_CORE before this. */
#ifndef CDBG_LIVE_TRACE_H
#define CDBG_LIVE_TRACE_H
#include "py/hook/hook_impl.h"

typedef struct _PyInterpreterFrame Frame;

#define LIVE_INSTRUCTIONS (HOOK_FLAGGED | HOOK_EVERY | HOOK_STEP)
#define LIVE_ON 255 /* cframe.use_tracing as the eval loop ors it into the opcode */

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

/* An activation armed by itself, running or suspended; holds its frame object. */
struct live {
	struct live *next;
	PyFrameObject *fo; /* owned */
	Frame *f;
	unsigned own, by_code; /* requested for this activation; because its code object is armed */
	bool suspended;	       /* a generator between two resumptions */
	struct trace_flag opcodes;
};

/*
 * An activation that the eval-frame hook armed, for as long as the hook runs it.  It is found by its frame, and is on
 * the heap: greenlets switch C stacks, so the hook's calls end in any order and their stack frames move.
 */
struct act {
	struct act *next; /* in its bucket */
	Frame *f;
	PyFrameObject *fo; /* borrowed; NULL before its CALL event and after its RETURN event */
	_PyCFrame *outer;  /* its own cframe is the one whose previous this is */
	unsigned want;	   /* asked for by sink->enter */
	struct code *code; /* or this is armed */
	bool begun;	   /* its CALL event came */
	bool covered;	   /* by its own record, which has what is armed from now on */
	bool resting;	   /* no flagged instruction can be reached any more: it gets no events */
	struct trace_flag opcodes;
};

/* From which code units of a code object a flagged instruction can be reached; its record's `hook`. */
struct reach {
	bool known;	 /* since the flags changed last */
	int resting;	 /* activations that run without events because of it */
	uint8_t ahead[]; /* enum reach_ahead */
};

enum reach_ahead {
	REACH_NONE,  /* no flagged instruction can be reached */
	REACH_LATER, /* one can, but it is not this one */
	REACH_HERE,  /* this one is flagged */
};

static inline unsigned live_want(const struct live *l)
{
	return l ? l->own | l->by_code : 0;
}

/* Does it still need events?  Its code may have been disarmed since it began. */
static inline bool act_on(const struct act *a)
{
	return a && (!a->begun || (!a->covered && !a->resting && a->code && a->code->hook.armed));
}

/* Does it need the events of instructions? */
static inline bool act_instructions(const struct act *a)
{
	return a->begun && act_on(a) && (a->code->hook.armed & LIVE_INSTRUCTIONS);
}

enum { ACT_BUCKETS = 64 };

/* The innermost frame that the eval-frame hook evaluates in this thread.  Compared only: greenlets switch stacks. */
struct level {
	Frame *f;
	unsigned long since; /* the number of times that the hook had been removed when it began */
};

struct hook_state {
	struct hook_thread *t;
	struct level level;
	PyThreadState *ts;
	const char *stack_low; /* the hook adds no C frame below this address */
	Py_tracefunc user;     /* what the program has as c_tracefunc */
	struct live *live;
	int running; /* of live, those not suspended */
	struct act *act[ACT_BUCKETS], *spare;
	int acts;
	unsigned long serial; /* changes with the list */
	/* The frame whose instructions came last, as long as no frame began or ended and serial is the same. */
	PyFrameObject *hot; /* compared only */
	struct code *hot_code;
	unsigned hot_want; /* of its record, without its code's */
	unsigned long hot_serial;
	struct reach *hot_reach; /* its code's; NULL: more than flagged instructions is needed */
};

/* hook_thread_self() without a call where it was asked before. */
static inline struct hook_thread *live_thread(PyThreadState *ts)
{
	struct hook_thread *t = hook_thread_last;

	return t && t->ts == (struct py_thread *)ts && t->id == ts->id ? t : hook_thread_self();
}

static inline struct act **act_bucket(struct hook_state *st, const Frame *f)
{
	return &st->act[((uintptr_t)f >> 4 ^ (uintptr_t)f >> 12) % ACT_BUCKETS];
}

/* Of the frame that this cframe was made for; NULL: the hook did not arm it. */
static inline struct act *act_find(struct hook_state *st, Frame *f, const _PyCFrame *cf)
{
	struct act *a;

	for (a = *act_bucket(st, f); a && (a->f != f || a->outer != cf->previous); a = a->next)
		;
	return a;
}

struct act *act_new(struct hook_state *st, Frame *f);
void act_end(struct hook_state *st, struct act *a);
/* Of the frame that a cframe was made for, which may have called others inside it. */
struct act *act_of_cframe(struct hook_state *st, const _PyCFrame *cf);

/* Computed when it is asked for first, and again after the flags have changed. */
struct reach *reach_known(struct code *c);
/* The activation, in its own trace callback, gets no more events / has ended after that. */
void reach_rest(struct hook_state *st, struct act *a);
void reach_rested(struct code *c);
/* The flags of c have changed, or what it is armed for: activations of it that rest get events again. */
void reach_changed(struct code *c);

struct hook_state *live_state_new(struct hook_thread *t);
void live_state_free(struct hook_thread *t);

int live_tracefn(PyObject *self, PyFrameObject *fo, int what, PyObject *arg);

/* Writes the thread's state and all its cframes according to the lists. Any thread, GIL held. */
void live_apply(struct hook_state *st);
void live_take(struct hook_state *st); /* c_tracefunc := ours */
void live_give(struct hook_state *st); /* c_tracefunc := the user's */
int live_user_on(const struct hook_state *st);

struct live *live_find(struct hook_state *st, PyFrameObject *fo);
/* The frame is at its CALL event in this thread; no apply needed. */
struct live *live_add(struct hook_state *st, PyFrameObject *fo, unsigned own, unsigned by_code);
void live_drop(struct hook_state *st, struct live *l); /* no apply */
void live_suspend(struct hook_state *st, struct live *l);
void live_resume(struct hook_state *st, struct live *l);
bool live_suspended(Frame *f); /* an armed generator that is about to resume */
bool live_any_suspended(void);
void live_move(struct hook_state *st, Frame *f); /* ... in another thread than it was armed in */
/* f is about to begin, called by caller: see args_trace.c. */
void live_args_release(Frame *caller, Frame *f, bool sure);
/* Set it, or give it back.  Nothing happens while it is lent. */
void trace_flag_need(PyFrameObject *fo, struct trace_flag *flag, bool need);
/* Around a call of the program's tracer for this frame. */
void live_lend(struct hook_state *st, PyFrameObject *fo);
void live_unlend(struct hook_state *st, PyFrameObject *fo);
/* The activation that the hook armed for this frame; NULL: none. */
struct act *act_for(struct hook_state *st, PyFrameObject *fo);

int live_arm_frame(PyFrameObject *fo, unsigned want, struct err *err);
void live_disarm_frame(PyFrameObject *fo);
void live_arm_code(struct code *c, unsigned want); /* its frames that run already, in every thread */
void live_disarm_code(struct code *c);
void live_disarm_all(void);
void live_unstep(struct hook_state *st);

#endif
