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
#include <unistd.h>
#include "base/ownfd.h"

enum { LINE_MOST = 256 }; /* a longer line of a file is read byte by byte */

/* What is in the pipe, as it was when it was looked at.  The program may have read from it since. */
static struct {
	struct buf text;
	size_t at;   /* of text, the next byte */
	size_t left; /* bytes in the pipe, if nobody else has read from it */
} seen;

/* ---- a file ----------------------------------------------------------------------------------------------- */

static bool file_line(int fd, struct buf *out)
{
	char text[LINE_MOST], *end;
	ssize_t n = read(fd, text, sizeof(text));
	size_t line;

	if (n <= 0)
		return false;
	end = memchr(text, '\n', (size_t)n);
	line = end ? (size_t)(end - text) + 1 : 0;
	if (lseek(fd, (off_t)line - (off_t)n, SEEK_CUR) < 0)
		line = (size_t)n;	   /* not a file that can be read twice: all of it is ours */
	if (!line || !ownfd_same_file(fd)) /* another thread replaced it meanwhile */
		return false;
	buf_add(out, text, end ? line - 1 : line);
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

static bool pipe_line(int fd, struct buf *out)
{
	size_t from = out->len, line;
	const char *end;
	ssize_t n;

	if (seen.at >= seen.text.len || bytes_in(fd) != seen.left)
		look(fd);
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
	/* else another process reads it at this moment, or another thread replaced the descriptor */
	if (n != (ssize_t)line || memcmp(out->s + from, seen.text.s + seen.at, line)) {
		out->len = from;
		seen.at = seen.text.len;
		return false;
	}
	seen.at += line;
	seen.left -= line;
	out->s[--out->len] = '\0';
	return true;
}

bool line_ahead(int fd, struct buf *out)
{
	static int known = -1; /* the descriptor that `kind` is of */
	static mode_t kind;
	struct stat st;

	if (fd != known) {
		kind = fstat(fd, &st) == 0 ? st.st_mode & S_IFMT : 0;
		known = fd;
		seen.at = seen.text.len;
	}
	return kind == S_IFREG ? file_line(fd, out) : kind == S_IFIFO && pipe_line(fd, out);
}
