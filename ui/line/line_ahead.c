/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines of a pipe or a file that the program may read, too: see line_ahead.h. */
#include "config.h"
#include "ui/line/line_ahead.h"
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "base/ownfd.h"

enum { AHEAD = 256 }; /* bytes of a file; a longer line is read byte by byte */

/* A part of the file, as it was when it was read.  The program may have moved the file's position or written to the
   file since. */
static struct {
	char text[AHEAD];
	size_t n;	   /* of text; 0: none */
	size_t at;	   /* of text, where the next line begins */
	off_t from;	   /* where text begins in the file */
	struct statx file; /* its size and the time of its last change, when text was read */
} ahead;

/* What is in the pipe, as it was when it was looked at.  The program may have read from it since. */
static struct {
	struct buf text;
	size_t at;	  /* of text, the next byte */
	size_t left;	  /* bytes in the pipe, if nobody else has read from it */
	struct buf after; /* taken from the pipe though it follows a line, because others have read from it */
} seen;

/* ---- a file ----------------------------------------------------------------------------------------------- */

static bool is_unchanged(const struct statx *a, const struct statx *b)
{
	return a->stx_size == b->stx_size && a->stx_ctime.tv_sec == b->stx_ctime.tv_sec &&
	       a->stx_ctime.tv_nsec == b->stx_ctime.tv_nsec;
}

/* A change right after the file was read may leave the time of its last change as it was: file systems count in ticks
   of the kernel's clock.  So text is kept only of a file that was not changed lately. */
static bool is_recent(struct statx_timestamp changed)
{
	struct timespec now;

	return clock_gettime(CLOCK_REALTIME_COARSE, &now) < 0 || changed.tv_sec >= now.tv_sec - 2;
}

/* The line that follows the one taken last, if neither the file nor its position has changed since. */
static bool next_line(int fd, const struct statx *st, struct buf *out)
{
	const char *text = ahead.text + ahead.at, *end;
	off_t length, at;

	if (ahead.at >= ahead.n || !is_unchanged(&ahead.file, st) || !(end = memchr(text, '\n', ahead.n - ahead.at)))
		return false;
	length = end - text + 1;
	at = lseek(fd, length, SEEK_CUR);
	if (at != ahead.from + (off_t)ahead.at + length) { /* the program moved it */
		if (at >= 0)
			lseek(fd, -length, SEEK_CUR);
		return false;
	}
	ahead.at += (size_t)length;
	buf_add(out, text, (size_t)length - 1);
	return true;
}

/* Nothing changes the file's position before it is known to be ours. */
static bool file_line(int fd, struct buf *out)
{
	const char *end;
	struct statx st;
	ssize_t n;
	off_t at;

	if (!ownfd_statx(fd, STATX_SIZE | STATX_CTIME, &st))
		return false;
	if (next_line(fd, &st, out))
		return true;
	ahead.n = 0;
	at = lseek(fd, 0, SEEK_CUR);
	n = at < 0 ? -1 : pread(fd, ahead.text, sizeof(ahead.text), at);
	end = n > 0 ? memchr(ahead.text, '\n', (size_t)n) : NULL;
	if (!end || lseek(fd, at + (end + 1 - ahead.text), SEEK_SET) < 0)
		return false;
	ahead.n = is_recent(st.stx_ctime) ? 0 : (size_t)n;
	ahead.from = at;
	ahead.at = (size_t)(end + 1 - ahead.text);
	ahead.file = st;
	buf_add(out, ahead.text, (size_t)(end - ahead.text));
	return true;
}

/* ---- a pipe ----------------------------------------------------------------------------------------------- */

/* Nobody can write to it any more: what is in it changes only by reading. */
static bool is_complete(int fd)
{
	struct pollfd p = { .fd = fd };

	return poll(&p, 1, 0) == 1 && (p.revents & POLLHUP);
}

static size_t bytes_in(int fd)
{
	int n = 0;

	return ioctl(fd, FIONREAD, &n) == 0 && n > 0 ? (size_t)n : 0;
}

/* Copies what is in the pipe, which stays there. */
static void look(int fd)
{
	char part[4096];
	ssize_t n;
	int copy[2];

	buf_reset(&seen.text);
	seen.at = 0;
	seen.left = is_complete(fd) ? bytes_in(fd) : 0;
	if (!seen.left || pipe2(copy, O_CLOEXEC | O_NONBLOCK) < 0)
		return;
	if (tee(fd, copy[1], seen.left, SPLICE_F_NONBLOCK) > 0)
		while ((n = read(copy[0], part, sizeof(part))) > 0)
			buf_add(&seen.text, part, (size_t)n);
	close(copy[0]);
	close(copy[1]);
}

static const char *next_end(void)
{
	size_t n = seen.text.len - seen.at;

	return n ? memchr(seen.text.s + seen.at, '\n', n) : NULL;
}

/* The line that bytes taken too early begin with; false: it is only the beginning of a line. */
static bool line_after(struct buf *out)
{
	const char *end = memchr(seen.after.s, '\n', seen.after.len);
	size_t n = end ? (size_t)(end - seen.after.s) : seen.after.len, taken = end ? n + 1 : n;

	buf_add(out, seen.after.s, n);
	seen.after.len -= taken;
	memmove(seen.after.s, seen.after.s + taken, seen.after.len + 1);
	return end;
}

/* Others have read from the pipe: the n bytes that were taken, which follow the text of out, are not the line that was
   expected. */
static bool other_line(int fd, struct buf *out, ssize_t n)
{
	seen.at = seen.text.len;
	buf_reset(&seen.after);
	if (n > 0)
		buf_add(&seen.after, out->s + out->len, (size_t)n);
	out->s[out->len] = '\0';
	if (!ownfd_same_file(fd)) /* another thread replaced it: the bytes may be the program's */
		buf_reset(&seen.after);
	return seen.after.len && line_after(out);
}

static bool pipe_line(int fd, bool untouched, struct buf *out)
{
	size_t from = out->len, line;
	const char *end;
	ssize_t n;

	if (seen.after.len)
		return line_after(out);
	/* as many bytes as are left in our pipe: no other file that the program opened with this number has them */
	if (seen.at >= seen.text.len || (!untouched && bytes_in(fd) != seen.left)) {
		if (!ownfd_same_file(fd))
			return false;
		look(fd);
	}
	end = next_end();
	if (!end && seen.at) {
		look(fd);
		end = next_end();
	}
	if (!end)
		return false;
	line = (size_t)(end - seen.text.s) + 1 - seen.at;
	buf_add(out, seen.text.s + seen.at, line);
	n = read(fd, out->s + from, line);
	out->len = from;
	if (n != (ssize_t)line || memcmp(out->s + from, seen.text.s + seen.at, line))
		return other_line(fd, out, n);
	seen.at += line;
	seen.left -= line;
	out->len += line - 1;
	out->s[out->len] = '\0';
	return true;
}

bool line_ahead(int fd, bool untouched, struct buf *out)
{
	static int known = -1; /* the descriptor that `kind` is of */
	static mode_t kind;
	struct stat st;

	if (fd != known) {
		kind = fstat(fd, &st) == 0 ? st.st_mode & S_IFMT : 0;
		known = fd;
		seen.at = seen.text.len;
		buf_reset(&seen.after);
		ahead.n = 0;
	}
	return kind == S_IFREG ? file_line(fd, out) : kind == S_IFIFO && pipe_line(fd, untouched, out);
}
