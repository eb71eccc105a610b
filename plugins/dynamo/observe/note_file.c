/* SPDX-License-Identifier: BSD-3-Clause */
/* Files of notes in the user's cache folder: see dynamo_observe.h. */
#include "observe/dynamo_observe.h"
#include "torch/cdbg_host.h"
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NOTE_MOST = 16 << 20, FILES_MOST = 2000 };
static const long long FOLDER_MOST = 64LL << 20;

/* The folder of notes, the caller's to close; -1: there is none, or others can write to it.  make: it is made. */
static int folder_open(bool make)
{
	const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	char *base = cache && *cache == '/' ? mem_str(cache) : home && *home == '/' ? mem_fmt("%s/.cache", home) : NULL;
	char *path = base ? mem_fmt("%s/cdbg", base) : NULL;
	struct stat st;
	int fd = -1;

	if (path && make && mkdir(path, 0700) < 0 && mkdir(base, 0700) == 0)
		(void)!mkdir(path, 0700);
	if (path)
		fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd >= 0 && (fstat(fd, &st) < 0 || st.st_uid != geteuid() || (st.st_mode & 022))) {
		close(fd);
		fd = -1;
	}
	free(path);
	free(base);
	return fd;
}

static bool is_own_file(const struct stat *st)
{
	return S_ISREG(st->st_mode) && st->st_uid == geteuid() && st->st_size <= NOTE_MOST;
}

static char *read_all(int fd)
{
	struct stat st;
	struct buf text = { 0 };
	char part[65536];
	ssize_t n = -1;

	if (fstat(fd, &st) == 0 && is_own_file(&st))
		while (text.len <= NOTE_MOST && (n = read(fd, part, sizeof(part))) > 0)
			buf_add(&text, part, (size_t)n);
	if (n == 0 && text.len && strlen(text.s) == text.len)
		return buf_detach(&text);
	buf_release(&text);
	return NULL;
}

char *note_file_read(const char *name)
{
	int folder = folder_open(false);
	int fd = folder < 0 ? -1 : openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	char *text = fd < 0 ? NULL : read_all(fd);

	if (fd >= 0)
		close(fd);
	if (folder >= 0)
		close(folder);
	return text;
}

/* Is it one of the files that are written here? */
static bool is_note(int folder, const char *name, struct stat *st)
{
	const char *dot = strrchr(name, '.');

	return dot && (!strcmp(dot, ".note") || !strcmp(dot, ".part")) &&
	       fstatat(folder, name, st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st->st_mode);
}

/* Removes the oldest notes until there is room for n more bytes. */
static void make_room(int folder, size_t n)
{
	struct dirent *each;
	struct stat st;
	long long bytes, oldest;
	char gone[sizeof(each->d_name)];
	int files, fd;
	DIR *all;

	do {
		fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		all = fd < 0 ? NULL : fdopendir(fd);
		bytes = (long long)n;
		files = 0;
		oldest = 0;
		*gone = '\0';
		while (all && (each = readdir(all))) {
			if (!is_note(folder, each->d_name, &st))
				continue;
			bytes += st.st_size;
			files++;
			if (!*gone || st.st_mtime < oldest) {
				oldest = st.st_mtime;
				snprintf(gone, sizeof(gone), "%s", each->d_name);
			}
		}
		if (all)
			closedir(all);
		else if (fd >= 0)
			close(fd);
	} while ((bytes > FOLDER_MOST || files >= FILES_MOST) && *gone && unlinkat(folder, gone, 0) == 0);
}

bool note_file_write(const char *name, const char *text, size_t n)
{
	int folder = n <= NOTE_MOST ? folder_open(true) : -1, fd = -1;
	char *part = mem_fmt("%ld.part", (long)getpid());
	bool done = false;

	if (folder >= 0) {
		make_room(folder, n);
		unlinkat(folder, part, 0); /* of an earlier process with this number */
		fd = openat(folder, part, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	}
	if (fd >= 0) {
		done = file_write_all(fd, text, n) == 0;
		done = close(fd) == 0 && done && renameat(folder, part, folder, name) == 0;
		if (!done)
			unlinkat(folder, part, 0);
	}
	if (folder >= 0)
		close(folder);
	free(part);
	return done;
}
