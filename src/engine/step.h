/* SPDX-License-Identifier: BSD-3-Clause */
/* Step plans: where a step, next, finish or until must stop, thread by thread.  Knows no command and no terminal. */
#ifndef CDBG_STEP_H
#define CDBG_STEP_H
#include "engine/loc.h"
#include "py/hook/hook.h"

struct session;
struct event;
struct event_kind;

enum step_unit { STEP_INSTR, STEP_LINE }; /* generated code: set step-mode */

/* Each makes the plan of the selected thread and sets s->resume; -1 with err. */
int step_by(struct session *s, enum step_unit unit, bool over, long count, struct err *err);
/* By lines, also into graphs, whatever step-into says, until a step begins outside of one. */
int step_graph(struct session *s, long count, struct err *err);
int step_finish(struct session *s, struct err *err); /* of the selected frame */
int step_until(struct session *s, struct places *to, bool this_frame, struct err *err);
int step_continue(struct session *s, struct err *err);

void step_to_start(struct session *s, struct hook_thread *t, struct py_code *co);
void step_to_next(struct session *s, struct hook_thread *t, struct py_frame *f, const struct event_kind *kind);

/* The hooks' questions, answered by the plans; asked by dispatch.c. */
/* Before an instruction, of a thread with a plan: the kind of stop when the plan ends here, else NULL. */
const struct event_kind *step_check(struct session *s, struct hook_thread *t, struct py_frame *f, struct code *c,
				    int index);
/* After that, at the same instruction: does the plan need none of this frame before its next line? */
bool step_to_line(struct session *s, const struct hook_thread *t, const struct py_frame *f, struct code *c, int index);
/* A frame is left: the plan may follow its caller. */
void step_leave(struct session *s, struct hook_thread *t, struct py_frame *f, struct code *c, enum hook_how how);
/* A frame of this code begins: enum hook_want of the plan. */
unsigned step_enter(struct session *s, struct hook_thread *t, struct code *c);
/* Does the plan wait for the program's first instruction?  Until then no other event matters. */
bool step_starting(const struct hook_thread *t);
/* A stop begins in this thread, or the thread has ended: discard its plan. */
void step_stopped(struct session *s, struct hook_thread *t);
bool step_any(const struct session *s); /* some thread has a plan */
void step_release(struct session *s);

#endif
