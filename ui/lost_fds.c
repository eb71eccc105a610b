/* SPDX-License-Identifier: BSD-3-Clause */
/* For front ends that lost their descriptors: see lost_fds.h.  Knows no front end. */
#include "config.h"
#include "ui/lost_fds.h"
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/ownfd.h"

static const char text[] = "\ncdbg: the program closed or replaced descriptors that cdbg needs; "
			   "detached, the program runs on without cdbg\n";

static struct {
	struct stat was[3];
	bool open[3];
	bool terminal;
	dev_t device; /* the terminal's */
	char name[256];
	pid_t pid;
} first;

void lost_fds_remember(void)
{
	char name[sizeof(first.name)];
	int fd;

	first.pid = getpid();
	first.terminal = false;
	for (fd = 2; fd >= 0; fd--) { /* of several terminals: what is typed on */
		first.open[fd] = fstat(fd, &first.was[fd]) == 0;
		if (!first.open[fd] || ttyname_r(fd, name, sizeof(name)))
			continue;
		memcpy(first.name, name, sizeof(name));
		first.terminal = true;
		first.device = first.was[fd].st_rdev;
	}
}

static int open_device(const char *name)
{
	int fd = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
	struct stat st;

	if (fd >= 0 && fstat(fd, &st) == 0 && S_ISCHR(st.st_mode) && st.st_rdev == first.device)
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

int lost_fds_terminal(void)
{
	return first.terminal ? open_device(first.name) : -1;
}

static bool unchanged(int fd)
{
	const struct stat *was = &first.was[fd];
	struct stat st;

	return first.open[fd] && fstat(fd, &st) == 0 && st.st_dev == was->st_dev && st.st_ino == was->st_ino &&
	       st.st_rdev == was->st_rdev && (fcntl(fd, F_GETFL) & O_ACCMODE) != O_RDONLY;
}

void lost_fds_say(int fd)
{
	const char *s = text + 1;
	int opened = -1;

	if (getpid() != first.pid) /* a fork's child says nothing */
		return;
	if (!ownfd_ok(fd))
		fd = unchanged(2) ? 2 : unchanged(1) ? 1 : (opened = lost_fds_terminal());
	if (isatty(fd))
		s = text;
	if (fd >= 0 && write(fd, s, strlen(s)) < 0)
		fd = -1; /* there is no descriptor left to report it on */
	if (opened >= 0)
		close(opened);
}
