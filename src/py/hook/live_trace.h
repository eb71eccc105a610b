/* SPDX-License-Identifier: BSD-3-Clause */
/* CPython 3.11: the lists of armed activations and what they make of a thread's tracing state.  For hook_trace.c and
   live_trace.c only, which define Py_BUILD_CORE before this. */
#ifndef CDBG_LIVE_TRACE_H
#define CDBG_LIVE_TRACE_H
#include "py/hook/act_trace.h"

#define LIVE_ON 255 /* cframe.use_tracing as the eval loop ors it into the opcode */

/* An activation armed by itself, running or suspended; holds its frame object. */
struct live {
	struct live *next;
	PyFrameObject *fo; /* owned */
	Frame *f;
	unsigned own, by_code; /* requested for this activation; because its code object is armed */
	bool suspended;	       /* a generator between two resumptions */
	bool rests;	       /* no events of instructions until the next line */
	struct trace_flag opcodes;
};

static inline unsigned live_want(const struct live *l)
{
	return l ? l->own | l->by_code : 0;
}

enum { ACT_BUCKETS = 64 };

/* The innermost frame that the eval-frame hook evaluates in this thread.  Compared only: greenlets switch stacks. */
struct level {
	Frame *f;
	unsigned long since; /* the number of times that the hook had been removed when it began */
};

/* What each frame asks for comes first. */
struct hook_state {
	struct hook_thread *t;
	PyThreadState *ts;
	unsigned long serial; /* changes with the list `live` */
	struct act *awaits;   /* the one that is ACT_TO_CALL */
	struct act *lined;    /* the one that became ACT_TO_LINE last, if it still is */
	Py_tracefunc user;    /* what the program has as c_tracefunc */
	int running;	      /* of live, those not suspended */
	int acts, to_line;    /* all of act; those of them that are ACT_TO_LINE */
	struct live *live, *spare_live;
	struct act *spare;
	/* The frame whose instructions came last, as long as no frame began or ended and serial is the same. */
	PyFrameObject *hot; /* compared only */
	struct code *hot_code;
	unsigned hot_want; /* of its record, without its code's */
	unsigned long hot_serial;
	struct reach *hot_reach; /* its code's; NULL: more than flagged instructions is needed */
	struct level level;
	/* The frame below all that Dynamo's evaluator sees, while it is on the stack.  Compared only. */
	struct {
		const Frame *f; /* NULL: none */
		const void *code;
	} outermost;
	const char *stack_low; /* the hook adds no C frame below this address */
	struct act *act[ACT_BUCKETS];
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

/* Of the frame that a cframe was made for, which may have called others inside it. */
static inline struct act *act_of_cframe(struct hook_state *st, const _PyCFrame *cf)
{
	Frame *f = cf->current_frame;

	if (!st->acts)
		return NULL;
	while (f && !f->is_entry)
		f = f->previous;
	return f ? act_find(st, f, cf) : NULL;
}

/* Of all threads; live_trace.c alone writes it.  While there is one, the hook must be installed. */
extern int live_suspended_total;

static inline bool live_any_suspended(void)
{
	return live_suspended_total > 0;
}

struct hook_state *live_state_new(struct hook_thread *t);
void live_state_free(struct hook_thread *t);

int live_tracefn(PyObject *self, PyFrameObject *fo, int what, PyObject *arg);

/* Writes the thread's state and all its cframes according to the lists. Any thread, GIL held. */
void live_apply(struct hook_state *st);
void live_take(struct hook_state *st); /* c_tracefunc := ours */
void live_give(struct hook_state *st); /* c_tracefunc := the user's */
int live_user_on(const struct hook_state *st);

/* A borrowed object of a complete frame of this thread; NULL with an exception: no memory.  Creating it may run the
   garbage collector, if that is enabled. */
PyFrameObject *live_frame_object(PyThreadState *ts, Frame *f);
struct live *live_find(struct hook_state *st, PyFrameObject *fo);
/* The frame is at its CALL event in this thread; no apply needed. */
struct live *live_add(struct hook_state *st, PyFrameObject *fo, unsigned own, unsigned by_code);
void live_drop(struct hook_state *st, struct live *l); /* no apply */
/* It is needed no more before its next line; at the event of that line. */
void live_rest(struct live *l);
void live_wake(struct live *l);
void live_suspend(struct hook_state *st, struct live *l);
void live_resume(struct hook_state *st, struct live *l, unsigned own); /* own: requested now, besides */
bool live_suspended(Frame *f);					       /* an armed generator that is about to resume */
void live_move(struct hook_state *st, Frame *f);		       /* ... in another thread than it was armed in */
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
