/* SPDX-License-Identifier: BSD-3-Clause */
/* A process beside the program: see companion.h. */
#include "config.h"
#include "ui/output/companion.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { KEEP_MAX = 16, FD_MAX = 65536 };

static pid_t program;

static void sort_fds(int *fd, int n)
{
	int i, k, one;

	for (i = 1; i < n; i++) {
		one = fd[i];
		for (k = i; k > 0 && fd[k - 1] > one; k--)
			fd[k] = fd[k - 1];
		fd[k] = one;
	}
}

static void close_some(unsigned from, unsigned to)
{
	if (from > to || syscall(SYS_close_range, from, to, 0) == 0)
		return;
	for (; from <= to && from < FD_MAX; from++) /* a kernel without it */
		close((int)from);
}

static void close_others(const int *keep, int n, int also)
{
	int fd[KEEP_MAX + 1], count = 0, i;
	unsigned from = 0;

	for (i = 0; i < n && i < KEEP_MAX; i++)
		fd[count++] = keep[i];
	fd[count++] = also;
	sort_fds(fd, count);
	for (i = 0; i < count; i++) {
		if (fd[i] < 0 || (unsigned)fd[i] < from)
			continue;
		if (fd[i] > 0)
			close_some(from, (unsigned)fd[i] - 1);
		from = (unsigned)fd[i] + 1;
	}
	close_some(from, ~0U);
}

enum { STAT_MAX = 1024 };

/* What /proc says of the program, from its state on; NULL: nothing. */
static const char *program_stat(char text[STAT_MAX])
{
	char name[48], *end;
	ssize_t n = 0;
	int fd;

	snprintf(name, sizeof(name), "/proc/%d/stat", (int)program);
	fd = open(name, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		n = read(fd, text, STAT_MAX - 1);
		close(fd);
	}
	text[n > 0 ? n : 0] = '\0';
	end = strrchr(text, ')'); /* after the name, which may contain any character */
	return end && end[1] ? end + 2 : NULL;
}

static bool has_ended(const char *state)
{
	return *state == 'Z' || *state == 'X';
}

bool companion_gone(void)
{
	char text[STAT_MAX];
	const char *state = program_stat(text);

	return state ? has_ended(state) : kill(program, 0) < 0 && errno == ESRCH;
}

/* The kernel's struct pidfd_info in its first size, which headers older than the kernel lack. */
struct exit_info {
	uint64_t mask, cgroup;
	uint32_t id[11]; /* of processes, users and groups */
	int32_t code;
};

/* What a kernel from 6.15 on keeps of a process that its parent has collected. */
static bool kept_status(int fd, int *status)
{
	enum { HAS_EXIT = 1 << 3 };
	struct exit_info info = { .mask = HAS_EXIT };

	if (fd < 0 || ioctl(fd, _IOWR(0xff, 11, struct exit_info), &info) < 0 || !(info.mask & HAS_EXIT))
		return false;
	*status = info.code;
	return true;
}

/* What /proc says of one that was not collected: the last of its fields, the 50th from the state on. */
static bool zombie_status(int *status)
{
	enum { CODE = 49 };
	char text[STAT_MAX];
	const char *p = program_stat(text);
	int i;

	if (!p || !has_ended(p))
		return false;
	for (i = 0; p && i < CODE; i++) {
		p = strchr(p, ' ');
		p = p ? p + 1 : NULL;
	}
	if (!p)
		return false;
	*status = (int)strtol(p, NULL, 10);
	return true;
}

bool companion_status(int fd, int *status)
{
	/* it may be collected between the two */
	return kept_status(fd, status) || zombie_status(status) || kept_status(fd, status);
}

static _Noreturn void companion_begin(void (*run)(void *, int), void *arg, const int *keep, int n, int end)
{
	setsid();
	close_others(keep, n, end);
	prctl(PR_SET_NAME, "cdbg-aside", 0, 0, 0);
	if (chdir("/") < 0)
		_exit(1);
	run(arg, end);
	_exit(0);
}

/* A clone without a signal at its end is seen by waitpid() with __WALL only. */
static pid_t clone_bare(void)
{
	return (pid_t)syscall(SYS_clone, 0, NULL, NULL, NULL, 0);
}

/* An orphan becomes a child of process 1 or of a subreaper; where that is the program, it stays our bare clone. */
static bool adopts_orphans(void)
{
	int on = 0;

	return program == 1 || (prctl(PR_GET_CHILD_SUBREAPER, &on, 0, 0, 0) == 0 && on);
}

/* The process between them ends at once; its child writes its number into shared memory. */
static pid_t start_orphan(void (*run)(void *, int), void *arg, const int *keep, int n, bool bare, int end)
{
	_Atomic pid_t *number = mmap(NULL, sizeof(*number), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t middle, pid, got;

	if (number == MAP_FAILED)
		return -1;
	middle = bare ? clone_bare() : fork();
	if (middle == 0) {
		pid = bare ? clone_bare() : fork();
		if (pid == 0)
			companion_begin(run, arg, keep, n, end);
		atomic_store(number, pid);
		_exit(0);
	}
	do
		got = middle < 0 ? middle : waitpid(middle, NULL, __WALL);
	while (got < 0 && middle > 0 && errno == EINTR);
	pid = middle < 0 ? -1 : atomic_load(number);
	munmap((void *)number, sizeof(*number));
	return pid ? pid : -1;
}

pid_t companion_start(void (*run)(void *, int), void *arg, const int *keep, int n, bool bare)
{
	sigset_t all, before;
	int end, e;
	pid_t pid;

	program = getpid();
	end = (int)syscall(SYS_pidfd_open, (int)program, 0);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	if (adopts_orphans()) {
		pid = clone_bare();
		if (pid == 0)
			companion_begin(run, arg, keep, n, end);
	} else {
		pid = start_orphan(run, arg, keep, n, bare, end);
	}
	e = errno;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (end >= 0)
		close(end);
	errno = e;
	return pid;
}
