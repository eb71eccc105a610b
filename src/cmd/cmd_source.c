/* SPDX-License-Identifier: BSD-3-Clause */
/* Command: source.  Files that are read automatically must belong to the user and be writable by no other user. */
#include "config.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/err.h"
#include "base/file.h"
#include "cmd/cmd_table.h"
#include "engine/option.h"
#include "engine/session.h"

enum { FILE_MOST = 64 << 20 }; /* bytes */

/* Add a line with the NUL that ends it. */
static void take_file_line(const char *line, size_t len, struct buf *lines)
{
	char *safe;

	while (len && (line[len - 1] == '\n' || line[len - 1] == '\r'))
		len--;
	safe = cmd_line(line, len);
	buf_add(lines, safe, strlen(safe) + 1);
	free(safe);
}

/* The lines of a file as session_queue_file() takes them.  A file without end, like /dev/zero, fails. */
static int read_command_lines(FILE *f, const char *name, struct buf *lines, struct err *err)
{
	struct buf line = { 0 };
	char part[4096];
	size_t n, i, from;
	int ret = 0;

	while (ret == 0 && (n = fread(part, 1, sizeof(part), f)) > 0) {
		for (i = from = 0; i < n; i++)
			if (part[i] == '\n') {
				buf_add(&line, part + from, i - from);
				take_file_line(buf_str(&line), line.len, lines);
				buf_reset(&line);
				from = i + 1;
			}
		buf_add(&line, part + from, n - from);
		if (line.len + lines->len > FILE_MOST)
			ret = err_set(err, "'%s' was not read: it is larger than %d MiB", name, FILE_MOST >> 20);
	}
	if (ret == 0 && ferror(f))
		ret = err_set(err, "cannot read '%s': %s", name, strerror(errno));
	if (ret == 0 && line.len)
		take_file_line(line.s, line.len, lines);
	buf_release(&line);
	return ret;
}

/* ---- files read at start-up --------------------------------------------------------------------- */

static char *file_in_home(const char *name)
{
	const char *home = getenv("HOME");

	return home && *home ? mem_fmt("%s/%s", home, name) : NULL;
}

/* Is path, which is absolute and has no links, below one of the folders of `set auto-load safe-path`? */
static bool below_safe_path(struct session *s, const char *path)
{
	char *all = mem_str(option_text(s, "auto-load-safe-path")), *rest = all, *dir, *named;
	char real[PATH_MAX];
	bool safe = false;
	size_t n;

	while ((dir = strsep(&rest, ":")) && !safe) {
		named = *dir == '~' && (dir[1] == '/' || !dir[1]) ? file_in_home(dir + 1) : mem_str(dir);
		if (named && *named && realpath(named, real)) {
			n = strlen(real);
			n -= real[n - 1] == '/'; /* "/" itself: everything is below it */
			safe = !strncmp(path, real, n) && path[n] == '/';
		}
		free(named);
	}
	free(all);
	return safe;
}

/* Could another user have written the file that the descriptor reads, or put it there? */
static int check_owner(int fd, const char *path, struct err *err)
{
	const char *slash = strrchr(path, '/');
	char *folder = mem_fmt("%.*s/", (int)(slash - path), path);
	struct stat st;
	int ret = 0;

	if (fstat(fd, &st) < 0)
		ret = err_set(err, "it cannot be examined: %s", strerror(errno));
	else if (!S_ISREG(st.st_mode))
		ret = err_set(err, "it is not a regular file");
	else if (st.st_uid != geteuid())
		ret = err_set(err, "another user owns it (uid %ld)", (long)st.st_uid);
	else if (st.st_mode & (S_IWGRP | S_IWOTH))
		ret = err_set(err, "other users can write it: 'chmod go-w %s' prevents that", path);
	else if (stat(folder, &st) < 0)
		ret = err_set(err, "its directory cannot be examined: %s", strerror(errno));
	else if (st.st_uid != geteuid() && st.st_uid != 0)
		ret = err_set(err, "another user owns its directory (uid %ld)", (long)st.st_uid);
	else if ((st.st_mode & S_IWOTH) && !(st.st_mode & S_ISVTX))
		ret = err_set(err, "every user can replace files in its directory: 'chmod o-w %s' prevents that",
			      folder);
	free(folder);
	return ret;
}

/* The file is opened first and then examined through its descriptor, so that it cannot be replaced in between.  NULL:
   no such file, or err has the reason. */
static FILE *open_auto(struct session *s, const char *name, struct err *err)
{
	char *own = file_in_home(".cdbgrc");
	char path[PATH_MAX], home[PATH_MAX] = "", link[40];
	int fd = open(name, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	ssize_t n = -1;
	FILE *f;

	if (own && !realpath(own, home))
		home[0] = '\0';
	free(own);
	if (fd >= 0) {
		snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
		n = readlink(link, path, sizeof(path) - 1);
		path[n < 0 ? 0 : n] = '\0';
	} else if (errno != ENOENT) {
		err_set(err, "%s", strerror(errno));
	}
	if (fd >= 0 && *path != '/') {
		err_set(err, "its real path is not known");
	} else if (fd >= 0 && strcmp(path, home) && !below_safe_path(s, path)) {
		*strrchr(path, '/') = '\0';
		err_set(err,
			"its directory is not declared safe; to allow it, put 'set auto-load safe-path %s' "
			"into ~/.cdbgrc",
			*path ? path : "/");
	} else if (fd >= 0 && check_owner(fd, path, err) == 0) {
		f = fdopen(fd, "r");
		if (f)
			return f;
		err_set(err, "%s", strerror(errno));
	}
	if (fd >= 0)
		close(fd);
	return NULL;
}

/* A pipe that nobody writes to is empty: it does not hold up the session. */
static FILE *open_named(const char *name)
{
	int fd = file_open(name);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "r");

	if (fd >= 0 && !f)
		close(fd);
	return f;
}

static int cmd_source_run(struct session *s, const char *args, struct reply *out, struct err *err)
{
	struct buf lines = { 0 };
	struct err why = { "" };
	int ret;
	bool unasked = !strncmp(args, "-auto ", 6);
	FILE *f;

	(void)out;
	if (unasked)
		args += 6 + strspn(args + 6, " \t");
	if (!*args)
		return err_set(err, "missing file name: 'source FILE'");
	f = unasked ? open_auto(s, args, &why) : open_named(args);
	if (!f && unasked) {
		if (why.text[0])
			session_note(s, NOTE_WARNING, "'%s' was not read: %s", args, why.text);
		return 0;
	}
	if (!f)
		return err_set(err, "cannot read '%s': %s", args, strerror(errno));
	ret = read_command_lines(f, args, &lines, err);
	fclose(f);
	if (ret == 0)
		ret = session_queue_file(s, args, &lines, err);
	buf_release(&lines);
	return ret;
}

const struct cmd_def cmd_source[] = {
	{ .name = "source",
	  .args = "[-auto] FILE",
	  .group = GROUP_SUPPORT,
	  .flags = CMD_AFTER_EXIT | CMD_RAW | CMD_GONE,
	  .run = cmd_source_run,
	  .help = "run the command lines in a file",
	  .more = "Lines that begin with # are comments.  If a line fails, the error is printed and the\n"
		  "next line runs; an interrupt ends them all.  Files can read other files, 100 deep.\n"
		  "-auto: apply the rules for files that are read at start-up: the file\n"
		  "must belong to the user and be writable by no other user, and any file except\n"
		  "~/.cdbgrc must be below 'set auto-load safe-path'." },
	{ .name = NULL },
};
