/* SPDX-License-Identifier: BSD-3-Clause */
/* Open files and their positions: see openfiles.h. */
#include "config.h"
#include "base/openfiles.h"
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/buf.h"
#include "base/ownfd.h"

/* Calls each() for the program's descriptors. */
static void each_fd(void (*each)(int fd, const struct stat *st, void *arg), void *arg)
{
	DIR *d = opendir("/proc/self/fd");
	struct dirent *e;
	struct stat st;
	int fd;

	while (d && (e = readdir(d))) {
		fd = atoi(e->d_name);
		if (fd > 2 && fd != dirfd(d) && fstat(fd, &st) == 0 && !ownfd_has_file(&st))
			each(fd, &st, arg);
	}
	if (d)
		closedir(d);
}

static void save_one(int fd, const struct stat *st, void *arg)
{
	struct openfiles *o = arg;
	off_t at;

	o->pipes += S_ISFIFO(st->st_mode);
	o->sockets += S_ISSOCK(st->st_mode);
	at = S_ISREG(st->st_mode) ? lseek(fd, 0, SEEK_CUR) : -1;
	if (at < 0)
		return;
	o->file = mem_grow(o->file, &o->cap, o->n + 1, sizeof(*o->file));
	o->file[o->n++] = (struct openfile){ .fd = fd, .dev = st->st_dev, .ino = st->st_ino, .at = at };
}

void openfiles_save(struct openfiles *o)
{
	o->n = 0;
	o->pipes = o->sockets = 0;
	each_fd(save_one, o);
}

int openfiles_restore(const struct openfiles *o)
{
	struct stat st;
	int bad = 0;
	size_t i;

	for (i = 0; i < o->n; i++)
		if (fstat(o->file[i].fd, &st) < 0 || st.st_dev != o->file[i].dev || st.st_ino != o->file[i].ino ||
		    lseek(o->file[i].fd, o->file[i].at, SEEK_SET) < 0)
			bad++;
	return bad;
}

static void look_device(int fd, const struct stat *st, void *arg)
{
	/* a library that only counts the devices opens /dev/nvidiactl alone */
	static const char *const used[] = { "/dev/nvidia-uvm", "/dev/kfd", "/dev/dri/renderD" };
	char link[64], name[PATH_MAX];
	ssize_t n;
	size_t i;

	if (!S_ISCHR(st->st_mode))
		return;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, name, sizeof(name) - 1);
	name[n > 0 ? n : 0] = '\0';
	for (i = 0; i < sizeof(used) / sizeof(*used); i++)
		if (!strncmp(name, used[i], strlen(used[i])))
			*(const char **)arg = used[i];
}

const char *openfiles_device(void)
{
	const char *name = NULL;

	each_fd(look_device, &name);
	return name;
}
