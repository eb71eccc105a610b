/* SPDX-License-Identifier: BSD-3-Clause */
/* A directory of files that appears whole or not at all: see outdir.h.  Knows libc only. */
#include "base/outdir.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/buf.h"
#include "base/err.h"
#include "base/file.h"

/* ---- real directories --------------------------------------------------------------------------------------- */

/* A directory itself, never what a link leads to. */
static int open_dir(int in, const char *name)
{
	return openat(in, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/* Its entries; fd stays open. */
static DIR *list_dir(int fd)
{
	int copy = open_dir(fd, ".");
	DIR *dir = copy < 0 ? NULL : fdopendir(copy);

	if (copy >= 0 && !dir)
		close(copy);
	return dir;
}

/* The next entry but "." and ".."; NULL: there is none. */
static const char *next_in_dir(DIR *dir)
{
	struct dirent *e;

	while (dir && (e = readdir(dir)))
		if (strcmp(e->d_name, ".") && strcmp(e->d_name, ".."))
			return e->d_name;
	return NULL;
}

static int entries_in(int fd)
{
	DIR *dir = list_dir(fd);
	int n = 0;

	if (!dir)
		return -1;
	while (next_in_dir(dir))
		n++;
	closedir(dir);
	return n;
}

/* ---- what is there already ---------------------------------------------------------------------------------- */

static bool has_mark(int dir, const char *mark, const char *begins)
{
	int fd = openat(dir, mark, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	char text[128] = "";
	ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof(text) - 1);

	if (fd >= 0)
		close(fd);
	return n >= (ssize_t)strlen(begins) && !strncmp(text, begins, strlen(begins));
}

#define LINKED \
	"cannot write the directory '%s': it is a symbolic link of another user (uid %ld), which is not followed; " \
	"name the directory itself"

char *outdir_path(const char *path, struct err *err)
{
	size_t n = strlen(path);
	char *copy, *slash, *parent, *real, *out = NULL;
	struct stat st;

	while (n > 1 && path[n - 1] == '/')
		n--;
	copy = mem_strn(path, n);
	if (lstat(copy, &st) == 0 && S_ISLNK(st.st_mode) && st.st_uid != geteuid() && st.st_uid != 0) {
		err_set(err, LINKED, path, (long)st.st_uid);
		free(copy);
		return NULL;
	}
	real = realpath(copy, NULL);
	if (real) {
		free(copy);
		return real;
	}
	slash = strrchr(copy, '/');
	parent = slash ? mem_strn(copy, slash == copy ? 1 : (size_t)(slash - copy)) : mem_str(".");
	real = realpath(parent, NULL);
	if (real)
		out = mem_fmt("%s%s%s", real, real[1] ? "/" : "", slash ? slash + 1 : copy);
	else
		err_set(err, "cannot write the directory '%s': '%s': %s", path, parent, strerror(errno));
	free(real);
	free(parent);
	free(copy);
	return out;
}

/* A directory that is written beside its place cannot be renamed to a place where a file system is mounted. */
#define MOUNTED "the directory '%s' is a mount point, which cannot be replaced; name a directory in it"
#define FOREIGN "another user (uid %ld) owns the directory '%s'; choose another name"

static bool is_mount_point(int dir, const struct stat *st)
{
	struct stat above;

	return fstatat(dir, "..", &above, 0) == 0 && (above.st_dev != st->st_dev || above.st_ino == st->st_ino);
}

static const char *last_name(const struct outdir *d)
{
	return strrchr(d->path, '/') + 1;
}

static int open_parent(struct outdir *d)
{
	const char *slash = strrchr(d->path, '/');
	char *parent = slash == d->path ? mem_str("/") : mem_strn(d->path, (size_t)(slash - d->path));

	d->parent = open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (d->parent < 0) /* one that cannot be listed */
		d->parent = open(parent, O_PATH | O_DIRECTORY | O_CLOEXEC);
	free(parent);
	return d->parent;
}

/* dir: the directory that has the name. */
static int check_existing(struct outdir *d, int dir, const char *path, const char *mark, const char *begins,
			  struct err *err)
{
	struct stat st;
	int n;

	if (fstat(dir, &st) < 0)
		return err_set(err, "cannot write the directory '%s': %s", path, strerror(errno));
	if (is_mount_point(dir, &st))
		return err_set(err, MOUNTED, path);
	if (st.st_uid != geteuid())
		return err_set(err, FOREIGN, (long)st.st_uid, path);
	n = entries_in(dir);
	if (n < 0)
		return err_set(err, "cannot read the directory '%s': %s", path, strerror(errno));
	d->replaces = n > 0 && has_mark(dir, mark, begins);
	if (n > 0 && !d->replaces)
		return err_set(err,
			       "the directory '%s' is not empty and is not one that cdbg wrote; choose "
			       "another name",
			       path);
	return 0;
}

static int check_replaceable(struct outdir *d, const char *path, const char *mark, const char *begins, struct err *err)
{
	int dir, ret;

	memset(d, 0, sizeof(*d));
	d->parent = d->dir = d->lock = -1;
	if (*path)
		d->path = outdir_path(path, err);
	else
		err_set(err, "no directory given: name the one to write");
	if (!d->path)
		return -1;
	if (!*last_name(d))
		return err_set(err, MOUNTED, path);
	dir = open_parent(d) < 0 ? -1 : open_dir(d->parent, last_name(d));
	if (dir >= 0) {
		ret = check_existing(d, dir, path, mark, begins, err);
		close(dir);
		return ret;
	}
	d->fresh = errno == ENOENT;
	if (errno == ENOTDIR || errno == ELOOP)
		return err_set(err, "cannot write the directory '%s': a file has that name; choose another name", path);
	return d->fresh ? 0 : err_set(err, "cannot write the directory '%s': %s", path, strerror(errno));
}

static void outdir_release(struct outdir *d)
{
	int *fd[] = { &d->parent, &d->dir, &d->lock };
	size_t i;

	for (i = 0; i < sizeof(fd) / sizeof(*fd); i++)
		if (*fd[i] >= 0)
			close(*fd[i]);
	free(d->path);
	free(d->temp);
	memset(d, 0, sizeof(*d));
	d->parent = d->dir = d->lock = -1;
}

int outdir_check(const char *path, const char *mark, const char *begins, struct err *err)
{
	struct outdir d;
	int ret = check_replaceable(&d, path, mark, begins, err);

	if (ret == 0 && faccessat(d.parent, ".", W_OK | X_OK, 0) < 0)
		ret = err_set(err, "cannot write the directory '%s': %s%s", path, strerror(errno), file_remedy(errno));
	outdir_release(&d);
	return ret;
}

/* ---- removing ----------------------------------------------------------------------------------------------- */

/* A directory that is not complete, or no longer, has this file, which its process holds locked. The kernel ends the
   lock with the process, also where its number means nothing: in another container, on another machine. */
#define UNFINISHED ".cdbg-unfinished"

/* A directory in `in`, if it is the user's own and on the same file system: its descriptor, else -1. */
static int open_own_dir(int in, const char *name)
{
	struct stat st, above;
	int fd = open_dir(in, name);

	if (fd >= 0 &&
	    (fstat(fd, &st) < 0 || fstat(in, &above) < 0 || st.st_uid != geteuid() || st.st_dev != above.st_dev)) {
		close(fd);
		fd = -1;
	}
	return fd;
}

/* All but the mark goes.  A link goes itself; a directory of another user, or of another file system, stays. */
static void empty_dir(int fd)
{
	DIR *dir = list_dir(fd);
	const char *name;
	int inner;

	while ((name = next_in_dir(dir))) {
		if (!strcmp(name, UNFINISHED) || unlinkat(fd, name, 0) == 0)
			continue;
		inner = open_own_dir(fd, name);
		if (inner < 0)
			continue;
		empty_dir(inner);
		close(inner);
		unlinkat(fd, name, AT_REMOVEDIR);
	}
	if (dir)
		closedir(dir);
}

/* The mark goes last: what is left in between says that it is not complete. */
static void remove_dir(int in, const char *name)
{
	int fd = open_own_dir(in, name);

	if (fd < 0)
		return;
	empty_dir(fd);
	unlinkat(fd, UNFINISHED, 0);
	close(fd);
	unlinkat(in, name, AT_REMOVEDIR);
}

/* ---- what killed processes left ----------------------------------------------------------------------------- */

static int mark_unfinished(struct outdir *d)
{
	d->lock = openat(d->dir, UNFINISHED, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0666);
	if (d->lock < 0)
		return -1;
	flock(d->lock, LOCK_EX | LOCK_NB); /* a file system without locks: others then leave the directory as it is */
	return 0;
}

/* Takes the lock of an unfinished directory: the descriptor to close.  -1: a process still writes it, it has no mark,
   or directory or mark is not the user's own. */
static int take_unfinished(int in, const char *name)
{
	int dir = open_own_dir(in, name);
	int fd = dir < 0 ? -1 : openat(dir, UNFINISHED, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	struct stat st;

	if (fd >= 0 && (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_uid != geteuid() || st.st_nlink != 1 ||
			flock(fd, LOCK_EX | LOCK_NB) < 0)) {
		close(fd);
		fd = -1;
	}
	if (dir >= 0)
		close(dir);
	return fd;
}

/* "NAME.123.tmp", "NAME.123.old". */
static bool is_temporary(const char *file, const char *name)
{
	const size_t n = strlen(name);
	size_t digits;

	if (strncmp(file, name, n) || file[n] != '.')
		return false;
	digits = strspn(file + n + 1, "0123456789");
	return digits && (!strcmp(file + n + 1 + digits, ".tmp") || !strcmp(file + n + 1 + digits, ".old"));
}

static void remove_left(struct outdir *d)
{
	DIR *dir = list_dir(d->parent);
	const char *name;
	int fd;

	while ((name = next_in_dir(dir))) {
		fd = is_temporary(name, last_name(d)) ? take_unfinished(d->parent, name) : -1;
		if (fd < 0)
			continue;
		remove_dir(d->parent, name);
		close(fd);
		d->left++;
	}
	if (dir)
		closedir(dir);
}

/* ---- writing ------------------------------------------------------------------------------------------------ */

/* The process number first, as it tells most; another user may have taken the name. */
static char *temporary_name(const struct outdir *d, int try, const char *suffix)
{
	unsigned number = (unsigned)getpid();

	if (try && getrandom(&number, sizeof(number), 0) != sizeof(number))
		number = (unsigned)getpid() + (unsigned)try;
	return mem_fmt("%s.%u.%s", last_name(d), number, suffix);
}

static int create_dir(struct outdir *d)
{
	int i, ret = -1;

	for (i = 0; i < 100 && ret < 0; i++) {
		free(d->temp);
		d->temp = temporary_name(d, i, "tmp");
		ret = mkdirat(d->parent, d->temp, 0777);
		if (ret < 0 && errno != EEXIST)
			break;
	}
	if (ret < 0) { /* nothing to remove */
		free(d->temp);
		d->temp = NULL;
		return -1;
	}
	d->dir = open_own_dir(d->parent, d->temp);
	return d->dir < 0 ? -1 : 0;
}

int outdir_open(struct outdir *d, const char *path, const char *mark, const char *begins, struct err *err)
{
	if (check_replaceable(d, path, mark, begins, err) == 0) {
		remove_left(d);
		if (create_dir(d) == 0 && mark_unfinished(d) == 0)
			return 0;
		err_set(err, "cannot write the directory '%s': %s%s", path, strerror(errno), file_remedy(errno));
	}
	outdir_discard(d);
	return -1;
}

/* The folder of a file, which is created where it is missing: its descriptor, and *file, what follows in the name. */
static int open_inner(int dir, const char *name, const char **file)
{
	int fd = open_dir(dir, "."), next;
	const char *slash;
	char *folder;

	for (; fd >= 0 && (slash = strchr(name, '/')); name = slash + 1, fd = next) {
		folder = mem_strn(name, (size_t)(slash - name));
		next = mkdirat(fd, folder, 0777) == 0 || errno == EEXIST ? open_own_dir(fd, folder) : -1;
		free(folder);
		close(fd);
	}
	*file = name;
	return fd;
}

int outdir_write(struct outdir *d, const char *name, const char *text, size_t n, struct err *err)
{
	const char *file;
	int folder = open_inner(d->dir, name, &file), error;
	int fd = folder < 0 ? -1 : openat(folder, file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	bool well = fd >= 0 && file_write_all(fd, text, n) == 0;

	error = errno;
	if (well) /* begin now what outdir_commit() waits for */
		sync_file_range(fd, 0, 0, SYNC_FILE_RANGE_WRITE);
	if (fd >= 0 && close(fd) < 0 && well) {
		error = errno;
		well = false;
	}
	if (folder >= 0)
		close(folder);
	if (!well)
		err_set(err, "cannot write '%s/%s': %s%s", d->path, name, strerror(error), file_remedy(error));
	d->files += well;
	d->bytes += well ? n : 0;
	return well ? 0 : -1;
}

void outdir_discard(struct outdir *d)
{
	if (d->temp)
		remove_dir(d->parent, d->temp);
	outdir_release(d);
}

/* The directory is complete; the mark goes to the one that it replaces. */
static void move_mark(const struct outdir *d, const char *aside)
{
	int to = open_own_dir(d->parent, aside);

	if (to < 0 || renameat(d->dir, UNFINISHED, to, UNFINISHED) < 0)
		unlinkat(d->dir, UNFINISHED, 0);
	if (to >= 0)
		close(to);
}

/* Where the file system cannot exchange two directories, the old one is renamed first. */
static int replace_dir(const struct outdir *d)
{
	const char *name = last_name(d);
	char *aside;
	int ret;

	if (renameat2(d->parent, d->temp, d->parent, name, RENAME_EXCHANGE) == 0) {
		move_mark(d, d->temp);
		remove_dir(d->parent, d->temp);
		return 0;
	}
	aside = temporary_name(d, 0, "old");
	ret = renameat2(d->parent, name, d->parent, aside, 0);
	if (ret == 0 && (ret = renameat2(d->parent, d->temp, d->parent, name, 0)) < 0)
		renameat2(d->parent, aside, d->parent, name, 0);
	if (ret == 0) {
		move_mark(d, aside);
		remove_dir(d->parent, aside);
	}
	free(aside);
	return ret;
}

static int put_dir(const struct outdir *d)
{
	int ret = renameat2(d->parent, d->temp, d->parent, last_name(d), 0);

	if (ret == 0)
		unlinkat(d->dir, UNFINISHED, 0);
	return ret;
}

/* ---- what a crash of the machine leaves -------------------------------------------------------------------- */

/* Wait until the contents of a file are on the disk. */
static int settle_file(int fd)
{
	const unsigned all = SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER;

	return sync_file_range(fd, 0, 0, all) < 0 ? file_sync(fd) : 0;
}

static int settle_files(int fd)
{
	DIR *dir = list_dir(fd);
	const char *name;
	int ret = dir ? 0 : -1, inner, error;
	struct stat st;

	while (ret == 0 && (name = next_in_dir(dir))) {
		inner = openat(fd, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
		ret = inner < 0 ? -1 : fstat(inner, &st);
		if (ret == 0)
			ret = S_ISDIR(st.st_mode) ? settle_files(inner) : settle_file(inner);
		error = errno;
		if (inner >= 0)
			close(inner);
		errno = error;
	}
	error = errno;
	if (dir)
		closedir(dir);
	errno = error;
	return ret;
}

/* All contents are on the disk before the directory gets its name: else a crash of the machine could leave a directory
   of that name with empty files in it.  One fsync() for all of them is enough for names and sizes, which file systems
   with a journal write in order; it must be of a file that has changed. */
static int settle_dir(const struct outdir *d)
{
	return settle_files(d->dir) < 0 || file_write_all(d->lock, "\n", 1) < 0 ? -1 : file_sync(d->lock);
}

int outdir_commit(struct outdir *d, struct err *err)
{
	const bool settled = settle_dir(d) == 0;
	int ret = !settled ? -1 : d->replaces ? replace_dir(d) : put_dir(d);

	if (!settled)
		err_set(err, "cannot write the directory '%s': %s%s", d->path, strerror(errno), file_remedy(errno));
	else if (ret < 0 && errno == EBUSY) /* one of the same file system */
		err_set(err, MOUNTED, d->path);
	else if (ret < 0)
		err_set(err, "cannot put the directory '%s' in its place: %s", d->path, strerror(errno));
	if (ret == 0)
		outdir_release(d);
	else
		outdir_discard(d);
	return ret < 0 ? -1 : 0;
}
