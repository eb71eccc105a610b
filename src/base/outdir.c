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
#include <sys/stat.h>
#include <unistd.h>
#include "base/buf.h"
#include "base/err.h"

/* ---- what is there already -------------------------------------------------------------------------------- */

static int entries_in(const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *e;
	int n = 0;

	if (!dir)
		return -1;
	while ((e = readdir(dir)))
		n += strcmp(e->d_name, ".") && strcmp(e->d_name, "..");
	closedir(dir);
	return n;
}

static bool has_mark(const char *path, const char *mark, const char *begins)
{
	char *file = mem_fmt("%s/%s", path, mark), text[128] = "";
	FILE *f = fopen(file, "re");
	size_t n = f ? fread(text, 1, sizeof(text) - 1, f) : 0;

	if (f)
		fclose(f);
	free(file);
	return n >= strlen(begins) && !strncmp(text, begins, strlen(begins));
}

char *outdir_path(const char *path, struct err *err)
{
	size_t n = strlen(path);
	char *copy, *slash, *parent, *real, *out = NULL;

	while (n > 1 && path[n - 1] == '/')
		n--;
	copy = mem_strn(path, n);
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

static bool is_mount_point(const char *path, const struct stat *st)
{
	char *parent = mem_fmt("%s/..", path);
	struct stat above;
	bool yes = stat(parent, &above) == 0 && (above.st_dev != st->st_dev || above.st_ino == st->st_ino);

	free(parent);
	return yes;
}

static int check_replaceable(struct outdir *d, const char *path, const char *mark, const char *begins, struct err *err)
{
	struct stat st;
	int n;

	memset(d, 0, sizeof(*d));
	if (*path)
		d->path = outdir_path(path, err);
	else
		err_set(err, "no directory given: name the one to write");
	if (!d->path)
		return -1;
	if (lstat(d->path, &st) < 0) {
		d->fresh = errno == ENOENT;
		return d->fresh ? 0 : err_set(err, "cannot write the directory '%s': %s", path, strerror(errno));
	}
	if (!S_ISDIR(st.st_mode))
		return err_set(err, "cannot write the directory '%s': a file has that name; choose another name", path);
	if (is_mount_point(d->path, &st))
		return err_set(err, MOUNTED, path);
	n = entries_in(d->path);
	if (n < 0)
		return err_set(err, "cannot read the directory '%s': %s", path, strerror(errno));
	d->replaces = n > 0 && has_mark(d->path, mark, begins);
	if (n > 0 && !d->replaces)
		return err_set(err,
			       "the directory '%s' is not empty and is not one that cdbg wrote; choose "
			       "another name",
			       path);
	return 0;
}

static bool parent_writable(const struct outdir *d)
{
	const char *slash = strrchr(d->path, '/');
	char *parent = slash == d->path ? mem_str("/") : mem_strn(d->path, (size_t)(slash - d->path));
	bool yes = access(parent, W_OK | X_OK) == 0;

	free(parent);
	return yes;
}

static void outdir_release(struct outdir *d)
{
	if (d->lock)
		close(d->lock - 1);
	free(d->path);
	free(d->temp);
	memset(d, 0, sizeof(*d));
}

int outdir_check(const char *path, const char *mark, const char *begins, struct err *err)
{
	struct outdir d;
	int ret = check_replaceable(&d, path, mark, begins, err);

	if (ret == 0 && !parent_writable(&d))
		ret = err_set(err, "cannot write the directory '%s': %s", path, strerror(errno));
	outdir_release(&d);
	return ret;
}

/* ---- what killed processes left ----------------------------------------------------------------------------- */

/* A directory that is not complete, or no longer, has this file, which its process holds locked. The kernel ends the
   lock with the process, also where its number means nothing: in another container, on another machine. */
#define UNFINISHED ".cdbg-unfinished"

static int mark_unfinished(struct outdir *d)
{
	char *name = mem_fmt("%s/%s", d->temp, UNFINISHED);
	int fd = open(name, O_CREAT | O_RDWR | O_CLOEXEC, 0666);

	free(name);
	if (fd < 0)
		return -1;
	d->lock = fd + 1;
	flock(fd, LOCK_EX | LOCK_NB); /* a file system without locks: others then leave the directory as it is */
	return 0;
}

/* Takes the lock of an unfinished directory: the descriptor to close.  -1: a process still writes it, or it has no
   mark. */
static int take_unfinished(const char *path)
{
	char *name = mem_fmt("%s/%s", path, UNFINISHED);
	int fd = open(name, O_RDWR | O_CLOEXEC | O_NOFOLLOW);

	free(name);
	if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) < 0) {
		close(fd);
		fd = -1;
	}
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
	char *slash = strrchr(d->path, '/'), *parent = mem_strn(d->path, (size_t)(slash + 1 - d->path)), *path;
	DIR *dir = opendir(parent);
	struct dirent *e;
	int fd;

	while (dir && (e = readdir(dir))) {
		if (!is_temporary(e->d_name, slash + 1))
			continue;
		path = mem_fmt("%s%s", parent, e->d_name);
		fd = take_unfinished(path);
		if (fd >= 0) {
			outdir_remove(path);
			close(fd);
			d->left++;
		}
		free(path);
	}
	if (dir)
		closedir(dir);
	free(parent);
}

/* ---- writing ------------------------------------------------------------------------------------------------ */

int outdir_open(struct outdir *d, const char *path, const char *mark, const char *begins, struct err *err)
{
	if (check_replaceable(d, path, mark, begins, err) == 0) {
		d->temp = mem_fmt("%s.%ld.tmp", d->path, (long)getpid());
		remove_left(d);
		outdir_remove(d->temp); /* left by an earlier process with the same number, without the mark */
		if (mkdir(d->temp, 0777) == 0 && mark_unfinished(d) == 0)
			return 0;
		err_set(err, "cannot write the directory '%s': %s", path, strerror(errno));
		outdir_remove(d->temp);
	}
	outdir_release(d);
	return -1;
}

/* Creates the folders that are part of a file's name. */
static void make_folders(const char *base, const char *name)
{
	const char *slash;
	char *path;

	for (slash = strchr(name, '/'); slash; slash = strchr(slash + 1, '/')) {
		path = mem_fmt("%s/%.*s", base, (int)(slash - name), name);
		mkdir(path, 0777);
		free(path);
	}
}

int outdir_write(struct outdir *d, const char *name, const char *text, size_t n, struct err *err)
{
	char *path = mem_fmt("%s/%s", d->temp, name);
	FILE *f;
	bool well;

	make_folders(d->temp, name);
	f = fopen(path, "we");
	well = f && fwrite(text, 1, n, f) == n && fflush(f) == 0;
	if (well) /* begin now what outdir_commit() waits for */
		sync_file_range(fileno(f), 0, 0, SYNC_FILE_RANGE_WRITE);
	if (f && fclose(f) != 0)
		well = false;
	if (!well)
		err_set(err, "cannot write '%s/%s': %s", d->path, name, strerror(errno));
	d->files += well;
	d->bytes += well ? n : 0;
	free(path);
	return well ? 0 : -1;
}

static void remove_mark(const char *dir)
{
	char *mark = mem_fmt("%s/%s", dir, UNFINISHED);

	unlink(mark);
	free(mark);
}

/* The mark of an unfinished directory goes last. */
void outdir_remove(const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *e;
	char *inner;

	while (dir && (e = readdir(dir))) {
		if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, "..") || !strcmp(e->d_name, UNFINISHED))
			continue;
		inner = mem_fmt("%s/%s", path, e->d_name);
		if (unlink(inner) < 0)
			outdir_remove(inner);
		free(inner);
	}
	if (dir)
		closedir(dir);
	remove_mark(path);
	rmdir(path);
}

void outdir_discard(struct outdir *d)
{
	if (d->temp)
		outdir_remove(d->temp);
	outdir_release(d);
}

/* The directory is complete; the mark goes to the one that it replaces. */
static void move_mark(const char *from, const char *to)
{
	char *mark = mem_fmt("%s/%s", from, UNFINISHED), *aside = mem_fmt("%s/%s", to, UNFINISHED);

	if (rename(mark, aside) < 0)
		unlink(mark);
	free(aside);
	free(mark);
}

/* Where the file system cannot exchange two directories, the old one is renamed first. */
static int replace_dir(const struct outdir *d)
{
	char *aside;
	int ret;

	if (renameat2(AT_FDCWD, d->temp, AT_FDCWD, d->path, RENAME_EXCHANGE) == 0) {
		move_mark(d->path, d->temp);
		outdir_remove(d->temp);
		return 0;
	}
	aside = mem_fmt("%s.%ld.old", d->path, (long)getpid());
	ret = rename(d->path, aside);
	if (ret == 0 && (ret = rename(d->temp, d->path)) < 0)
		rename(aside, d->path);
	if (ret == 0) {
		move_mark(d->path, aside);
		outdir_remove(aside);
	}
	free(aside);
	return ret;
}

static int put_dir(const struct outdir *d)
{
	int ret = rename(d->temp, d->path);

	if (ret == 0)
		remove_mark(d->path);
	return ret;
}

/* ---- what a crash of the machine leaves -------------------------------------------------------------------- */

/* Not every kind of file or file system can do this; then there is nothing to wait for. */
static int sync_result(int ret)
{
	return ret < 0 && errno != EINVAL && errno != EROFS && errno != ENOSYS ? -1 : 0;
}

/* Wait until the contents of a file are on the disk; 1: it is a directory. */
static int settle_file(const char *path)
{
	const unsigned all = SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW), ret, error;
	struct stat st;

	if (fd < 0)
		return -1;
	ret = fstat(fd, &st);
	if (ret == 0 && S_ISDIR(st.st_mode))
		ret = 1;
	else if (ret == 0 && sync_file_range(fd, 0, 0, all) < 0)
		ret = sync_result(fsync(fd));
	error = errno;
	close(fd);
	errno = error;
	return ret;
}

static int settle_files(const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *e;
	char *inner;
	int ret = dir ? 0 : -1, error;

	while (ret == 0 && (e = readdir(dir))) {
		if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
			continue;
		inner = mem_fmt("%s/%s", path, e->d_name);
		ret = settle_file(inner);
		if (ret > 0)
			ret = settle_files(inner);
		free(inner);
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
	if (settle_files(d->temp) < 0 || write(d->lock - 1, "\n", 1) != 1)
		return -1;
	return sync_result(fsync(d->lock - 1));
}

int outdir_commit(struct outdir *d, struct err *err)
{
	const bool settled = settle_dir(d) == 0;
	int ret = !settled ? -1 : d->replaces ? replace_dir(d) : put_dir(d);

	if (!settled)
		err_set(err, "cannot write the directory '%s': %s", d->path, strerror(errno));
	else if (ret < 0 && errno == EBUSY) /* one of the same file system */
		err_set(err, MOUNTED, d->path);
	else if (ret < 0)
		err_set(err, "cannot put the directory '%s' in its place: %s", d->path, strerror(errno));
	if (ret < 0)
		outdir_remove(d->temp);
	outdir_release(d);
	return ret < 0 ? -1 : 0;
}
