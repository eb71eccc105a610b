/* SPDX-License-Identifier: BSD-3-Clause */
/* A thread of another process: see tracee.h.  A called function returns to address 0, where the thread gets SIGSEGV,
   which only this process sees. */
#include "config.h"
#include "attach/tracee.h"
#include <elf.h>
#include <errno.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "attach/process.h"
#include "base/err.h"

enum {
	STOP_MS = 5000,
	BELOW = 512, /* bytes below the stack pointer that the program may use, and some */
	SCAN = 4096, /* bytes of the stack that are searched */
	MASK_SIZE = 8
};

#ifndef NT_X86_XSTATE
#define NT_X86_XSTATE 0x202
#endif
#ifndef NT_ARM_SVE
#define NT_ARM_SVE 0x405
#endif

/* ---- registers of each kind of processor ----------------------------------------------------------------------- */

#if defined(__x86_64__)
static const int vector_kinds[] = { NT_X86_XSTATE, NT_PRFPREG };

static void set_call(struct user_regs_struct *r, uintptr_t function, const uintptr_t *a, uintptr_t sp)
{
	r->rsp = sp - 8; /* as a call instruction leaves it */
	r->rip = function;
	r->rdi = a[0];
	r->rsi = a[1];
	r->rdx = a[2];
	r->rcx = a[3];
	r->r8 = a[4];
	r->r9 = a[5];
	r->rax = 0;
	r->eflags &= ~0x400UL;		      /* DF: as at the beginning of each function */
	r->orig_rax = (unsigned long long)-1; /* no system call is to be made again */
}

/* The word that `ret` takes is 0. */
static bool set_return(pid_t pid, uintptr_t sp)
{
	const uintptr_t none = 0;

	return process_write(pid, sp - 8, &none, sizeof(none));
}

static uintptr_t result_of(const struct user_regs_struct *r)
{
	return r->rax;
}

static uintptr_t pc_of(const struct user_regs_struct *r)
{
	return r->rip;
}

static uintptr_t sp_of(const struct user_regs_struct *r)
{
	return r->rsp;
}

static bool get_call(struct tracee *t)
{
	(void)t;
	return true;
}

static bool put_call(const struct tracee *t, bool own)
{
	(void)t;
	(void)own;
	return true;
}
#elif defined(__aarch64__)
static const int vector_kinds[] = { NT_ARM_SVE, NT_PRFPREG };

static void set_call(struct user_regs_struct *r, uintptr_t function, const uintptr_t *a, uintptr_t sp)
{
	int i;

	for (i = 0; i < TRACEE_ARGS; i++)
		r->regs[i] = a[i];
	r->regs[29] = r->regs[30] = 0; /* the frame pointer, and where it returns to */
	r->sp = sp;
	r->pc = function;
	r->pstate &= ~0xc00UL; /* BTYPE: it was not reached by a branch */
}

static bool set_return(pid_t pid, uintptr_t sp)
{
	(void)pid;
	(void)sp;
	return true;
}

static uintptr_t result_of(const struct user_regs_struct *r)
{
	return r->regs[0];
}

static uintptr_t pc_of(const struct user_regs_struct *r)
{
	return r->pc;
}

static uintptr_t sp_of(const struct user_regs_struct *r)
{
	return r->sp;
}

static bool get_call(struct tracee *t)
{
	struct iovec v = { &t->call, sizeof(t->call) };

	return ptrace(PTRACE_GETREGSET, t->thread, NT_ARM_SYSTEM_CALL, &v) == 0;
}

/* Its own again, or none. */
static bool put_call(const struct tracee *t, bool own)
{
	int call = own ? t->call : -1;
	struct iovec v = { &call, sizeof(call) };

	return ptrace(PTRACE_SETREGSET, t->thread, NT_ARM_SYSTEM_CALL, &v) == 0;
}
#endif

#if defined(__x86_64__) || defined(__aarch64__)
static bool get_regs(pid_t thread, struct user_regs_struct *r)
{
	struct iovec v = { r, sizeof(*r) };

	return ptrace(PTRACE_GETREGSET, thread, NT_PRSTATUS, &v) == 0;
}

static bool put_regs(pid_t thread, const struct user_regs_struct *r)
{
	struct iovec v = { (void *)(uintptr_t)r, sizeof(*r) };

	return ptrace(PTRACE_SETREGSET, thread, NT_PRSTATUS, &v) == 0;
}

static bool get_vectors(struct tracee *t)
{
	struct iovec v;
	size_t i;

	for (i = 0; i < sizeof(vector_kinds) / sizeof(*vector_kinds); i++) {
		v = (struct iovec){ t->vectors, sizeof(t->vectors) };
		if (ptrace(PTRACE_GETREGSET, t->thread, vector_kinds[i], &v) == 0 && v.iov_len < sizeof(t->vectors)) {
			t->nvectors = v.iov_len;
			t->vectors_kind = vector_kinds[i];
			return true;
		}
	}
	return false;
}

static bool put_vectors(const struct tracee *t)
{
	struct iovec v = { (void *)(uintptr_t)t->vectors, t->nvectors };

	return ptrace(PTRACE_SETREGSET, t->thread, t->vectors_kind, &v) == 0;
}

/* ---- stop and go ----------------------------------------------------------------------------------------------- */

static long now_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000L + now.tv_nsec / 1000;
}

enum waited { STOPPED, ENDED, LATE };

/* Waits for the thread to stop; what it stopped for is in *status. */
static enum waited wait_stop(pid_t thread, int ms, int *status)
{
	const struct timespec step = { .tv_nsec = 20000 };
	long end = now_us() + ms * 1000L;
	pid_t got;

	for (;;) {
		got = waitpid(thread, status, __WALL | WNOHANG);
		if (got == thread)
			return WIFSTOPPED(*status) ? STOPPED : ENDED;
		if (got < 0 && errno != EINTR)
			return ENDED;
		if (now_us() > end)
			return LATE;
		nanosleep(&step, NULL);
	}
}

/* Faults come to this process whatever is blocked, but the kernel would forget the program's handler. */
static const uint64_t blocked_here = ~((1UL << (SIGSEGV - 1)) | (1UL << (SIGBUS - 1)) | (1UL << (SIGILL - 1)) |
				       (1UL << (SIGFPE - 1)) | (1UL << (SIGTRAP - 1)));

static int ended(const struct tracee *t, struct err *err)
{
	return err_set(err, "process %ld has ended", (long)t->process);
}

/* A signal that came at the same moment stays the thread's: it stops for ours next. */
static int await_ours(struct tracee *t, struct err *err)
{
	int status, sig;

	for (;;) {
		switch (wait_stop(t->thread, STOP_MS, &status)) {
		case ENDED:
			return ended(t, err);
		case LATE:
			return err_set(err, "process %ld does not stop: it waits in the kernel; try again later",
				       (long)t->process);
		case STOPPED:
			break;
		}
		if (status >> 16 == PTRACE_EVENT_STOP)
			return 0;
		sig = status >> 16 ? 0 : WSTOPSIG(status);
		if (ptrace(PTRACE_CONT, t->thread, NULL, (void *)(intptr_t)sig) < 0)
			return ended(t, err);
	}
}

int tracee_stop(struct tracee *t, pid_t process, pid_t thread, struct err *err)
{
	memset(t, 0, sizeof(*t));
	t->process = process;
	t->thread = thread;
	if (ptrace(PTRACE_SEIZE, thread, NULL, NULL) < 0)
		return process_refused(process, errno, err);
	if (ptrace(PTRACE_INTERRUPT, thread, NULL, NULL) < 0)
		return process_refused(process, errno, err);
	if (await_ours(t, err) < 0)
		return -1;
	if (get_regs(thread, &t->regs) && get_vectors(t) && get_call(t) &&
	    ptrace(PTRACE_GETSIGMASK, thread, (void *)MASK_SIZE, &t->mask) == 0)
		return 0;
	err_set(err, "cannot read the registers of process %ld: %s", (long)process, strerror(errno));
	ptrace(PTRACE_DETACH, thread, NULL, NULL);
	return -1;
}

void tracee_go(struct tracee *t)
{
	ptrace(PTRACE_DETACH, t->thread, NULL, NULL);
}

uintptr_t tracee_pc(const struct tracee *t)
{
	return pc_of(&t->regs);
}

uintptr_t tracee_sp(const struct tracee *t)
{
	return sp_of(&t->regs);
}

bool tracee_within(const struct tracee *t, uintptr_t from, uintptr_t to)
{
	uintptr_t words[SCAN / sizeof(uintptr_t)], pc = tracee_pc(t);
	size_t i, n = sizeof(words);

	if (pc >= from && pc < to)
		return true;
	while (n && !process_read(t->process, tracee_sp(t), words, n))
		n /= 2; /* the stack's end is near */
	for (i = 0; i < n / sizeof(*words); i++)
		if (words[i] >= from && words[i] < to)
			return true;
	return false;
}

/* ---- a call ---------------------------------------------------------------------------------------------------- */

static bool restore(struct tracee *t)
{
	return put_regs(t->thread, &t->regs) && put_vectors(t) && put_call(t, true) &&
	       ptrace(PTRACE_SETSIGMASK, t->thread, (void *)MASK_SIZE, &t->mask) == 0;
}

/* Until the function has returned. */
static int run_call(struct tracee *t, int ms, uintptr_t *result, bool *unfinished, struct err *err)
{
	struct user_regs_struct now;
	long end = now_us() + ms * 1000L;
	int status;

	for (;;) {
		if (ptrace(PTRACE_CONT, t->thread, NULL, NULL) < 0)
			return ended(t, err);
		switch (wait_stop(t->thread, (int)((end - now_us()) / 1000), &status)) {
		case ENDED:
			return ended(t, err);
		case LATE:
			*unfinished = true;
			if (ptrace(PTRACE_INTERRUPT, t->thread, NULL, NULL) < 0 || await_ours(t, err) < 0)
				return ended(t, err);
			return err_set(err, "a call in process %ld does not end; try again", (long)t->process);
		case STOPPED:
			break;
		}
		if (status >> 16) /* it was stopped, as by SIGSTOP to the process: that takes effect afterwards */
			continue;
		if (!get_regs(t->thread, &now))
			return ended(t, err);
		*result = result_of(&now);
		if (WSTOPSIG(status) == SIGSEGV && pc_of(&now) == 0)
			return 0;
		return err_set(err, "a call in process %ld failed with signal %d at %#lx", (long)t->process,
			       WSTOPSIG(status), (unsigned long)pc_of(&now));
	}
}

int tracee_call(struct tracee *t, uintptr_t function, const uintptr_t args[TRACEE_ARGS], int ms, uintptr_t *result,
		bool *unfinished, struct err *err)
{
	uintptr_t sp = (t->stack ? t->stack : tracee_sp(t) - BELOW) & ~15UL;
	struct user_regs_struct now = t->regs;
	uint64_t mask = blocked_here;
	int ret;

	*unfinished = false;
	set_call(&now, function, args, sp);
	if (!set_return(t->process, sp) || ptrace(PTRACE_SETSIGMASK, t->thread, (void *)MASK_SIZE, &mask) < 0 ||
	    !put_regs(t->thread, &now) || !put_call(t, false)) {
		err_set(err, "cannot prepare a call in process %ld: %s", (long)t->process, strerror(errno));
		restore(t);
		return -1;
	}
	ret = run_call(t, ms, result, unfinished, err);
	if (!restore(t) && ret == 0)
		return ended(t, err);
	return ret;
}
#else /* process_check() refuses before */
int tracee_stop(struct tracee *t, pid_t process, pid_t thread, struct err *err)
{
	(void)t;
	(void)thread;
	return process_refused(process, ENOSYS, err);
}

uintptr_t tracee_pc(const struct tracee *t)
{
	(void)t;
	return 0;
}

uintptr_t tracee_sp(const struct tracee *t)
{
	(void)t;
	return 0;
}

bool tracee_within(const struct tracee *t, uintptr_t from, uintptr_t to)
{
	(void)t;
	(void)from;
	(void)to;
	return false;
}

int tracee_call(struct tracee *t, uintptr_t function, const uintptr_t args[TRACEE_ARGS], int ms, uintptr_t *result,
		bool *unfinished, struct err *err)
{
	(void)function;
	(void)args;
	(void)ms;
	*result = 0;
	*unfinished = false;
	return process_refused(t->process, ENOSYS, err);
}

void tracee_go(struct tracee *t)
{
	(void)t;
}
#endif
