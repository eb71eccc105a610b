/* SPDX-License-Identifier: BSD-3-Clause */
/* CPython 3.12 and later: the armed code objects and activations, the events of sys.monitoring that they need, and
   jumps of frames.  For hook_monitor.c, live_monitor.c and jump_monitor.c only. */
#ifndef CDBG_LIVE_MONITOR_H
#define CDBG_LIVE_MONITOR_H
#include "py/hook/hook_impl.h"
#include "py/hook/tools_monitor.h"
#include "py/version/monitor.h"

#define LIVE_INSTRUCTIONS (HOOK_FLAGGED | HOOK_EVERY | HOOK_STEP | HOOK_HOLD | HOOK_RECORD)

/* An activation armed by itself, running or suspended. */
struct live {
	struct live *next;	/* of the same code */
	struct py_frame *frame; /* owned */
	uintptr_t address;
	struct hook_thread *t; /* that armed it */
	unsigned want;
};

/* The events requested for a code object; freed with its record. */
struct mon {
	struct code *c;
	struct mon *next, **link; /* those with events */
	int events;		  /* as CPython has them */
	bool primed;
	bool disabled; /* some instructions were answered with DISABLE since they were set */
	bool forged;   /* its lines are those of a jump */
	struct live *live;
};

enum landing { LAND_NONE, LAND_RAISED, LAND_DROPPED };

/* A jump that has yet to be reported to the interpreter. */
struct hook_state {
	enum landing landing;
	struct code *c; /* its frame runs, so it is alive */
	uintptr_t address;
	int unit, depth;
	void *handlers; /* the code's own exception table; owned */
	void *top;	/* value saved when the stack has no room; owned */
	bool full;
};

int live_start(struct err *err);
void live_state_free(struct hook_thread *t);
struct mon *live_mon(struct code *c); /* made when there is none */
struct live *live_find(struct mon *m, uintptr_t address);
struct live *live_add(struct mon *m, struct py_frame *f, struct hook_thread *t, unsigned want);
void live_drop(struct mon *m, struct live *l);
/* Every instruction of this code needs its event: no DISABLE. */
bool live_full(const struct mon *m);
/* Request from CPython the events that are needed and not requested yet.  Events that are no longer needed stay until
   live_settle(). */
void live_update(struct mon *m);
void live_update_global(void);
/* Requests events of every instruction until live_landed(), and uses the lines of this table if it is not NULL. */
void live_land(struct mon *m, void *table);
void live_landed(struct mon *m);
/* Withdraw events that are not needed, and the tool ids when nothing is left; stepping: only add. */
void live_settle(bool stepping);
void live_code_changed(unsigned before, unsigned now); /* a code object's `armed` */
void live_unstep(struct hook_thread *t);
void live_stop(void);
bool live_installed(void);

/* ---- jump_monitor.c ------------------------------------------------------------------------------- */

/* The frame was moved while it was stopped at an instruction event: raises the exception that makes the interpreter
   jump. */
void jump_monitor_leave(struct hook_thread *t, struct py_frame *f, struct code *c);
void jump_monitor_line(struct hook_thread *t); /* a LINE event while a jump lands */
/* An instruction event: true when it only ends a jump. */
bool jump_monitor_instr(struct hook_thread *t);

#endif
