/* SPDX-License-Identifier: BSD-3-Clause */
/* A session of cdbg begins in another process: see inject.h. */
#include "config.h"
#include "attach/inject.h"
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "attach/page.h"
#include "attach/process.h"
#include "attach/python.h"
#include "attach/tracee.h"
#include "base/buf.h"
#include "base/err.h"

enum {
	CODE = 4096,	   /* bytes before the page: the code that loads cdbg */
	TOTAL = 320 << 10, /* with a stack for the calls, at the end */
	CALL_MS = 1000,
	LOAD_MS = 20000,
	TRIES = 20,
	RELEASES = 100, /* in 5 s */
	LOOK_MS = 1,
	BLOCKED_MS = 100,
	LOOKS_MS = 50
};

_Static_assert(offsetof(struct page, dlsym) == 8 && offsetof(struct page, dlerror) == 16 &&
		       offsetof(struct page, error) == 24 && offsetof(struct page, state) == 32 &&
		       offsetof(struct page, entry) == 40 && offsetof(struct page, library) == 104 &&
		       offsetof(struct page, left) == 4200 && PAGE_QUEUED == 1 && PAGE_NO_LIBRARY == 2,
	       "the code below knows these");

/* int code(struct page *p): if (p->state == QUEUED) dlopen(p->library), then its p->entry(p).  At last p->left = 1.
   Returns 0. */
#if defined(__x86_64__)
__asm__(".pushsection .rodata\n"
	"inject_code:\n"
	"cmpl $1, 32(%rdi)\n"
	"jne 2f\n"
	"push %rbx\n"
	"mov %rdi, %rbx\n"
	"lea 104(%rbx), %rdi\n"
	"mov $2, %esi\n"
	"call *(%rbx)\n"
	"test %rax, %rax\n"
	"jz 1f\n"
	"mov %rax, %rdi\n"
	"lea 40(%rbx), %rsi\n"
	"call *8(%rbx)\n"
	"test %rax, %rax\n"
	"jz 1f\n"
	"mov %rbx, %rdi\n"
	"call *%rax\n"
	"3: mov %rbx, %rdi\n"
	"pop %rbx\n"
	"2: movl $1, 4200(%rdi)\n"
	"xor %eax, %eax\n"
	"ret\n"
	"1: call *16(%rbx)\n"
	"mov %rax, 24(%rbx)\n"
	"movl $2, 32(%rbx)\n"
	"jmp 3b\n"
	"inject_code_end:\n"
	".balign 8\n"
	"inject_code_size: .quad inject_code_end - inject_code\n"
	".popsection\n");
#elif defined(__aarch64__)
__asm__(".pushsection .rodata\n"
	".balign 4\n"
	"inject_code:\n"
	"stp x29, x30, [sp, #-32]!\n"
	"mov x29, sp\n"
	"str x19, [sp, #16]\n"
	"mov x19, x0\n"
	"ldr w1, [x19, #32]\n"
	"cmp w1, #1\n"
	"b.ne 2f\n"
	"add x0, x19, #104\n"
	"mov w1, #2\n"
	"ldr x2, [x19]\n"
	"blr x2\n"
	"cbz x0, 1f\n"
	"add x1, x19, #40\n"
	"ldr x2, [x19, #8]\n"
	"blr x2\n"
	"cbz x0, 1f\n"
	"mov x2, x0\n"
	"mov x0, x19\n"
	"blr x2\n"
	"b 2f\n"
	"1: ldr x2, [x19, #16]\n"
	"blr x2\n"
	"str x0, [x19, #24]\n"
	"mov w1, #2\n"
	"str w1, [x19, #32]\n"
	"2: mov w1, #1\n"
	"str w1, [x19, #4200]\n"
	"mov w0, #0\n"
	"ldr x19, [sp, #16]\n"
	"ldp x29, x30, [sp], #32\n"
	"ret\n"
	"inject_code_end:\n"
	".balign 8\n"
	"inject_code_size: .quad inject_code_end - inject_code\n"
	".popsection\n");
#else
__asm__(".pushsection .rodata\n.balign 8\ninject_code:\ninject_code_size: .quad 0\n.popsection\n");
#endif
extern const char inject_code[];
extern const uint64_t inject_code_size;

static double now_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void pause_ms(int ms)
{
	nanosleep(&(struct timespec){ .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L }, NULL);
}

static uintptr_t page_of(const struct inject *i)
{
	return i->at + CODE;
}

/* ---- the functions that are called there ------------------------------------------------------------------------- */

struct functions {
	uintptr_t mmap, mprotect, socketpair;
	struct process_range add_pending, make_pending;
	uint64_t dlopen, dlsym, dlerror;
};

/* The C library of the process, by whatever name: before glibc 2.34 dlopen() was in a library of its own. */
static bool find_loader(pid_t pid, struct functions *f)
{
	static const char *const parts[] = { "libc.so", "libc-", "libdl", "ld-musl", NULL };
	struct process_object o;
	size_t n;

	for (n = 0; n < sizeof(parts) / sizeof(*parts); n++) {
		if (!process_object(pid, "dlopen", parts[n], &o))
			continue;
		f->dlopen = process_symbol(pid, &o, "dlopen");
		f->dlsym = process_symbol(pid, &o, "dlsym");
		f->dlerror = process_symbol(pid, &o, "dlerror");
		if (f->dlopen && f->dlsym && f->dlerror)
			return true;
	}
	return false;
}

static bool find_calls(struct inject *i, struct functions *f)
{
	static const char *const parts[] = { "libc.so", "libc-", "ld-musl", NULL };
	struct process_object o;
	size_t n;

	for (n = 0; n < sizeof(parts) / sizeof(*parts); n++) {
		if (!process_object(i->pid, "socketpair", parts[n], &o))
			continue;
		f->mmap = process_symbol(i->pid, &o, "mmap");
		f->mprotect = process_symbol(i->pid, &o, "mprotect");
		f->socketpair = process_symbol(i->pid, &o, "socketpair");
		i->munmap = process_symbol(i->pid, &o, "munmap");
		i->close = process_symbol(i->pid, &o, "close");
		if (f->mmap && f->mprotect && f->socketpair && i->munmap && i->close)
			return true;
	}
	return false;
}

static int find_functions(struct inject *i, const struct python *p, struct functions *f, struct err *err)
{
	f->add_pending = p->add_pending;
	f->make_pending = p->make_pending;
	if (!find_loader(i->pid, f) || !find_calls(i, f))
		return err_set(err,
			       "the C library of process %ld has no dlopen(), or has it by a name that cdbg does not "
			       "know: have the program call cdbg.listen()",
			       (long)i->pid);
	i->dlopen = f->dlopen;
	return 0;
}

/* ---- calls in the stopped thread ------------------------------------------------------------------------- */

/* A call that ends at once; it fails where its result, as a 32 or 64-bit number, is -1. */
static int call(struct tracee *t, const char *name, uintptr_t function, const uintptr_t args[TRACEE_ARGS],
		uintptr_t *result, struct err *err)
{
	bool unfinished;

	if (tracee_call(t, function, args, CALL_MS, result, &unfinished, err) < 0)
		return -1;
	if ((int32_t)*result == -1)
		return err_set(err, "%s failed in process %ld", name, (long)t->process);
	return 0;
}

static int make_memory(struct inject *i, struct tracee *t, const struct functions *f, struct err *err)
{
	struct page *page = i->page;
	const uintptr_t map[] = { 0, TOTAL, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, (uintptr_t)-1, 0 };
	uintptr_t protect[TRACEE_ARGS] = { 0, CODE, PROT_READ | PROT_EXEC }, unused;

	if (call(t, "mmap()", f->mmap, map, &i->at, err) < 0) {
		i->at = 0;
		return -1;
	}
	t->stack = i->at + TOTAL;
	page->dlopen = f->dlopen;
	page->dlsym = f->dlsym;
	page->dlerror = f->dlerror;
	if (!process_write(i->pid, i->at, inject_code, inject_code_size) ||
	    !process_write(i->pid, page_of(i), page, sizeof(*page)))
		return process_refused(i->pid, errno, err);
	protect[0] = i->at;
	return call(t, "mprotect(), which makes code executable,", f->mprotect, protect, &unused, err);
}

/* A descriptor of the process, as one of this. */
static int fetch_channel(struct inject *i, int theirs, struct err *err)
{
	int fd = (int)syscall(SYS_pidfd_open, (int)i->pid, 0);

	i->channel = fd < 0 ? -1 : (int)syscall(SYS_pidfd_getfd, fd, theirs, 0);
	if (i->channel < 0)
		err_set(err,
			"cannot get a descriptor of process %ld: %s (Linux 5.6 is needed, and a seccomp filter may "
			"forbid it): use --json, or have the program call cdbg.listen()",
			(long)i->pid, strerror(errno));
	else
		fcntl(i->channel, F_SETFD, FD_CLOEXEC);
	if (fd >= 0)
		close(fd);
	return i->channel < 0 ? -1 : 0;
}

/* A pair of sockets is made there, and one end is brought here. */
static int make_channel(struct inject *i, struct tracee *t, const struct functions *f, struct err *err)
{
	uintptr_t args[TRACEE_ARGS] = { AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0,
					page_of(i) + offsetof(struct page, text) };
	uintptr_t unused;
	int pair[2] = { -1, -1 }, fetched;

	if (call(t, "socketpair()", f->socketpair, args, &unused, err) < 0)
		return -1;
	if (!process_read(i->pid, args[3], pair, sizeof(pair)))
		return process_refused(i->pid, errno, err);
	i->theirs = pair[1];
	fetched = fetch_channel(i, pair[0], err);
	args[0] = (uintptr_t)pair[0];
	if (call(t, "close()", i->close, args, &unused, err) < 0 || fetched < 0)
		return -1;
	return process_write(i->pid, page_of(i) + offsetof(struct page, channel), &i->theirs, sizeof(i->theirs)) ?
		       0 :
		       process_refused(i->pid, errno, err);
}

static int queue_call(struct inject *i, struct tracee *t, const struct functions *f, struct err *err)
{
	const uintptr_t args[TRACEE_ARGS] = { i->at, page_of(i) };
	uintptr_t result;
	bool unfinished;

	if (tracee_call(t, f->add_pending.from, args, CALL_MS, &result, &unfinished, err) < 0) {
		if (unfinished) /* the lock that it waits for knows this memory */
			i->at = 0;
		return -1;
	}
	if ((int32_t)result == -1)
		return err_set(err, "process %ld has too many pending calls: it runs no Python now; try again later",
			       (long)i->pid);
	i->queued = true;
	return 0;
}

/* Not while the thread itself may have the lock of pending calls.  One that sleeps in a system call has not: CPython
   releases that lock before it calls anything; and what its stack keeps of former calls stays there as it sleeps. */
static int stop_clear(struct inject *i, struct tracee *t, const struct functions *f, struct err *err)
{
	struct process_wait wait;
	int n;

	for (n = 0; n < TRIES; n++) {
		process_waits(i->pid, i->pid, &wait);
		if (tracee_stop(t, i->pid, i->pid, err) < 0)
			return -1;
		if (wait.call >= 0 && wait.sp == tracee_sp(t))
			return 0;
		if (!tracee_within(t, f->add_pending.from, f->add_pending.to) &&
		    !tracee_within(t, f->make_pending.from, f->make_pending.to))
			return 0;
		tracee_go(t);
		pause_ms(1);
	}
	return err_set(err, "process %ld is always busy with pending calls: try again later", (long)i->pid);
}

/* Puts the page there and queues the call. */
static int prepare(struct inject *i, const struct python *python, struct err *err)
{
	struct functions f = { 0 };
	struct tracee t;
	double began;
	int ret;

	if (find_functions(i, python, &f, err) < 0)
		return -1;
	began = now_s();
	if (stop_clear(i, &t, &f, err) < 0)
		return -1;
	ret = make_memory(i, &t, &f, err);
	if (ret == 0 && i->opened)
		ret = make_channel(i, &t, &f, err);
	if (ret == 0)
		ret = queue_call(i, &t, &f, err);
	tracee_go(&t);
	i->stopped += now_s() - began;
	if (ret == 0 && i->opened)
		i->opened(i->arg, i->channel);
	return ret;
}

static int fill_page(struct inject *i, const char *words, struct err *err)
{
	struct page *page = i->page = mem_alloc(sizeof(*page));
	const char *w;

	if (python_library(i->pid, page->library, sizeof(page->library), err) < 0)
		return -1;
	for (w = words; *w; w += strlen(w) + 1)
		;
	if ((size_t)(w - words) >= sizeof(page->words))
		return err_set(err, "the options are too long to be passed to process %ld", (long)i->pid);
	memcpy(page->words, words, (size_t)(w - words));
	page->version = PAGE_VERSION;
	page->channel = page->lent = -1;
	page->wants = i->opened != NULL;
	page->state = PAGE_QUEUED;
	snprintf(page->entry, sizeof(page->entry), "attached_pending");
	return 0;
}

int inject_begin(struct inject *i, pid_t pid, const char *words, void (*opened)(void *arg, int channel), void *arg,
		 struct err *err)
{
	struct python python;

	*i = (struct inject){ .pid = pid, .channel = -1, .theirs = -1, .opened = opened, .arg = arg };
	if (process_check(pid, err) == 0 && python_check(pid, &python, err) == 0 && fill_page(i, words, err) == 0 &&
	    (remote_exec_ask(&i->remote, pid, python.runtime, i->page) || prepare(i, &python, err) == 0))
		return 0;
	inject_end(i);
	if (i->channel >= 0)
		close(i->channel);
	i->channel = -1;
	return -1;
}

/* ---- until it is there ----------------------------------------------------------------------------------------- */

static int get_page(const struct inject *i, size_t offset, void *to, size_t n, struct err *err)
{
	struct process_state st;

	if (i->remote.page) {
		memcpy(to, (const char *)i->remote.page + offset, n);
		return process_state(i->pid, &st) && st.state != 'Z' ? 0 : process_refused(i->pid, ESRCH, err);
	}
	return process_read(i->pid, page_of(i) + offset, to, n) ?
		       0 :
		       process_refused(i->pid, errno == EFAULT ? ESRCH : errno, err);
}

static int get_state(const struct inject *i, uint32_t *state, struct err *err)
{
	return get_page(i, offsetof(struct page, state), state, sizeof(*state), err);
}

/* It may run at any time, unless its thread is stopped and finds this when it goes on.  False: it may begin yet. */
static bool cancel(struct inject *i)
{
	uint32_t state = PAGE_DONE, cancelled = PAGE_CANCELLED;
	struct err err;
	struct tracee t;

	if (i->remote.page)
		return remote_exec_cancel(&i->remote);
	if (tracee_stop(&t, i->pid, i->pid, &err) < 0)
		return false;
	if (get_state(i, &state, &err) == 0 && state == PAGE_QUEUED)
		process_write(i->pid, page_of(i) + offsetof(struct page, state), &cancelled, sizeof(cancelled));
	tracee_go(&t);
	return state == PAGE_QUEUED;
}

/* The reason that dlopen() or dlsym() gave. */
static int no_library(const struct inject *i, struct err *err)
{
	char text[512] = "";
	uint64_t at = 0;
	size_t n;

	if (get_page(i, offsetof(struct page, error), &at, sizeof(at), err) < 0)
		return -1;
	for (n = 0; at && n + 1 < sizeof(text) && process_read(i->pid, at + n, text + n, 1) && text[n]; n++)
		;
	text[n] = '\0';
	return err_set(err, "process %ld cannot load cdbg: %s", (long)i->pid, *text ? text : "no reason is known");
}

static int ended_as(const struct inject *i, uint32_t state, char *where, size_t max, struct err *err)
{
	char text[PAGE_TEXT];

	if (state == PAGE_NO_LIBRARY)
		return no_library(i, err);
	if (get_page(i, offsetof(struct page, text), text, sizeof(text), err) < 0)
		return -1;
	text[sizeof(text) - 1] = '\0';
	if (state == PAGE_FAILED)
		return err_set(err, "%s", text);
	snprintf(where, max, "%s", text);
	return 0;
}

/* In the same system call for a while: it has not the GIL, and no lock of the C library. */
static bool is_blocked(const struct inject *i, const struct process_wait *before)
{
	struct process_wait now;

	return before->call >= 0 && process_waits(i->pid, i->pid, &now) && now.call == before->call &&
	       now.sp == before->sp && now.pc == before->pc;
}

/* The channel that the process has made: it goes on when this end is here. */
static int take_lent(struct inject *i, struct err *err)
{
	int ret = fetch_channel(i, i->remote.page->lent, err);

	if (ret == 0)
		i->opened(i->arg, i->channel);
	atomic_store(&i->remote.page->state, ret == 0 ? PAGE_QUEUED : PAGE_CANCELLED);
	return ret;
}

/* A main thread that is blocked does not look whether it was asked to run something: it gets a call. */
static int ask_otherwise(struct inject *i, struct err *err)
{
	struct python python;

	if (!remote_exec_cancel(&i->remote))
		return 0;
	remote_exec_end(&i->remote);
	return python_check(i->pid, &python, err) < 0 ? -1 : prepare(i, &python, err);
}

/* A thread of cdbg's own, made in the blocked main thread. */
static int make_thread(struct inject *i, const struct process_wait *before, struct err *err)
{
	static const char thread[64] = "attached_thread", pending[64] = "attached_pending";
	const uintptr_t entry = page_of(i) + offsetof(struct page, entry), args[TRACEE_ARGS] = { page_of(i) };
	double began = now_s();
	struct tracee t;
	uintptr_t result;
	bool unfinished;
	uint32_t state, left = 0;
	int ret = 0;

	if (tracee_stop(&t, i->pid, i->pid, err) < 0)
		return -1;
	t.stack = i->at + TOTAL;
	if (tracee_sp(&t) == before->sp && get_state(i, &state, err) == 0 && state == PAGE_QUEUED &&
	    process_write(i->pid, entry, thread, sizeof(thread))) {
		ret = tracee_call(&t, i->at, args, LOAD_MS, &result, &unfinished, err);
		process_write(i->pid, entry, pending, sizeof(pending));
		process_write(i->pid, page_of(i) + offsetof(struct page, left), &left, sizeof(left));
	}
	tracee_go(&t);
	i->stopped += now_s() - began;
	return ret;
}

static int reach_blocked(struct inject *i, const struct process_wait *look, bool *thread, struct err *err)
{
	if (i->remote.page)
		return ask_otherwise(i, err);
	*thread = true;
	return make_thread(i, look, err);
}

void inject_tell_why(pid_t pid, const struct inject_waiter *waiter)
{
	struct process_wait w;
	char *text;

	if (process_waits(pid, pid, &w) && w.call >= 0)
		text = mem_fmt("the main thread of process %ld waits in a system call (number %ld) that C code made: "
			       "the session begins when it returns to Python",
			       (long)pid, w.call);
	else
		text = mem_fmt("the main thread of process %ld runs C code, which may hold the GIL: the session begins "
			       "when it returns to Python",
			       (long)pid);
	waiter->gives_up(waiter->arg, text);
	free(text);
}

int inject_wait(struct inject *i, char *where, size_t max, const struct inject_waiter *waiter, struct err *err)
{
	struct process_wait look = { .call = -1 };
	double began = now_s(), looked = began;
	bool thread = false, told = false, stopped;
	uint32_t state;

	for (;;) {
		if (get_state(i, &state, err) < 0)
			return -1;
		if (state == PAGE_LENT) {
			if (take_lent(i, err) < 0)
				return -1;
			continue;
		}
		if (state == PAGE_DONE || state == PAGE_FAILED || state == PAGE_NO_LIBRARY)
			return ended_as(i, state, where, max, err);
		if (waiter->gives_up(waiter->arg, NULL)) {
			stopped = state == PAGE_QUEUED && cancel(i);
			if (!stopped && get_state(i, &state, err) == 0 && state != PAGE_QUEUED && state != PAGE_BEGUN)
				continue;
			i->at = 0; /* the queue of pending calls knows it, or who has begun */
			return err_set(err, "given up: process %ld runs on%s", (long)i->pid,
				       stopped ? "" : ", and a session may begin in it yet");
		}
		if (!thread && now_s() - looked > LOOKS_MS / 1e3) {
			if (now_s() - began > BLOCKED_MS / 1e3 && is_blocked(i, &look) &&
			    reach_blocked(i, &look, &thread, err) < 0)
				return -1;
			process_waits(i->pid, i->pid, &look);
			looked = now_s();
		}
		if (!told && now_s() - began > INJECT_LATE_MS / 1e3) {
			inject_tell_why(i->pid, waiter);
			told = true;
		}
		pause_ms(LOOK_MS);
	}
}

/* ---- end --------------------------------------------------------------------------------------------------------- */

/* Not while the call is queued, or a thread is in its code.  The main thread may be about to leave it, and get no
   processor for a while. */
static bool release(struct inject *i)
{
	const uintptr_t all[TRACEE_ARGS] = { i->at, TOTAL };
	uint32_t threads = 0, left = 0;
	uintptr_t result;
	bool unfinished, done;
	struct tracee t;
	struct err err;

	if (get_page(i, offsetof(struct page, threads), &threads, sizeof(threads), &err) < 0 ||
	    get_page(i, offsetof(struct page, left), &left, sizeof(left), &err) < 0)
		return true;
	if (threads == PAGE_STAYS)
		return true;
	if (threads || (i->queued && !left))
		return false;
	if (tracee_stop(&t, i->pid, i->pid, &err) < 0)
		return true;
	done = (tracee_pc(&t) < i->at || tracee_pc(&t) >= i->at + CODE) &&
	       tracee_call(&t, i->munmap, all, CALL_MS, &result, &unfinished, &err) == 0;
	tracee_go(&t);
	return done;
}

void inject_end(struct inject *i)
{
	int n;

	if (i->remote.page)
		remote_exec_end(&i->remote);
	for (n = 0; i->at && n < RELEASES && !release(i); n++)
		pause_ms(1 + n);
	i->at = 0;
	free(i->page);
	i->page = NULL;
}
