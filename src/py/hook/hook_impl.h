/* SPDX-License-Identifier: BSD-3-Clause */
/* What thread.c, signals.c and the hook of this CPython version share.  For src/py only. */
#ifndef CDBG_HOOK_IMPL_H
#define CDBG_HOOK_IMPL_H
#include "py/hook/hook.h"

extern const struct hook_sink *hook_sink; /* NULL while there is no session */
extern bool hook_into_default;		  /* `into` of threads to come */

/* What hook_thread_self() found last in this thread: a guess, to be compared with the thread state.  Found without a
   call: this library is loaded once, and a pointer fits what the loader keeps spare. */
#define HOOK_THREAD_LOCAL __attribute__((tls_model("initial-exec")))
extern __thread struct hook_thread *hook_thread_last HOOK_THREAD_LOCAL;

/* The record of a thread; created if there is none. */
struct hook_thread *hook_thread_of(struct py_thread *ts);
/* The implementation's part of a record, made with it and ended before it. */
struct hook_state_ops {
	struct hook_state *(*new)(struct hook_thread *t);
	void (*free)(struct hook_thread *t);
};
/* Called for all records, including those that exist already. */
void hook_states(const struct hook_state_ops *ops);

/* A thread that is held waits here; called where the hooks get control in the program's code, before anything of it is
   looked at, with the GIL, which others have meanwhile. */
extern bool hook_holding;
void hold_wait(const struct hook_thread *t); /* returns at once if it is not held */
static inline void hook_held(const struct hook_thread *t)
{
	if (__builtin_expect(hook_holding, 0) && !t->in_stop)
		hold_wait(t);
}
/* interrupts(): does one wait?  Any thread, no GIL needed. */
void hold_begin(bool (*interrupts)(void));
void hold_add(const struct hook_thread *t);
bool hold_end(void); /* false: the threads ran before */
void hold_forked(void);
/* The implementation's: no frame is armed with HOOK_HOLD any more. */
void hook_unhold(void);

void hook_threads_forked(bool stopped); /* hook_forked() or hook_woken(), for the records of threads */

/* After the outermost bracket of a stop: the handlers that waited may run where the program continues. */
void hook_signals_let(void);

/* Reports to the sink module bodies that exec() is about to run; cannot be removed, only be silenced. */
int hook_audit_start(struct err *err);

#endif
