/* SPDX-License-Identifier: BSD-3-Clause */
/* How cdbg gets control, with one interface: hook_trace.c (eval-frame hook and C trace function, 3.11) or
   hook_monitor.c (sys.monitoring, 3.12+).  Knows code records and frames; decides nothing: the sink does. */
#ifndef CDBG_HOOK_H
#define CDBG_HOOK_H
#include "py/frame/frame.h"

enum hook_want {
	HOOK_FLAGGED = 1 << 0, /* instructions whose flag byte is not 0 */
	HOOK_CALLS = 1 << 1,   /* frames that begin, end or unwind, and exceptions in them */
	HOOK_EVERY = 1 << 2,   /* every instruction */
	HOOK_STEP = 1 << 3,    /* every instruction and the end, while its thread is stepping */
};

/* A thread of the program, known to the hooks.  Records live until hook_stop(). */
struct hook_thread {
	struct hook_thread *next;
	struct py_thread *ts;
	uint64_t id;		  /* CPython's id of it, never reused */
	int number;		  /* 1, 2, ...: what a person types */
	int stepping;		  /* a step plan needs the frames armed with HOOK_STEP */
	int into;		  /* sink is asked about every new frame */
	int in_stop;		  /* depth of stops; nothing is reported meanwhile */
	int users;		  /* see hook_thread_hold() */
	bool broken;		  /* Ctrl-C ended what was evaluated there */
	unsigned long serial;	  /* of the newest frame event */
	struct hook_state *state; /* the implementation's own */
	void *plan;		  /* the engine's step plan */
	/* The engine's: address of the exception last reported (never followed), how many frames deep it was seen. */
	const void *last_exc;
	int last_depth;
	uintptr_t last_origin;
};

enum hook_how { HOOK_RETURN, HOOK_YIELD, HOOK_UNWIND };

enum hook_process { HOOK_FORK, HOOK_EXEC };

/* The way up: set once by the engine.  Called with the GIL, in the program's thread, the program's pending
   exception untouched.  Nothing of it may raise. */
struct hook_sink {
	/* Before the instruction: it is flagged, or its frame or code is on HOOK_EVERY (HOOK_STEP when stepping). */
	void (*instr)(struct hook_thread *t, struct py_frame *f, struct code *c, int index);
	/* A watched frame began (or continues, as generators do). */
	void (*call)(struct hook_thread *t, struct py_frame *f, struct code *c);
	/* ... ends: value is what it returns or yields, NULL when it unwinds.  f is still readable. */
	void (*leave)(struct hook_thread *t, struct py_frame *f, struct code *c, enum hook_how how,
		      struct py_obj *value);
	/* An exception was raised in it or passes through it.  All borrowed; tb may be NULL. */
	void (*raise)(struct hook_thread *t, struct py_frame *f, struct code *c, struct py_obj *type,
		      struct py_obj *value, struct py_obj *tb);
	/* t->into is set and a frame of this code begins: enum hook_want for this activation, 0 to let it run. */
	unsigned (*enter)(struct hook_thread *t, struct code *c);
	/* Ctrl-C (or hook_interrupt): called in the main thread; f is the frame that runs. */
	void (*interrupt)(struct hook_thread *t, struct py_frame *f);
	/* A code object is about to be run by exec() (module bodies come this way). */
	void (*exec)(struct py_code *co);
	/* The program gives a function another code object. */
	void (*recode)(struct py_code *old, struct py_code *now);
	/* A signal that hook_signals_watch() asked for: called in the main thread, before the program's handler or the
	   default action; f is the frame that runs.  False: neither comes. */
	bool (*signal)(struct hook_thread *t, struct py_frame *f, int sig);
	/* The program is about to fork, or to execute another one: how is the name of the call. */
	void (*process)(enum hook_process what, const char *how, const char *program);
	/* The thread has ended and had a plan: clears t->plan. */
	void (*ended)(struct hook_thread *t);
};

int hook_start(const struct hook_sink *sink, struct err *err);
/* All hooks out, every thread's state as the program has it; the program runs on.  Safe to call in a stop. */
void hook_stop(void);

/* Can anything be armed now?  -1 where other tools have all that it takes: err names them, and the remedy.  What is
   armed all the same waits, and is tried again at each stop. */
int hook_able(struct err *err);
/* For `info cdbg`: how control is had, in words. */
void hook_describe(struct buf *out);
/* Name of the i-th tool that watches the program beside cdbg, as far as CPython tells; empty: there is none at i.
   False past the last. */
bool hook_tool(int i, struct buf *out);

struct hook_thread *hook_thread_self(void);
struct hook_thread *hook_thread_first(void); /* those that live: ended ones are dropped here */
bool hook_thread_alive(const struct hook_thread *t);
/* Keep the record of a thread that may end meanwhile: what alone may still be asked then is hook_thread_alive(). */
struct hook_thread *hook_thread_hold(struct hook_thread *t); /* NULL stays NULL; returns t */
void hook_thread_drop(struct hook_thread *t);

/* Arm a code object: replaces what it was armed for, 0 disarms.  Also takes hold in frames that already run. */
void hook_code(struct code *c, unsigned want);
/* Arm one activation, running or suspended, in whatever thread.  It disarms itself when it ends. */
int hook_frame(struct py_frame *f, unsigned want, struct err *err);
void hook_frame_drop(struct py_frame *f);
/* No frame of this thread is on HOOK_STEP any more. */
void hook_unstep(struct hook_thread *t);
/* py_frame_jump(), refused if another tool would get wrong lines. */
int hook_jump(struct py_frame *f, int unit, struct err *err);
/* Flag bytes of c changed (CODE_BREAK, CODE_TEMP): the implementation may have to tell CPython. */
void hook_flags_changed(struct code *c);

/*
 * Where the hooks are needed.  outside: code outside compiled regions is armed, or stepped.  regions: code inside them
 * is.  Neither: nothing is installed at all.
 */
void hook_place(bool outside, bool regions);
/* While a thread steps, the hooks are installed as if both were set, whatever hook_place() was given. */
void hook_step(bool on);
/* Ask sink->enter about every new frame of every thread, also of those to come. */
void hook_into_all(bool on);
bool hook_into_wanted(void);
/* hook_region() must be called; without it, frames are seen whatever evaluates them. */
bool hook_needs_regions(void);
/* A plugin's own evaluator is about to go in / just went out of this thread (Dynamo's set_eval_frame).  Hot. */
void hook_region(bool entering);
/* True when a new frame of this thread is seen by the hooks without help (for `info dynamo` and tests). */
bool hook_installed(void);

/*
 * The bracket of a stop: whatever runs between is unseen by the hooks, has head-room in the recursion limit, and
 * leaves the program's pending exception, tracers and counters as they were.  Nests.
 */
struct hook_saved {
	void *exc[3];
	long number[6];
	void *ptr[4];
};
void hook_stop_enter(struct hook_thread *t, struct hook_saved *s);
void hook_stop_leave(struct hook_thread *t, struct hook_saved *s);
/* One stop at a time: waits, with the GIL released, until no other thread is in one. */
void hook_lock(void);
void hook_unlock(void);
/* After a stop: let another thread have its turn, if there is one that waits. */
void hook_yield(void);
/* Other threads run only while this one waits for something (set scheduler-locking); NULL: all run again. */
void hook_lock_scheduler(struct hook_thread *t);

/* While Python code of our own runs outside a stop: CPython's own evaluator, so that no tool that has put in another
   (Dynamo) looks at our frames.  Holds for all threads, so for moments only.  Give back what was returned. */
void *hook_evaluator_off(void);
void hook_evaluator_on(void *saved);

/* SIGINT: cdbg's handler goes below the program's own, which signal.getsignal() still shows.  Python handlers of the
   program's other signals wait while its main thread is in a stop; one that is set there runs there. */
int hook_signals_start(struct err *err);
void hook_signals_stop(void);
/* In a fork's child that is debugged on: its only thread is the main one, and nobody else holds the stop. */
void hook_forked(void);
/* Which signals go to sink->signal, by number up to SIGNALS; all others are the program's alone.  SIGINT among them:
   also one that the program sends itself. */
void hook_signals_watch(const bool *want);
bool hook_signal_default(int sig); /* of those: has the program no handler of its own for it? */
/* Have the main thread call sink->interrupt as soon as it can.  Any thread, no GIL needed. */
void hook_interrupt(void);
/* At a prompt: did a Ctrl-C arrive that was not handled yet?  Then it is handled now, by the prompt. */
bool hook_interrupt_taken(void);
/* In the middle of a command that runs long in C, in any thread, with the GIL: did a Ctrl-C arrive that is to end it?
   Then it is handled.  Outside of a stop a Ctrl-C is not for us: false. */
bool hook_interrupt_ends(void);
/* After the bracket of a condition: did Ctrl-C, meant for the program, end it? Then it is requested again; the flag is
   cleared before. */
bool hook_interrupt_again(struct hook_thread *t);

#endif
