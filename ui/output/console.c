/* SPDX-License-Identifier: BSD-3-Clause */
/* Keeps the program's output. The offset of every 64th line is stored. */
#include "config.h"
#include "ui/output/console.h"
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/file.h"
#include "base/ownfd.h"
#include "ui/output/lineterm.h"
#include "ui/term/theme.h"

enum { STEP = 64, KEEP = 8 << 20 };

static struct {
	/* The log: bytes [0, base) in the file, [base, base + tail.len) in memory. */
	struct buf tail;
	uint64_t base, lost; /* lost: the file could not be written; nothing before can be read */
	int fd;
	uint64_t *index; /* offset of line n * STEP */
	size_t nindex, index_cap;
	unsigned long lines, total;
	struct buf out; /* of console_line() */
} con = { .fd = -1 };

/* ---- the log ------------------------------------------------------------------------------------ */

static void console_spill(void)
{
	char name[4096];
	const char *dir = getenv("TMPDIR");
	size_t n = con.tail.len / 2, done = 0;
	ssize_t k;

	if (con.fd >= 0 && !ownfd_ok(con.fd)) { /* the program closed it: a new one, which holds less */
		ownfd_close(con.fd);
		con.fd = -1;
		con.lost = con.base;
	}
	if (con.fd == -1) {
		snprintf(name, sizeof(name), "%s/cdbg-output-XXXXXX", dir && *dir ? dir : "/tmp");
		con.fd = mkostemp(name, O_CLOEXEC);
		if (con.fd >= 0) {
			unlink(name);
			con.fd = ownfd_move(con.fd);
		} else {
			con.fd = -2;
		}
	}
	while (con.fd >= 0 && done < n) {
		k = pwrite(con.fd, con.tail.s + done, n - done, (off_t)(con.base + done));
		if (k < 0 && errno == EINTR)
			continue;
		if (k <= 0)
			break;
		done += (size_t)k;
	}
	if (done < n) /* no room: the oldest is what goes */
		con.lost = con.base + n;
	memmove(con.tail.s, con.tail.s + n, con.tail.len - n + 1);
	con.tail.len -= n;
	con.base += n;
}

/* s holds no newline. */
static void console_push(const char *s, size_t n)
{
	if (con.lines % STEP == 0) {
		con.index = mem_grow(con.index, &con.index_cap, con.nindex + 1, sizeof(*con.index));
		con.index[con.nindex++] = con.base + con.tail.len;
	}
	con.lines++;
	buf_add(&con.tail, s, n);
	buf_addc(&con.tail, '\n');
	if (con.tail.len > KEEP)
		console_spill();
}

/* Complete lines without escape sequences are kept as they are; others pass through the one-line terminal. */
static bool plain_line(const char *p, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (((unsigned char)p[i] < 32 && p[i] != '\t') || p[i] == 127)
			return false;
	return true;
}

void console_bytes(const char *p, size_t n)
{
	const char *end = p + n, *nl;
	size_t len;

	con.total += n;
	while (p < end) {
		if (lineterm_empty()) {
			nl = memchr(p, '\n', (size_t)(end - p));
			len = nl ? (size_t)(nl - p) : 0;
			if (len && p[len - 1] == '\r')
				len--;
			if (nl && plain_line(p, len)) {
				console_push(p, len);
				p = nl + 1;
				continue;
			}
		}
		lineterm_byte((unsigned char)*p++, console_push);
	}
}

/* ---- reading ------------------------------------------------------------------------------------ */

unsigned long console_lines(void)
{
	return con.lines;
}

unsigned long console_total(void)
{
	return con.total;
}

int console_cursor(void)
{
	return lineterm_column();
}

/* The next part of the log at off, at least one byte of it; into `out` when it comes from the file. */
static size_t log_part(uint64_t off, const char **p, char *room, size_t size)
{
	ssize_t k;

	if (off >= con.base) {
		*p = con.tail.s + (off - con.base);
		return con.tail.len - (size_t)(off - con.base);
	}
	if (off < con.lost || !ownfd_ok(con.fd))
		return 0;
	if (size > con.base - off)
		size = (size_t)(con.base - off);
	k = pread(con.fd, room, size, (off_t)off);
	*p = room;
	return k > 0 ? (size_t)k : 0;
}

const char *console_line(unsigned long i)
{
	char room[8192];
	unsigned long skip = i % STEP;
	uint64_t off;
	const char *p, *nl;
	size_t n;

	if (i == con.lines)
		return lineterm_text(NULL);
	buf_reset(&con.out);
	if (i > con.lines)
		return "";
	off = con.index[i / STEP];
	while ((n = log_part(off, &p, room, sizeof(room))) > 0) {
		nl = memchr(p, '\n', n);
		if (!skip)
			buf_add(&con.out, p, nl ? (size_t)(nl - p) : n);
		if (nl && !skip)
			return buf_str(&con.out);
		skip -= nl != NULL;
		off += nl ? (size_t)(nl - p) + 1 : n;
	}
	return con.out.len ? buf_str(&con.out) : "(no longer kept)";
}

int console_draw(struct grid *g, int y, int x, int width, int skip, const char *s, bool colours)
{
	struct look raw = { 0 }, look = { 0 };
	const char *esc, *m;
	int col = 0, room;
	size_t n;

	while (*s) {
		esc = strstr(s, "\033[");
		n = esc ? (size_t)(esc - s) : strlen(s);
		if (n) {
			struct buf t = { 0 };
			int w;

			buf_add(&t, s, n);
			w = (int)text_width(t.s);
			room = width + skip - col;
			if (room > 0)
				grid_text(g, y, col > skip ? x + col - skip : x, col > skip ? room : width,
					  col > skip ? 0 : skip - col, t.s, look);
			col += w;
			buf_release(&t);
		}
		s += n;
		if (!esc)
			break;
		m = s + strcspn(s, "m");
		if (colours) {
			lineterm_sgr(&raw, s + 2);
			look = (struct look){ theme_colour(raw.fg - 1), theme_colour(raw.bg - 1), raw.attr };
		}
		s = *m ? m + 1 : m;
	}
	return col;
}

void console_tail(int fd, unsigned long n)
{
	unsigned long i = con.lines > n ? con.lines - n : 0;
	const char *s;

	for (; i < con.lines; i++) {
		s = console_line(i);
		file_write_all(fd, s, strlen(s));
		file_write_all(fd, strstr(s, "\033[") ? "\033[m\n" : "\n", strstr(s, "\033[") ? 4 : 1);
	}
	if (lineterm_len()) {
		s = lineterm_text(NULL);
		file_write_all(fd, s, strlen(s));
		file_write_all(fd, strstr(s, "\033[") ? "\033[m\n" : "\n", strstr(s, "\033[") ? 4 : 1);
	}
}

bool console_dying(int fd, int n)
{
	size_t from = con.tail.len;
	char room[256];
	size_t k = 0;
	int i;

	for (; from > 0 && n > 0; n--) /* back over n newlines, and then to the line's start */
		for (from--; from > 0 && con.tail.s[from - 1] != '\n'; from--)
			;
	file_write_all(fd, con.tail.s ? con.tail.s + from : "", con.tail.len - from);
	for (i = 0; i < lineterm_len(); i++) {
		k += text_encode(room + k, lineterm_char(i));
		if (k + 4 > sizeof(room) || i == lineterm_len() - 1) {
			file_write_all(fd, room, k);
			k = 0;
		}
	}
	return lineterm_len() > 0;
}

void console_clear(void)
{
	buf_reset(&con.tail);
	con.base = con.lost = 0;
	con.lines = 0;
	con.nindex = 0;
	lineterm_clear();
}

void console_release(void)
{
	console_clear();
	buf_release(&con.tail);
	buf_release(&con.out);
	lineterm_release();
	free(con.index);
	con.index = NULL;
	con.index_cap = 0;
	ownfd_close(con.fd);
	con.fd = -1;
}

void console_woken(void)
{
	if (con.fd < 0)
		return;
	con.fd = -1;
	con.lost = con.base;
}
