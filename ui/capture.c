/* SPDX-License-Identifier: BSD-3-Clause */
/* The program's output, caught in pipes: see capture.h.  Knows no JSON and no session. */
#include "ui/capture.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/buf.h"
#include "base/err.h"
#include "ui/val_json.h"

enum { CHUNK = 65536 };

struct stream {
	int fd;                              /* read end, not blocking; -1: nobody writes any more */
	char text[CHUNK + 4];
	size_t kept;                         /* bytes of a character whose rest has not come yet */
};

static struct {
	struct stream stream[2];
	void (*say)(int stream, const char *text, size_t n);
	pthread_mutex_t lock;                /* held from a read until its text was said */
	int life;                            /* open as long as this process lives */
	bool on;                             /* false in a fork's child too */
} cap = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* One read of at most max bytes; how many came.  With the lock. */
static size_t read_some(int i, size_t max)
{
	struct stream *st = &cap.stream[i];
	size_t whole, rest;
	ssize_t n;

	do
		n = read(st->fd, st->text + st->kept, max < CHUNK ? max : CHUNK);
	while (n < 0 && errno == EINTR);
	if (n == 0)
		close(st->fd);
	if (n == 0 || (n < 0 && errno != EAGAIN))
		st->fd = -1;                 /* all writers are gone, or the program closed what is ours */
	if (n <= 0)
		return 0;
	whole = st->kept + (size_t)n;
	rest = utf8_unfinished(st->text, whole);
	whole -= rest;
	if (whole)
		cap.say(i + 1, st->text, whole);
	memmove(st->text, st->text + whole, rest);
	st->kept = rest;
	return (size_t)n;
}

static void *pump(void *unused)
{
	struct pollfd p[2];
	int i;

	(void)unused;
	for (;;) {
		for (i = 0; i < 2; i++)
			p[i] = (struct pollfd){ .fd = cap.stream[i].fd, .events = POLLIN };
		if (p[0].fd < 0 && p[1].fd < 0)
			return NULL;
		if (poll(p, 2, -1) < 0)
			continue;
		pthread_mutex_lock(&cap.lock);
		for (i = 0; i < 2; i++)
			if (p[i].revents && cap.stream[i].fd >= 0)
				read_some(i, CHUNK);
		pthread_mutex_unlock(&cap.lock);
	}
}

/* Only what is there now: a thread or child that writes without end must not keep a stop from being told. */
static void drain(int i)
{
	int there = 0;
	size_t n;

	if (cap.stream[i].fd < 0 || ioctl(cap.stream[i].fd, FIONREAD, &there) < 0)
		return;
	for (; there > 0 && cap.stream[i].fd >= 0; there -= (int)n) {
		n = read_some(i, (size_t)there);
		if (!n)
			return;
	}
}

void capture_drain(void)
{
	if (!cap.on)
		return;
	pthread_mutex_lock(&cap.lock);
	drain(0);
	drain(1);
	pthread_mutex_unlock(&cap.lock);
}

void capture_finish(void)
{
	struct stream *st;
	int i;

	if (!cap.on)
		return;
	pthread_mutex_lock(&cap.lock);
	for (i = 0; i < 2; i++) {
		st = &cap.stream[i];
		drain(i);
		if (st->kept)
			cap.say(i + 1, st->text, st->kept);
		st->kept = 0;
	}
	pthread_mutex_unlock(&cap.lock);
}

/* ---- the last reader ----------------------------------------------------------------------------------- */

static int by_number(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

/* All descriptors but the n of keep, which is sorted. */
static void close_others(int *keep, int n)
{
	unsigned from = 0;
	int i;

	qsort(keep, (size_t)n, sizeof(*keep), by_number);
	for (i = 0; i < n; i++) {
		if (keep[i] < 0)
			continue;
		if ((unsigned)keep[i] > from)
			close_range(from, (unsigned)keep[i] - 1, 0);
		from = (unsigned)keep[i] + 1;
	}
	close_range(from, ~0U, 0);
}

/* Say what comes until the program is gone (alive: readable then) or nobody can write any more. */
static void pump_until_gone(int alive)
{
	struct pollfd p[3];
	int i;

	do {
		for (i = 0; i < 2; i++)
			p[i] = (struct pollfd){ .fd = cap.stream[i].fd, .events = POLLIN };
		p[2] = (struct pollfd){ .fd = alive, .events = POLLIN };
		if ((p[0].fd < 0 && p[1].fd < 0) || poll(p, 3, -1) < 0)
			return;
		for (i = 0; i < 2; i++)
			if (p[i].revents)
				read_some(i, CHUNK);
	} while (!p[2].revents);
}

/* Children that live on may write on: into nothing, not into an error. */
static void swallow(void)
{
	struct pollfd p[2];
	int i;

	for (;;) {
		for (i = 0; i < 2; i++)
			p[i] = (struct pollfd){ .fd = cap.stream[i].fd, .events = POLLIN };
		if ((p[0].fd < 0 && p[1].fd < 0) || poll(p, 2, -1) < 0)
			return;
		for (i = 0; i < 2; i++)
			if (p[i].revents && read(p[i].fd, cap.stream[i].text, CHUNK) <= 0 && errno != EAGAIN)
				cap.stream[i].fd = -1;
	}
}

/*
 * A process that ends by _exit() or a crash leaves text in the pipes, and one that becomes another program by exec()
 * goes on writing to them.  This one waits for either (nobody else holds the other end of `life`, and exec() closes
 * it) and says what comes.  No child of the program: it is not in its wait().
 */
static void last_reader(int life, int keep, int alive)
{
	int fds[] = { life, keep, alive, cap.stream[0].fd, cap.stream[1].fd };
	sigset_t all;
	char c;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	setsid();
	close_others(fds, 5);
	if (chdir("/") < 0)
		_exit(1);
	while (read(life, &c, 1) < 0 && errno == EINTR)
		;
	if (alive >= 0)
		pump_until_gone(alive);
	drain(0);
	drain(1);
	close(keep);
	swallow();
	_exit(0);
}

static int start_last_reader(int keep, struct err *err)
{
	int alive = (int)syscall(SYS_pidfd_open, getpid(), 0);       /* -1 where the kernel is too old */
	int life[2];
	pid_t pid;

	if (pipe2(life, O_CLOEXEC) < 0)
		return err_set(err, "cannot make a pipe: %s", strerror(errno));
	pid = fork();
	if (pid < 0)
		return err_set(err, "cannot start a process: %s", strerror(errno));
	if (pid == 0) {
		if (fork() == 0) {
			close(life[1]);
			last_reader(life[0], keep, alive);
		}
		_exit(0);
	}
	close(life[0]);
	if (alive >= 0)
		close(alive);
	cap.life = life[1];
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	return 0;
}

void capture_forked(void)
{
	int i;

	if (!cap.on)
		return;
	cap.on = false;
	close(cap.life);
	for (i = 0; i < 2; i++)
		if (cap.stream[i].fd >= 0)
			close(cap.stream[i].fd);
}

/* ---- start ----------------------------------------------------------------------------------------------- */

static int start_thread(struct err *err)
{
	sigset_t all, old;
	pthread_t t;
	int e;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	e = pthread_create(&t, NULL, pump, NULL);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (e)
		return err_set(err, "cannot start a thread: %s", strerror(e));
	pthread_detach(t);
	return 0;
}

/* A pipe of which the program has the write end, as descriptor fd. */
static int take_over(int fd, struct stream *st, struct err *err)
{
	int p[2];

	if (pipe2(p, O_CLOEXEC) < 0)
		return err_set(err, "cannot make a pipe: %s", strerror(errno));
	st->fd = fcntl(p[0], F_DUPFD_CLOEXEC, 64);   /* out of the way of programs that count descriptors */
	close(p[0]);
	if (st->fd < 0 || fcntl(st->fd, F_SETFL, O_NONBLOCK) < 0 || dup2(p[1], fd) < 0)
		return err_set(err, "cannot take over descriptor %d: %s", fd, strerror(errno));
	close(p[1]);
	return 0;
}

int capture_start(void (*say)(int stream, const char *text, size_t n), int keep, struct err *err)
{
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC);

	cap.say = say;
	if (null < 0 || dup2(null, 0) < 0)
		return err_set(err, "cannot open '/dev/null': %s", strerror(errno));
	if (null > 2)
		close(null);
	if (take_over(1, &cap.stream[0], err) < 0 || take_over(2, &cap.stream[1], err) < 0)
		return -1;
	if (start_last_reader(keep, err) < 0 || start_thread(err) < 0)
		return -1;
	cap.on = true;
	return 0;
}
