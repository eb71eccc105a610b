/* SPDX-License-Identifier: BSD-3-Clause */
/* The history file: see history.h.  Sessions append to it; to shorten it, one holds the lock and replaces it by a
   new file; one that appends checks under the lock that the file still has that name. */
#include "config.h"
#include "ui/line/history.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/buf.h"
#include "base/err.h"
#include "base/file.h"

static const char libedit[] = "_HiStOrY_V2_\n";

enum { LONGEST = 16 << 20 }; /* bytes of a file that is read: longer than any real history */

/* A link that the user made is followed, so that a history kept elsewhere stays there.  Where root keeps HOME, the
   folder is another user's, who must not choose the file that root writes to. */
static char *file_name(void)
{
	const char *home = getenv("HOME");
	char *name = home && *home ? mem_fmt("%s/.cdbg_history", home) : NULL, real[PATH_MAX];
	struct stat st;

	if (name && lstat(name, &st) == 0 && S_ISLNK(st.st_mode) && st.st_uid != geteuid() && st.st_uid != 0) {
		free(name);
		return NULL;
	}
	if (name && realpath(name, real)) {
		free(name);
		name = mem_str(real);
	}
	return name;
}

/* Is it a file that the user may write?  One in another user's folder, or in everybody's, may also be another name of
   a file elsewhere. */
static bool is_safe_history(const char *name, const struct stat *st)
{
	char *folder = mem_strn(name, (size_t)(strrchr(name, '/') + 1 - name));
	struct stat in;
	bool known = stat(folder, &in) == 0;

	free(folder);
	if (!S_ISREG(st->st_mode) || !known)
		return false;
	if (in.st_uid == geteuid() && !(in.st_mode & S_IWOTH))
		return true;
	return st->st_nlink == 1 && (st->st_uid == geteuid() || st->st_uid == in.st_uid);
}

/* Another session holds the lock briefly; another program may hold it without end. */
static bool lock_file(int fd)
{
	int i;

	for (i = 0; i < 100; i++) {
		if (flock(fd, LOCK_EX | LOCK_NB) == 0)
			return true;
		if (errno != EWOULDBLOCK && errno != EINTR)
			return false;
		poll(NULL, 0, 2);
	}
	return false;
}

/* Opens the file that has the name, and locks it if possible; -1: there is none, or not one that the user may write. */
static int open_locked(const char *name, int flags, bool *locked)
{
	struct stat here, there;
	int fd, i;

	for (i = 0; i < 10; i++) {
		fd = open(name, flags | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0600);
		if (fd < 0)
			return -1;
		*locked = lock_file(fd);
		if (fstat(fd, &here) < 0 || !is_safe_history(name, &here)) {
			close(fd);
			return -1;
		}
		if (!*locked || (stat(name, &there) == 0 && here.st_ino == there.st_ino && here.st_dev == there.st_dev))
			return fd;
		close(fd); /* it was replaced while we waited */
	}
	return -1;
}

/* ---- libedit's format --------------------------------------------------------------------------- */

/* The character that the escape after a backslash means, *len its bytes; -1: not an escape. */
static int escaped_char(const char *s, int *len)
{
	int high = *s == 'M' ? 0x80 : 0, c;

	if (s[0] >= '0' && s[0] <= '3' && s[1] >= '0' && s[1] <= '7' && s[2] >= '0' && s[2] <= '7') {
		*len = 3;
		c = (s[0] - '0') * 64 + (s[1] - '0') * 8 + s[2] - '0';
		return c ? c : -1;
	}
	*len = high ? 3 : *s == '^' ? 2 : 1;
	if (high && s[1] == '-' && s[2])
		return high | (s[2] & 0x7f);
	if (high && s[1] == '^' && s[2])
		return high | ((s[2] ^ 0x40) & 0x7f);
	if (*s == '^' && s[1])
		return (s[1] ^ 0x40) & 0x7f;
	return *s == '\\' ? '\\' : -1;
}

/* libedit escapes spaces and backslashes.  A line that has a space was appended by the plain front end.  An escaped
   line break would make two commands of one: a space takes its place. */
static void decode(char *line)
{
	char *to = line;
	const char *s = line;
	int c, len = 0;

	if (strpbrk(line, " \t"))
		return;
	while (*s) {
		c = *s == '\\' ? escaped_char(s + 1, &len) : -1;
		*to++ = c == '\n' ? ' ' : c > 0 ? (char)c : *s;
		s += c > 0 ? len + 1 : 1;
	}
	*to = '\0';
}

/* ---- reading and shortening --------------------------------------------------------------------- */

struct lines {
	char **line;
	size_t n, cap;
	bool old; /* in libedit's format */
};

/* After a power failure files that grew may have blocks of NULs: the text after them is valid. */
static void drop_nuls(struct buf *text)
{
	size_t i, n = 0;

	for (i = 0; i < text->len; i++)
		if (text->s[i])
			text->s[n++] = text->s[i];
	if (n < text->len) {
		text->len = n;
		text->s[n] = '\0';
	}
}

static void read_lines(int fd, struct lines *l)
{
	struct buf text = { 0 };
	char part[8192], *p, *end;
	ssize_t k;

	while (text.len < LONGEST && (k = read(fd, part, sizeof(part))) > 0)
		buf_add(&text, part, (size_t)k);
	drop_nuls(&text);
	p = text.s;
	l->old = text.len >= sizeof(libedit) - 1 && !memcmp(text.s, libedit, sizeof(libedit) - 1);
	if (l->old)
		p += sizeof(libedit) - 1;
	for (; text.len && *p; p = end + 1) {
		end = strchrnul(p, '\n');
		l->line = mem_grow(l->line, &l->cap, l->n + 1, sizeof(*l->line));
		l->line[l->n] = mem_strn(p, (size_t)(end - p));
		if (l->old)
			decode(l->line[l->n]);
		if (*l->line[l->n])
			l->n++;
		else
			free(l->line[l->n]);
		if (!*end)
			break;
	}
	buf_release(&text);
}

/* Replaces the locked file by a new one, of the same owner: root may have another user's HOME. */
static void replace_file(const char *name, const struct lines *l, size_t first)
{
	struct buf text = { 0 };
	size_t i;

	for (i = first; i < l->n; i++)
		buf_addf(&text, "%s\n", l->line[i]);
	file_write(name, buf_str(&text), text.len, 0600, NULL);
	buf_release(&text);
}

void history_load(long max, void (*each)(void *arg, const char *line), void *arg)
{
	char *name = max > 0 ? file_name() : NULL;
	struct lines l = { 0 };
	bool locked = false;
	int fd = name ? open_locked(name, O_RDONLY, &locked) : -1;
	size_t i, first;

	if (fd >= 0)
		read_lines(fd, &l);
	first = l.n > (size_t)max ? l.n - (size_t)max : 0;
	if (locked && (l.old || l.n > 2 * (size_t)max))
		replace_file(name, &l, l.n > 2 * (size_t)max ? first : 0);
	for (i = first; i < l.n; i++)
		each(arg, l.line[i]);
	for (i = 0; i < l.n; i++)
		free(l.line[i]);
	free(l.line);
	if (fd >= 0)
		close(fd);
	free(name);
}

/* On a full disk the file keeps whole lines. */
static int append_line(int fd, bool locked, const char *text, struct err *err)
{
	static int reported; /* a reason */
	const off_t end = lseek(fd, 0, SEEK_END);
	int reason = file_write_all(fd, text, strlen(text)) < 0 ? errno : 0;

	if (!reason)
		return 0;
	if (locked && end >= 0 && ftruncate(fd, end) < 0)
		reason = errno;
	if (reason == reported)
		return 0;
	reported = reason;
	return err_set(err, "the history cannot be written to ~/.cdbg_history: %s%s", strerror(reason),
		       file_remedy(reason));
}

int history_append(const char *line, long max, struct err *err)
{
	char *name = max > 0 ? file_name() : NULL, *text;
	bool locked;
	int fd = name ? open_locked(name, O_WRONLY | O_CREAT | O_APPEND, &locked) : -1, ret = 0;

	if (fd >= 0) {
		text = mem_fmt("%s\n", line);
		ret = append_line(fd, locked, text, err);
		free(text);
		close(fd);
	}
	free(name);
	return ret;
}
