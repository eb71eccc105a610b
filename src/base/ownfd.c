/* SPDX-License-Identifier: BSD-3-Clause */
/* cdbg's own descriptors: see ownfd.h.  Knows no terminal and no front end. */
#include "config.h"
#include "base/ownfd.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/close_range.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio_ext.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
	SLOTS = 64,
	ROOM = 64,  /* descriptors are chosen from so many numbers below the limit */
	TOP = 4096, /* fork() copies a table as long as the highest number */
	LOWEST = 10,
	FREE = -1,
	CLAIMED = -2,
};

static struct own_fd {
	atomic_int fd;	     /* the descriptor plus one, so that zeroed memory means FREE */
	bool private;	     /* in the table of the thread that has its own */
	atomic_bool dropped; /* closed in that thread's table, but not in the program's */
	dev_t dev, rdev;
	ino_t ino;
	mode_t type;
	int access;
	int copied; /* the program's descriptor that it is a copy of, or -1 */
} slots[SLOTS];

static _Thread_local bool private; /* this thread has a table of its own */

/* If two have the same number, a thread with a table of its own finds the one in its own table. */
static struct own_fd *fd_find(int fd)
{
	struct own_fd *s = NULL;
	int i;

	for (i = 0; i < SLOTS && fd >= 0; i++) {
		if (atomic_load(&slots[i].fd) != fd + 1 || atomic_load(&slots[i].dropped))
			continue;
		if (slots[i].private == private)
			return &slots[i];
		if (private)
			s = &slots[i];
	}
	return s;
}

static void fd_forget(struct own_fd *s)
{
	if (private && !s->private)
		atomic_store(&s->dropped, true);
	else
		atomic_store(&s->fd, FREE + 1);
}

/* statx() and not fstat(): once somebody has read a file's times, Linux 6.13 and later write new ones to the inode at
   the next write(), which then takes twice as long. */
static bool fd_has_file(const struct own_fd *s, int fd, unsigned int more, struct statx *st)
{
	return statx(fd, "", AT_EMPTY_PATH, STATX_TYPE | STATX_INO | more, st) == 0 &&
	       makedev(st->stx_dev_major, st->stx_dev_minor) == s->dev && st->stx_ino == s->ino &&
	       makedev(st->stx_rdev_major, st->stx_rdev_minor) == s->rdev && (st->stx_mode & S_IFMT) == s->type;
}

static bool fd_is_same(const struct own_fd *s, int fd)
{
	int flags = fcntl(fd, F_GETFL);
	struct statx st;

	return flags >= 0 && (flags & O_ACCMODE) == s->access && fd_has_file(s, fd, 0, &st);
}

bool ownfd_ok(int fd)
{
	const struct own_fd *s = fd_find(fd);
	int e = errno;
	bool yes = s && fd_is_same(s, fd);

	errno = e;
	return yes;
}

bool ownfd_statx(int fd, unsigned int more, struct statx *st)
{
	const struct own_fd *s = fd_find(fd);
	int e = errno;
	bool yes = s && fd_has_file(s, fd, more, st);

	errno = e;
	return yes;
}

#ifndef F_DUPFD_QUERY
#define F_DUPFD_QUERY 1027
#endif

/* Are both copies of one descriptor?  Linux 6.10 and later tell that in half the time of a statx(); where they do not,
   as also where the program has put another file in the place of its own, the answer is no. */
static bool fd_is_copy(const struct own_fd *s, int fd)
{
	static atomic_bool unknown;
	int e = errno, yes = -1;

	if (s->copied >= 0 && !atomic_load(&unknown)) {
		yes = fcntl(fd, F_DUPFD_QUERY, s->copied);
		if (yes < 0 && errno == EINVAL)
			atomic_store(&unknown, true);
	}
	errno = e;
	return yes == 1;
}

bool ownfd_same_file(int fd)
{
	const struct own_fd *s = fd_find(fd);
	struct statx st;

	return s && (fd_is_copy(s, fd) || ownfd_statx(fd, 0, &st));
}

bool ownfd_has_file(const struct stat *st)
{
	int i;

	for (i = 0; i < SLOTS; i++)
		if (atomic_load(&slots[i].fd) > 0 && slots[i].dev == st->st_dev && slots[i].ino == st->st_ino &&
		    slots[i].rdev == st->st_rdev && slots[i].type == (st->st_mode & S_IFMT))
			return true;
	return false;
}

void ownfd_close(int fd)
{
	struct own_fd *s = fd_find(fd);

	if (!s)
		return;
	if (fd_is_same(s, fd))
		close(fd);
	fd_forget(s);
}

void ownfd_fclose(FILE *f)
{
	int fd = fileno(f);
	struct own_fd *s = fd_find(fd);

	if (s && fd_is_same(s, fd))
		fclose(f);
	else
		__fpurge(f); /* the program uses this number now: do not write to it or close it */
	if (s)
		fd_forget(s);
}

static bool inherit;

void ownfd_inherit(bool on)
{
	inherit = on;
}

/* The child has only the forking thread; what it keeps open would keep others from seeing the end of a pipe. */
static void fd_forked(void)
{
	int i, fd;

	if (inherit)
		return;
	for (i = 0; i < SLOTS; i++) {
		fd = atomic_load(&slots[i].fd) - 1;
		if (fd >= 0 && !slots[i].private && fd_is_same(&slots[i], fd))
			close(fd);
		atomic_store(&slots[i].fd, FREE + 1);
	}
}

static void close_between(int from, int to)
{
	if (from <= to)
		syscall(SYS_close_range, from, to, 0);
}

int ownfd_private(void)
{
	int i, fd, from = 3, next;

	if (syscall(SYS_close_range, ~0U, ~0U, CLOSE_RANGE_UNSHARE) < 0)
		return -1;
	private = true;
	for (; from < INT_MAX; from = next + 1) { /* all but the registered ones, in order */
		next = INT_MAX;
		for (i = 0; i < SLOTS; i++) {
			fd = atomic_load(&slots[i].fd) - 1;
			if (fd >= from && fd < next)
				next = fd;
		}
		close_between(from, next - 1);
		if (next == INT_MAX)
			break;
	}
	return 0;
}

void ownfd_reap(void)
{
	struct own_fd *s;
	int i, fd;

	for (i = 0; i < SLOTS; i++) {
		s = &slots[i];
		fd = atomic_load(&s->fd) - 1;
		if (fd < 0 || !(s->private || atomic_load(&s->dropped)))
			continue;
		if (!s->private && fd_is_same(s, fd))
			close(fd);
		atomic_store(&s->fd, FREE + 1);
	}
}

static struct own_fd *claim(void)
{
	static atomic_flag watched = ATOMIC_FLAG_INIT;
	int i, want;

	if (!atomic_flag_test_and_set(&watched))
		pthread_atfork(NULL, NULL, fd_forked);
	for (i = 0; i < SLOTS; i++) {
		want = FREE + 1;
		if (atomic_compare_exchange_strong(&slots[i].fd, &want, CLAIMED + 1))
			return &slots[i];
	}
	errno = EMFILE;
	return NULL;
}

int ownfd_adopt(int fd)
{
	struct own_fd *s = fd_find(fd); /* a number that cdbg had registered before the program closed it */
	struct stat st;
	int flags = fcntl(fd, F_GETFL);

	if (flags < 0 || fstat(fd, &st) < 0 || fcntl(fd, F_SETFD, FD_CLOEXEC) < 0)
		return -1;
	if (!s || s->private != private)
		s = claim();
	if (!s)
		return -1;
	s->dev = st.st_dev;
	s->rdev = st.st_rdev;
	s->ino = st.st_ino;
	s->type = st.st_mode & S_IFMT;
	s->access = flags & O_ACCMODE;
	s->copied = -1;
	s->private = private;
	atomic_store(&s->dropped, false);
	atomic_store(&s->fd, fd + 1);
	return fd;
}

static int duplicate(int fd)
{
	struct rlimit limit;
	int top = TOP, room = ROOM, want, high;

	if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < TOP)
		top = (int)limit.rlim_cur;
	if (top < 4 * ROOM)
		room = top / 4 + 1;
	for (want = top - room; want > LOWEST; want -= room) {
		high = fcntl(fd, F_DUPFD_CLOEXEC, want);
		if (high >= 0 || (errno != EMFILE && errno != EINVAL))
			return high;
	}
	return fcntl(fd, F_DUPFD_CLOEXEC, LOWEST < top ? LOWEST : 0);
}

static int copy_kept(int fd)
{
	int high = duplicate(fd), own, e;

	if (high < 0)
		return -1;
	own = ownfd_adopt(high);
	if (own < 0) {
		e = errno;
		close(high);
		errno = e;
	}
	return own;
}

int ownfd_copy(int fd)
{
	int own = copy_kept(fd);

	if (own >= 0)
		fd_find(own)->copied = fd;
	return own;
}

int ownfd_move(int fd)
{
	int own, e;

	if (fd < 0)
		return -1;
	own = copy_kept(fd);
	e = errno;
	close(fd);
	errno = e;
	return own;
}
