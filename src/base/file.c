/* SPDX-License-Identifier: BSD-3-Clause */
/* Files that are written and read by a name that others may know: see file.h.  Knows libc only. */
#include "base/file.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/vfs.h>
#include <unistd.h>
#include "base/buf.h"
#include "base/err.h"

int file_write_all(int fd, const char *s, size_t n)
{
	ssize_t done;

	while (n) {
		done = write(fd, s, n);
		if (done < 0 && errno == EAGAIN)
			poll(&(struct pollfd){ .fd = fd, .events = POLLOUT }, 1, -1);
		else if (done < 0 && errno != EINTR)
			return -1;
		if (done > 0) {
			s += done;
			n -= (size_t)done;
		}
	}
	return 0;
}

const char *file_plain_path(const char *path, char *room)
{
	const char *plain = *path == '/' ? text_path_plain(path, room) : path;
	struct stat a, b;

	if (plain == path || !strstr(path, "/.."))
		return plain;
	if (stat(path, &a) < 0 || (stat(plain, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino))
		return plain;
	return realpath(path, room) ? room : path;
}

int file_sync(int fd)
{
	return fsync(fd) < 0 && errno != EINVAL && errno != EROFS && errno != ENOSYS ? -1 : 0;
}

const char *file_remedy(int reason)
{
	switch (reason) {
	case ENOSPC:
		return "; free space on its disk, or choose a file on another one";
	case EDQUOT:
		return "; your disk quota is used up: remove files, or choose a file on another disk";
	case EFBIG:
		return "; the limit of a file's size, 'ulimit -f', is too low";
	case EACCES:
	case EPERM:
	case EROFS:
		return "; choose a file in a folder that you can write to";
	case ENOENT:
	case ENOTDIR:
		return "; create its folder first, or choose another one";
	case EISDIR:
		return "; choose the name of a file";
	case ENXIO:
		return "; no process reads from it";
	}
	return "";
}

/* ---- whose file it is --------------------------------------------------------------------------------------- */

/* May every user put files into the folder? */
static bool is_shared(int dir, struct stat *st)
{
	return fstat(dir, st) < 0 || (st->st_mode & S_IWOTH);
}

/* In a folder of everybody's, a file may be another user's trap.  The folder's owner could replace it anyway. */
static int check_foreign(const char *name, int dir, const struct stat *st, struct err *err)
{
	struct stat folder = { .st_uid = geteuid() };

	if (st->st_uid == geteuid() || !is_shared(dir, &folder) || st->st_uid == folder.st_uid)
		return 0;
	return err_set(err,
		       "cannot write '%s': another user (uid %ld) owns it, in a folder that every user can write to; "
		       "choose another name",
		       name, (long)st->st_uid);
}

static int check_link(const char *name, const struct stat *st, struct err *err)
{
	if (st->st_uid == geteuid() || st->st_uid == 0)
		return 0;
	return err_set(err,
		       "cannot write '%s': it is a symbolic link of another user (uid %ld), which is not followed; "
		       "name the file itself",
		       name, (long)st->st_uid);
}

/* ---- where it is -------------------------------------------------------------------------------------------- */

/* Open the folder of a path: f->dir, f->file.  -1: errno. */
static int open_folder(struct file_out *f, int from, const char *path)
{
	const char *slash = strrchr(path, '/');
	char *folder = !slash ? mem_str(".") : mem_strn(path, slash == path ? 1 : (size_t)(slash - path));
	int dir = openat(from, folder, O_PATH | O_DIRECTORY | O_CLOEXEC);

	free(folder);
	if (dir < 0)
		return -1;
	if (f->dir >= 0)
		close(f->dir);
	free(f->file);
	f->dir = dir;
	f->file = mem_str(slash ? slash + 1 : path);
	if (*f->file)
		return 0;
	errno = EISDIR;
	return -1;
}

/* A link of /proc/self/fd is an open file, not a name of one. */
static bool is_magic(int dir)
{
	struct statfs fs;

	return fstatfs(dir, &fs) == 0 && fs.f_type == PROC_SUPER_MAGIC;
}

enum place { FAILED = -1, REGULAR, SPECIAL };

/* Find the file itself, through own links: REGULAR (or none yet), SPECIAL: written to as it is. */
static enum place locate_file(struct file_out *f, struct stat *st, struct err *err)
{
	char target[4096];
	ssize_t n;
	int links;

	f->exists = false;
	if (open_folder(f, AT_FDCWD, f->name) < 0)
		return (enum place)file_failed(f, errno, err);
	for (links = 0; links < 40; links++) {
		if (fstatat(f->dir, f->file, st, AT_SYMLINK_NOFOLLOW) < 0)
			return errno == ENOENT ? REGULAR : (enum place)file_failed(f, errno, err);
		if (S_ISDIR(st->st_mode))
			return (enum place)file_failed(f, EISDIR, err);
		if (!S_ISLNK(st->st_mode)) {
			f->exists = S_ISREG(st->st_mode);
			return check_foreign(f->name, f->dir, st, err) < 0 ? FAILED : f->exists ? REGULAR : SPECIAL;
		}
		if (check_link(f->name, st, err) < 0)
			return FAILED;
		if (is_magic(f->dir))
			return SPECIAL;
		n = readlinkat(f->dir, f->file, target, sizeof(target) - 1);
		if (n < 0)
			return (enum place)file_failed(f, errno, err);
		target[n] = '\0';
		if (open_folder(f, f->dir, target) < 0)
			return (enum place)file_failed(f, errno, err);
	}
	return (enum place)file_failed(f, ELOOP, err);
}

/* What is opened blocks as usual. */
static int blocking(int fd)
{
	int flags = fd < 0 ? -1 : fcntl(fd, F_GETFL);

	if (flags >= 0)
		fcntl(fd, F_SETFL, flags & ~O_NONBLOCK);
	return fd;
}

/* Open what is there, if it is still what was looked at.  A pipe without a reader fails at once (ENXIO). */
static int open_there(const struct file_out *f, const struct stat *was)
{
	const bool link = S_ISLNK(was->st_mode);
	int fd = openat(f->dir, f->file,
			O_WRONLY | O_APPEND | O_NONBLOCK | O_NOCTTY | O_CLOEXEC | (link ? 0 : O_NOFOLLOW));
	struct stat now;

	if (fd < 0 || link || (fstat(fd, &now) == 0 && now.st_ino == was->st_ino && now.st_dev == was->st_dev))
		return blocking(fd);
	close(fd);
	errno = EEXIST; /* another file has the name now */
	return -1;
}

/* ---- writing ------------------------------------------------------------------------------------------------ */

int file_failed(const struct file_out *f, int reason, struct err *err)
{
	return err_set(err, "cannot write '%s': %s%s%s", f->name, strerror(reason),
		       f->exists ? "; the earlier file is unchanged" : "", file_remedy(reason));
}

static void file_release(struct file_out *f)
{
	if (f->fd >= 0)
		close(f->fd);
	if (f->dir >= 0)
		close(f->dir);
	free(f->temp);
	free(f->file);
	free(f->name);
	memset(f, 0, sizeof(*f));
	f->fd = f->dir = -1;
}

/* A name that nobody can know before.  O_EXCL does not follow a link. */
static int create_beside(struct file_out *f, mode_t mode)
{
	unsigned random;
	int i, fd = -1;

	for (i = 0; fd < 0 && i < 100; i++) {
		if (getrandom(&random, sizeof(random), 0) != sizeof(random))
			return -1;
		free(f->temp);
		f->temp = mem_fmt(".cdbg-%08x", random);
		fd = openat(f->dir, f->temp, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode);
		if (fd < 0 && errno != EEXIST)
			break;
	}
	return fd;
}

/* The new file is for those for whom the earlier one was, and for nobody else. */
static int keep_mode(int fd, const struct stat *was)
{
	mode_t mode = was->st_mode & 0777;
	struct stat now;

	if (fstat(fd, &now) < 0)
		return -1;
	if (geteuid() == 0 && was->st_uid != now.st_uid && fchown(fd, was->st_uid, (gid_t)-1) < 0)
		return -1;
	if (was->st_gid != now.st_gid && fchown(fd, (uid_t)-1, was->st_gid) < 0)
		mode &= ~(mode_t)070;
	return fchmod(fd, mode);
}

int file_begin(struct file_out *f, const char *name, mode_t mode, struct err *err)
{
	struct stat st;
	enum place place;

	memset(f, 0, sizeof(*f));
	f->fd = f->dir = -1;
	f->name = mem_str(name);
	place = locate_file(f, &st, err);
	if (place == REGULAR) {
		f->fd = create_beside(f, f->exists ? st.st_mode & 0700 : mode);
		if (f->fd < 0) { /* nothing to remove */
			free(f->temp);
			f->temp = NULL;
		}
	} else if (place == SPECIAL) {
		f->fd = open_there(f, &st);
	}
	if (place != FAILED && (f->fd < 0 || (f->exists && keep_mode(f->fd, &st) < 0)))
		file_failed(f, errno, err);
	else if (place != FAILED)
		return 0;
	file_discard(f);
	return -1;
}

int file_commit(struct file_out *f, struct err *err)
{
	int ret = !f->temp ? 0 : file_sync(f->fd);

	if (ret == 0 && f->temp)
		ret = renameat(f->dir, f->temp, f->dir, f->file);
	if (ret < 0) {
		file_failed(f, errno, err);
		file_discard(f);
		return -1;
	}
	file_release(f);
	return 0;
}

void file_discard(struct file_out *f)
{
	if (f->temp)
		unlinkat(f->dir, f->temp, 0);
	file_release(f);
}

int file_write(const char *name, const char *text, size_t n, mode_t mode, struct err *err)
{
	struct file_out f;

	if (file_begin(&f, name, mode, err) < 0)
		return -1;
	if (file_write_all(f.fd, text, n) == 0)
		return file_commit(&f, err);
	file_failed(&f, errno, err);
	file_discard(&f);
	return -1;
}

int file_append(const char *name, struct err *err)
{
	struct file_out f = { .fd = -1, .name = mem_str(name), .dir = -1 };
	struct stat st;
	enum place place = locate_file(&f, &st, err);
	int fd = -1;

	if (place == REGULAR && !f.exists)
		fd = openat(f.dir, f.file, O_WRONLY | O_APPEND | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	else if (place != FAILED)
		fd = open_there(&f, &st);
	f.exists = false; /* nothing is replaced */
	if (fd < 0 && place != FAILED)
		file_failed(&f, errno, err);
	file_release(&f);
	return fd;
}

/* ---- reading ------------------------------------------------------------------------------------------------ */

int file_open(const char *name)
{
	return blocking(open(name, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
}

int file_open_regular(const char *name)
{
	int fd = open(name, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK), error;
	struct stat st;

	if (fd < 0)
		return -1;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
		return fd;
	error = S_ISDIR(st.st_mode) ? EISDIR : EINVAL;
	close(fd);
	errno = error;
	return -1;
}

/* A file that only the user can have written: it is opened first and then examined. */
static int open_own(const char *name, struct err *err)
{
	int fd = open(name, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | O_NOFOLLOW);
	struct stat st;

	if (fd < 0) {
		err_set(err, "cannot read '%s': %s", name, strerror(errno));
		return -1;
	}
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == geteuid() && !(st.st_mode & S_IWOTH))
		return fd;
	close(fd);
	return err_set(err, "cannot read '%s': another user may have written it", name);
}

int file_read(const char *name, bool own, struct buf *text, size_t max, struct err *err)
{
	int fd = own ? open_own(name, err) : file_open(name), error = 0;
	char part[8192];
	ssize_t n = 1;

	if (fd < 0)
		return own ? -1 : err_set(err, "cannot read '%s': %s", name, strerror(errno));
	while (n > 0 && text->len <= max) {
		n = read(fd, part, sizeof(part));
		error = n < 0 ? errno : 0;
		if (n > 0)
			buf_add(text, part, (size_t)n);
		else if (n < 0 && errno == EINTR)
			n = 1;
	}
	close(fd);
	if (n < 0)
		return err_set(err, "cannot read '%s': %s", name, strerror(error));
	if (text->len > max)
		return err_set(err, "cannot read '%s': it is longer than %zu bytes", name, max);
	return 0;
}
