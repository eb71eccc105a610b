/* SPDX-License-Identifier: BSD-3-Clause */
/* The hooks by which cdbg gets control, with one interface: hook_trace.c (eval-frame hook and C trace function,
   3.11) or hook_monitor.c (sys.monitoring, 3.12+).  Knows code records and frames; decides nothing: the sink does. */
#ifndef CDBG_HOOK_H
#define CDBG_HOOK_H
#include "py/frame/frame.h"
#include "py/hook/hook_region.h"

enum hook_want {
	HOOK_FLAGGED = 1 << 0, /* instructions whose flag byte is not 0 */
	HOOK_CALLS = 1 << 1,   /* frames that begin, end or unwind, and exceptions in them */
	HOOK_EVERY = 1 << 2,   /* every instruction */
	HOOK_STEP = 1 << 3,    /* every instruction and the end, while its thread is stepping */
	HOOK_HOLD = 1 << 4,    /* every instruction, before which its thread waits: see hook_hold() */
	HOOK_RECORD = 1 << 5,  /* every instruction and the end, for the recorder alone: see hook_record() */
};

/* A thread of the program, known to the hooks.  Records live until hook_stop(). */
struct hook_thread {
	struct hook_thread *next;
	struct py_thread *ts;
	uint64_t id;		      /* CPython's id of it, never reused */
	int number;		      /* 1, 2, ...: what a person types */
	int stepping;		      /* a step plan needs the frames armed with HOOK_STEP */
	int into;		      /* sink is asked about every new frame */
	int in_stop;		      /* depth of stops; nothing is reported meanwhile */
	int users;		      /* see hook_thread_hold() */
	bool broken;		      /* Ctrl-C ended what was evaluated there */
	unsigned long serial;	      /* of the newest frame event */
	struct hook_state *state;     /* the implementation's own */
	void *plan;		      /* the engine's step plan */
	struct record_thread *record; /* the recorder's own */
	bool due;		      /* sink->recorded() said so, and sink->instr() has not come yet */
	/* For the engine: the address of the exception reported last (never dereferenced), and the number of frames
	   that it passed. */
	struct {
		const void *exc;
		int depth;
		uintptr_t origin;
	} last;
};

enum hook_how { HOOK_RETURN, HOOK_YIELD, HOOK_UNWIND };

enum hook_process { HOOK_FORK, HOOK_EXEC };

/* The functions of the engine that the hooks call; set once. They are called with the GIL, in the program's thread,
   and must neither change the program's pending exception nor raise one. */
struct hook_sink {
	/* Before the instruction: it is flagged, or its frame or code is on HOOK_EVERY (HOOK_STEP when stepping).
	   True: if the frame is on HOOK_STEP alone, none of it is needed before its next line or its end; it may come
	   nevertheless. */
	bool (*instr)(struct hook_thread *t, struct py_frame *f, struct code *c, int index);
	/* Before an instruction that record_await() was given.  True: instr() comes, whatever its code is armed for. */
	bool (*recorded)(struct hook_thread *t, struct code *c, int unit);
	/* A watched frame ends: value is what it returns or yields, NULL if it unwinds. f is still readable. */
	void (*leave)(struct hook_thread *t, struct py_frame *f, struct code *c, enum hook_how how,
		      struct py_obj *value);
	/* An exception was raised in it or passes through it.  All borrowed; tb may be NULL. */
	void (*raise)(struct hook_thread *t, struct py_frame *f, struct code *c, struct py_obj *type,
		      struct py_obj *value, struct py_obj *tb);
	/* t->into is set and a frame of this code begins: enum hook_want for this activation, 0 to let it run. */
	unsigned (*enter)(struct hook_thread *t, struct code *c);
	/* Ctrl-C (or hook_interrupt): called in the main thread; f is the frame that runs. */
	void (*interrupt)(struct hook_thread *t, struct py_frame *f);
	/* hook_visit(): called in the main thread, between two instructions, outside of stops. */
	void (*visit)(struct hook_thread *t);
	/* A code object is about to be run by exec() (module bodies come this way). */
	void (*exec)(struct py_code *co);
	/* The program gives a function another code object. */
	void (*recode)(struct py_code *old, struct py_code *now);
	/* A signal that hook_signals_watch() asked for: called in the main thread, before the program's handler or the
	   default action; f is the frame that runs.  False: neither comes. */
	bool (*signal)(struct hook_thread *t, struct py_frame *f, int sig);
	/* The program is about to fork, or to execute another program: how is the name of the call. */
	void (*process)(enum hook_process what, const char *how, const char *program);
	/* The thread has ended and had a plan: clears t->plan. */
	void (*ended)(struct hook_thread *t);
};

int hook_start(const struct hook_sink *sink, struct err *err);
/* Removes all hooks and restores every thread's state as the program set it; the program continues. Safe to call in
   a stop. */
void hook_stop(void);

/* Checks that hooks can be armed now. -1: other tools use all that is needed: err names them, and the remedy. What
   is armed nevertheless waits, and is tried again at each stop. */
int hook_able(struct err *err);
void hook_describe(struct buf *out); /* how cdbg gets control, for `info cdbg` */
/* The name of the i-th other tool that watches the program, where known; empty: none at i. False past the last. */
bool hook_tool(int i, struct buf *out);

struct hook_thread *hook_thread_self(void);
struct hook_thread *hook_thread_first(void); /* the live threads: removes the records of ended ones */
struct hook_thread *hook_thread_main(void);  /* NULL: not known */
void hook_thread_leave(void); /* the state of this thread, cdbg's own, goes now, and with it its record and number */
bool hook_thread_alive(const struct hook_thread *t);
/* Has only C code run, and only this thread, since its `serial` was that?  False where it is not known. */
bool hook_only_c(const struct hook_thread *t, unsigned long serial);
/* Keep the record of a thread that may end meanwhile: after that only hook_thread_alive() may be called for it. */
struct hook_thread *hook_thread_hold(struct hook_thread *t); /* NULL stays NULL; returns t */
void hook_thread_drop(struct hook_thread *t);

/* Arm a code object: replaces what it was armed for, 0 disarms.  Also applies to frames that already run. */
void hook_code(struct code *c, unsigned want);
/* Arm one activation, running or suspended, in any thread.  It disarms itself when it ends. */
int hook_frame(struct py_frame *f, unsigned want, struct err *err);
void hook_frame_drop(struct py_frame *f);
void hook_unstep(struct hook_thread *t); /* disarm all its frames that have HOOK_STEP */
/* py_frame_jump(), refused if another tool would get wrong lines. */
int hook_jump(struct py_frame *f, int unit, struct err *err);
/* Flag bytes of c changed (CODE_BREAK, CODE_TEMP): the implementation may have to tell CPython. */
void hook_flags_changed(struct code *c);

/*
 * Where the hooks are needed.  outside: code outside compiled regions is armed, or stepped.  regions: code inside them
 * is.  graphs: and that of the graphs that they call.  None: no hook is installed.
 */
void hook_place(bool outside, bool regions, bool graphs);
/* While a thread steps, the hooks are installed as if both were set, whatever hook_place() was given. */
void hook_step(bool on);
/* Call sink->enter for every new frame of every thread, including threads that start later. */
void hook_into_all(bool on);
bool hook_into_wanted(void);
/* hook_region() must be called; without it, frames are seen whatever evaluates them. */
bool hook_needs_regions(void);
void hook_region(enum hook_region what); /* hot */
/* True if the hooks see new frames of this thread without hook_region() (for `info dynamo` and tests). */
bool hook_installed(void);

/*
 * Begin and end of a stop: the hooks ignore what runs between them, it may recurse below the limit, and the
 * program's pending exception, tracers and counters are saved and restored. Nests.
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
/* In a stop, at most one at a time: the other threads wait, each before its next instruction, until hook_release().
   Those without a Python frame run on, and so does one that begins meanwhile.  The GIL is kept from the call to the
   return.  They run again by themselves if an interrupt waits, or if this thread waits for long, perhaps for what one
   of them has.  Returns how many there are.  -1: err says why they cannot be held. */
int hook_hold(struct err *err);
bool hook_release(void); /* false: they ran again before */
/* Does the thread with this identity, as threading knows it, wait for this stop to end? */
bool hook_waits(unsigned long ident);
void hook_yield(void); /* after a stop: let another thread stop, if one waits */
/* Other threads run only while this one waits for something (set scheduler-locking); NULL: all run again. */
void hook_lock_scheduler(struct hook_thread *t);

/* While our own Python code runs outside a stop: installs CPython's own evaluator, so that a tool that installed
   another one (Dynamo) does not see our frames. It affects all threads, so use it briefly. Pass the result to the
   second function. */
void *hook_evaluator_off(void);
void hook_evaluator_on(void *saved);

/* SIGINT: cdbg's handler is installed below the program's own, which signal.getsignal() still shows.  Python
   handlers of the program's other signals wait while its main thread is in a stop; one that is set there runs there. */
int hook_signals_start(struct err *err);
void hook_signals_stop(void);
/* In the child of a fork that cdbg continues to debug: its only thread is the main one, and no other thread is in a
   stop. */
void hook_forked(void);
/* The same in the child of a fork that a stop made, and that continues in that stop. */
void hook_woken(void);
/* Which signals go to sink->signal, by number up to SIGNALS; all others go to the program only.  SIGINT among them:
   also one that the program sends itself. */
void hook_signals_watch(const bool *want);
bool hook_signal_default(int sig); /* of those: true if the program has no handler of its own for it */
/* Make the main thread call sink->interrupt as soon as possible.  Any thread, no GIL needed. */
void hook_interrupt(void);
/* The same for a Ctrl-C that was typed where cdbg has the terminal: what `handle` says of SIGINT decides, as for the
   signal that a terminal sends. */
void hook_interrupt_typed(void);
/*
 * Make the main thread call sink->visit as soon as possible: at once where it runs Python or waits in a system call,
 * after the next return to Python where it runs C code.  It is no interrupt: it ends no command and stops nothing.
 * Any thread, no GIL needed.  Many calls before the visit are one.
 */
void hook_visit(void);
void hook_visit_drop(void); /* the visit that waits is not needed any more */
/* In a stop, in any thread, with the GIL: true if a Ctrl-C came that was not handled yet; the caller handles it. */
bool hook_interrupt_taken(void);
/* Any thread, no GIL needed: does an interrupt wait that nobody has handled yet? */
bool hook_interrupt_waits(void);
/* In the middle of a command that runs long in C, in any thread, with the GIL: did a Ctrl-C arrive that is to end it?
   Then it is handled.  Outside of a stop a Ctrl-C is not for us: false. */
bool hook_interrupt_ends(void);
/* After the evaluation of a condition: clears the flag; if a Ctrl-C for the program ended it, requests it again. */
bool hook_interrupt_again(struct hook_thread *t);

#endif
