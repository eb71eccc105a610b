/* SPDX-License-Identifier: BSD-3-Clause */
/* The handlers of the signals that end the process: see crash.h.  Each runs once, then the handler that was there gets
   the signal as if ours had not been: the instruction runs again, or the signal is sent again.  Knows no frame. */
#include "py/crash/crash.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "base/buf.h"
#include "base/err.h"
#include "base/sigstack.h"
#include "py/interp/host.h"

enum { WAIT_MS = 10000, PIPE_MS = 2000, AT_ONCE = 4096 };

static const int signals[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT };
enum { COUNT = sizeof(signals) / sizeof(*signals) };

static struct {
	struct crash *shared;
	struct sigaction old[NSIG];
	bool in[NSIG];
	bool on, kept;
	bool passed[NSIG];   /* ... got it once: if it comes back here, the default action ends the process */
	char file[PATH_MAX]; /* "": none */
	struct stat err;     /* what descriptor 2 was */
	int (*descriptor)(int sig);
	_Atomic uint64_t reader; /* process and thread that reads, or has read; 0: none */
	atomic_bool reading;	 /* it reads now */
	sigjmp_buf damaged;	 /* its way out if that ends with a signal */
	/* What is written, in parts. */
	int fd;
	size_t n;
	char part[AT_ONCE];
} cr;

/* ---- out -------------------------------------------------------------------------------------------------- */

/* A pipe that nobody reads must not keep the process from ending. */
static void flush_part(void)
{
	struct pollfd p = { .fd = cr.fd, .events = POLLOUT };
	size_t done = 0;
	ssize_t n;

	while (cr.fd >= 0 && done < cr.n) {
		if (poll(&p, 1, PIPE_MS) <= 0)
			break;
		n = write(cr.fd, cr.part + done, cr.n - done);
		if (n < 0 && errno != EINTR && errno != EAGAIN)
			break;
		done += n > 0 ? (size_t)n : 0;
	}
	if (done < cr.n)
		cr.fd = -1; /* the rest neither */
	cr.n = 0;
}

static void put_part(void *arg, const char *s, size_t n)
{
	size_t k;

	(void)arg;
	for (; n; s += k, n -= k) {
		k = n < sizeof(cr.part) - cr.n ? n : sizeof(cr.part) - cr.n;
		memcpy(cr.part + cr.n, s, k);
		cr.n += k;
		if (cr.n == sizeof(cr.part))
			flush_part();
	}
}

static void put_string(const char *s)
{
	put_part(NULL, s, strlen(s));
}

/* Is descriptor 2 where people read?  The program may have closed it, and have a file of its own there. */
static bool is_standard_error(void)
{
	struct stat now;

	if (fstat(2, &now) < 0)
		return false;
	return (now.st_dev == cr.err.st_dev && now.st_ino == cr.err.st_ino) || S_ISCHR(now.st_mode) ||
	       S_ISFIFO(now.st_mode);
}

/* A new file of this name, else of this name and the number of the process. */
static int open_file(char *name)
{
	enum { FLAGS = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC };
	size_t n = strlen(name);
	char digits[16], *p = digits + sizeof(digits);
	unsigned long pid = (unsigned long)getpid();
	int fd = open(name, FLAGS, 0600);

	if (fd >= 0 || errno != EEXIST)
		return fd;
	*--p = '\0';
	do
		*--p = (char)('0' + pid % 10);
	while (pid /= 10);
	*--p = '.';
	if (n + strlen(p) >= PATH_MAX)
		return -1;
	memcpy(name + n, p, strlen(p) + 1);
	fd = open(name, FLAGS, 0600);
	if (fd < 0)
		name[n] = '\0';
	return fd;
}

static void show(struct crash *c)
{
	bool ours = c->pid == getpid();
	int fd = cr.descriptor && ours ? cr.descriptor(c->signal) : is_standard_error() ? 2 : -1;
	int file = *cr.file ? open_file(cr.file) : -1, reason = errno;

	cr.n = 0;
	cr.fd = file;
	if (file >= 0) {
		crash_text(c, put_part, NULL);
		flush_part();
		close(file);
	}
	cr.fd = fd;
	if (fd < 0)
		return;
	crash_text(c, put_part, NULL);
	if (*cr.file) {
		put_string(file >= 0 ? "cdbg: this report is in " : "cdbg: cannot write this report to ");
		put_string(cr.file);
		put_string(file >= 0	    ? "" :
			   reason == EEXIST ? ": the file exists" :
			   reason == ENOENT ? ": no such folder" :
					      "");
		put_string("\n");
	}
	flush_part();
}

/* ---- the signal ------------------------------------------------------------------------------------------- */

static uint64_t this_thread(void)
{
	return (uint64_t)getpid() << 32 | (uint64_t)syscall(SYS_gettid);
}

/* One thread reports.  Another that crashes meanwhile waits until that is done, and the process with it. */
static bool take_turn(uint64_t self)
{
	const struct timespec pause = { .tv_nsec = 10000000 };
	uint64_t reader = 0;
	int waited;

	for (;;) {
		if (atomic_compare_exchange_strong(&cr.reader, &reader, self))
			return true;
		if (reader >> 32 == self >> 32)
			break;
		/* that of the process which forked this one: again */
	}
	for (waited = 0; atomic_load(&cr.reading) && reader != self && waited < WAIT_MS; waited += 10)
		nanosleep(&pause, NULL);
	return false;
}

/* false: it ended with a signal of its own, since memory is damaged. */
static bool survives(void (*run)(struct crash *c), struct crash *c)
{
	if (sigsetjmp(cr.damaged, 1))
		return false;
	run(c);
	return true;
}

static void report(int sig, const siginfo_t *info, uint64_t self)
{
	struct crash *c = cr.shared;

	if (c->pid != getpid()) { /* of a parent, which shares it */
		c = mmap(NULL, sizeof(*c), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (c == MAP_FAILED)
			return;
		c->pid = getpid();
	}
	c->signal = sig;
	c->code = info->si_code;
	c->at_address = info->si_code > 0 && info->si_code != SI_KERNEL;
	c->address = c->at_address ? (uintptr_t)info->si_addr : 0;
	c->sender = info->si_code <= 0 ? info->si_pid : 0;
	c->native = (unsigned long)(uint32_t)self;
	atomic_store(&c->state, CRASH_READING);
	atomic_store(&cr.reading, true);
	c->incomplete = !survives(crash_read, c);
	atomic_store(&c->state, CRASH_READ);
	if (survives(show, c))
		atomic_store(&c->state, CRASH_SHOWN);
	atomic_store(&cr.reading, false);
}

/* The old action gets the signal where it came, with all that came with it. */
static void pass_on(int sig, siginfo_t *info)
{
	struct sigaction next = { .sa_handler = SIG_DFL };
	bool again = info->si_code > 0 && sig != SIGABRT;
	sigset_t one;

	if (!cr.passed[sig])
		next = cr.old[sig];
	cr.passed[sig] = true;
	sigaction(sig, &next, NULL);
	cr.in[sig] = false;
	again = again && !(sig == SIGBUS && info->si_code == BUS_MCEERR_AO);
	if (again)
		return; /* the instruction runs again, and fails again */
	sigemptyset(&one);
	sigaddset(&one, sig);
	pthread_sigmask(SIG_BLOCK, &one, NULL); /* until this handler returns */
	if (syscall(SYS_rt_tgsigqueueinfo, getpid(), syscall(SYS_gettid), sig, info) < 0)
		raise(sig);
}

static void on_crash(int sig, siginfo_t *info, void *context)
{
	uint64_t self = this_thread();
	int e = errno;

	(void)context;
	if (atomic_load(&cr.reading) && atomic_load(&cr.reader) == self)
		siglongjmp(cr.damaged, 1);
	if (cr.on && take_turn(self))
		report(sig, info, self);
	pass_on(sig, info);
	errno = e;
}

/* ---- before ----------------------------------------------------------------------------------------------- */

struct crash *crash_shared(void)
{
	void *p;

	if (!cr.shared) {
		p = mmap(NULL, sizeof(*cr.shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
		cr.shared = p == MAP_FAILED ? NULL : p;
		if (cr.shared)
			cr.shared->pid = getpid();
	}
	return cr.shared;
}

void crash_shown_by(int (*descriptor)(int sig))
{
	cr.descriptor = descriptor;
}

bool crash_handles(const struct sigaction *a)
{
	return a->sa_flags & SA_SIGINFO && a->sa_sigaction == on_crash;
}

static void install(int sig)
{
	struct sigaction now, ours = { .sa_sigaction = on_crash, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER };
	int i;

	if (sigaction(sig, NULL, &now) < 0 || crash_handles(&now))
		return;
	if ((!(now.sa_flags & SA_SIGINFO) && now.sa_handler == SIG_IGN) || host_handles_signal(sig))
		return;
	sigfillset(&ours.sa_mask);
	for (i = 0; i < COUNT; i++)
		sigdelset(&ours.sa_mask, signals[i]);
	cr.old[sig] = now;
	cr.passed[sig] = false;
	cr.in[sig] = sigaction(sig, &ours, NULL) == 0;
}

static int take_file(const char *file, struct err *err)
{
	char cwd[PATH_MAX];
	int n;

	if (*file == '/')
		n = snprintf(cr.file, sizeof(cr.file), "%s", file);
	else if (!getcwd(cwd, sizeof(cwd)))
		return err_set(err, "cannot name the file '%s' for reports of crashes: %s", file, strerror(errno));
	else
		n = snprintf(cr.file, sizeof(cr.file), "%s/%s", cwd, file);
	if (n >= 0 && (size_t)n < sizeof(cr.file))
		return 0;
	*cr.file = '\0';
	return err_set(err, "the name of the file for reports of crashes is too long: use a shorter one");
}

int crash_on(const char *file, struct err *err)
{
	int i;

	*cr.file = '\0';
	if (file && take_file(file, err) < 0)
		return -1;
	if (!crash_shared())
		return err_set(err, "cannot report crashes: no memory: %s", strerror(errno));
	if (fstat(2, &cr.err) < 0)
		memset(&cr.err, 0, sizeof(cr.err));
	sigstack_thread();
	for (i = 0; i < COUNT; i++)
		install(signals[i]);
	cr.on = true;
	return 0;
}

void crash_keep(bool yes)
{
	cr.kept = yes;
}

void crash_off(void)
{
	struct sigaction now;
	int i, sig;

	if (cr.kept)
		return;
	cr.on = false;
	for (i = 0; i < COUNT; i++) {
		sig = signals[i];
		if (cr.in[sig] && sigaction(sig, NULL, &now) == 0 && crash_handles(&now))
			sigaction(sig, &cr.old[sig], NULL);
		cr.in[sig] = false;
	}
}
