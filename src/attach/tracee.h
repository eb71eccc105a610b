/* SPDX-License-Identifier: BSD-3-Clause */
/* A thread of another process, stopped by ptrace to call a function in it.  Knows no Python.

   While it is stopped all of its registers are kept, and all signals but those of faults are blocked in it, so that no
   handler of the program runs in the middle.  What it calls must not need a lock that it may have: a thread is stopped
   anywhere, in malloc() for one.  Should this process be killed in between, the other continues in the middle of the
   call. */
#ifndef CDBG_TRACEE_H
#define CDBG_TRACEE_H
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/user.h>

struct err;

enum { TRACEE_ARGS = 6, TRACEE_VECTORS = 16384 };

struct tracee {
	pid_t process, thread;
#if defined(__x86_64__)
	struct user_regs_struct regs;
#elif defined(__aarch64__)
	struct user_regs_struct regs;
	int call; /* the system call that it is in */
#else
	int regs;
#endif
	char vectors[TRACEE_VECTORS]; /* floating-point and vector registers */
	size_t nvectors;
	int vectors_kind;
	uint64_t mask;	 /* of blocked signals */
	uintptr_t stack; /* for calls, the address above it; 0: the thread's own */
};

/* Stops the thread.  -1: err, and it runs on. */
int tracee_stop(struct tracee *t, pid_t process, pid_t thread, struct err *err);
uintptr_t tracee_pc(const struct tracee *t);
uintptr_t tracee_sp(const struct tracee *t);
/* Does the thread run in this memory, or does one of the innermost kilobytes of its stack hold an address of it? */
bool tracee_within(const struct tracee *t, uintptr_t from, uintptr_t to);
/*
 * Calls a function in it and waits at most so many milliseconds.  -1: err; if it took too long the call is given up in
 * its middle, and *unfinished is set.
 */
int tracee_call(struct tracee *t, uintptr_t function, const uintptr_t args[TRACEE_ARGS], int ms, uintptr_t *result,
		bool *unfinished, struct err *err);
/* It continues as if nothing had been. */
void tracee_go(struct tracee *t);

#endif
