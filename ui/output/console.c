/* SPDX-License-Identifier: BSD-3-Clause */
/* The program's output, kept.  Lines are found by the offset of every 64th. */
#include "config.h"
#include "ui/output/console.h"
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/ownfd.h"
#include "ui/term/theme.h"

enum { CELLS = 4000, STEP = 64, KEEP = 8 << 20 };
enum { NUMBER_MAX = 9999 };                  /* of an escape sequence: beyond every colour and column */

struct ccell {
	uint32_t c;
	struct look look;
};

static struct {
	/* The log: bytes [0, base) in the file, [base, base + tail.len) in memory. */
	struct buf tail;
	uint64_t base, lost;                 /* lost: the file could not be written; nothing before can be read */
	int fd;
	uint64_t *index;                     /* offset of line n * STEP */
	size_t nindex, index_cap;
	unsigned long lines, total;
	/* The line being written. */
	struct ccell cell[CELLS];
	int len, x;
	struct look look;
	enum { PLAIN, GOT_ESC, GOT_CSI, GOT_OSC, GOT_OSC_ESC, GOT_SKIP } state;
	char arg[64];
	size_t narg;
	unsigned char part[4];               /* of a UTF-8 character */
	size_t npart;
	struct buf out;                      /* of console_line() */
	struct buf line;
} con = { .fd = -1 };

/* ---- the log ------------------------------------------------------------------------------------ */

static void spill(void)
{
	char name[4096];
	const char *dir = getenv("TMPDIR");
	size_t n = con.tail.len / 2, done = 0;
	ssize_t k;

	if (con.fd >= 0 && !ownfd_ok(con.fd)) {      /* the program closed it: a new one, which holds less */
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
	if (done < n)                        /* no room: the oldest is what goes */
		con.lost = con.base + n;
	memmove(con.tail.s, con.tail.s + n, con.tail.len - n + 1);
	con.tail.len -= n;
	con.base += n;
}

/* s holds no newline. */
static void push(const char *s, size_t n)
{
	if (con.lines % STEP == 0) {
		con.index = mem_grow(con.index, &con.index_cap, con.nindex + 1, sizeof(*con.index));
		con.index[con.nindex++] = con.base + con.tail.len;
	}
	con.lines++;
	buf_add(&con.tail, s, n);
	buf_addc(&con.tail, '\n');
	if (con.tail.len > KEEP)
		spill();
}

/* ---- the line being written --------------------------------------------------------------------- */

static void add_colour(struct buf *b, int base, uint16_t c)
{
	if (c)
		buf_addf(b, ";%d;5;%d", base, c - 1);
}

static void add_look(struct buf *b, struct look l)
{
	static const char *const attr[] = { ";1", ";2", ";7", ";4", ";3" };
	unsigned i;

	buf_adds(b, "\033[0");
	for (i = 0; i < 5; i++)
		if (l.attr & 1u << i)
			buf_adds(b, attr[i]);
	add_colour(b, 38, l.fg);
	add_colour(b, 48, l.bg);
	buf_addc(b, 'm');
}

static const char *current_line(void)
{
	struct look l = { 0 };
	char c[4];
	int i;

	buf_reset(&con.line);
	for (i = 0; i < con.len; i++) {
		if (memcmp(&l, &con.cell[i].look, sizeof(l))) {
			l = con.cell[i].look;
			add_look(&con.line, l);
		}
		buf_add(&con.line, c, text_encode(c, con.cell[i].c));
	}
	return buf_str(&con.line);
}

static void newline(void)
{
	current_line();
	push(buf_str(&con.line), con.line.len);
	con.len = con.x = 0;
}

static void put(uint32_t c)
{
	if (con.x >= CELLS)
		newline();
	while (con.len < con.x)
		con.cell[con.len++] = (struct ccell){ .c = ' ' };
	con.cell[con.x++] = (struct ccell){ .c = c, .look = con.look };
	if (con.x > con.len)
		con.len = con.x;
}

static int rgb(int r, int g, int b)
{
	return 16 + 36 * (r / 51) + 6 * (g / 51) + b / 51;
}

/* Parameters of ESC [ ... m. */
static void sgr(struct look *l, const char *s)
{
	static const uint16_t attr[10] = { 0, LOOK_BOLD, LOOK_DIM, LOOK_ITALIC, LOOK_UNDERLINE, 0, 0, LOOK_REVERSE };
	int p[32] = { 0 }, n = 0, i, colour;

	for (; n < 31; s++) {
		p[n++] = text_number(&s, NUMBER_MAX);
		if (*s != ';' && *s != ':')
			break;
	}
	for (i = 0; i < n; i++) {
		if (p[i] == 0)
			*l = (struct look){ 0 };
		else if (p[i] < 10)
			l->attr |= attr[p[i]];
		else if (p[i] == 22)
			l->attr &= (uint16_t)~(LOOK_BOLD | LOOK_DIM);
		else if (p[i] == 23 || p[i] == 24 || p[i] == 27)
			l->attr &= (uint16_t)~attr[p[i] - 20];
		else if (p[i] >= 30 && p[i] <= 37)
			l->fg = (uint16_t)(p[i] - 29);
		else if (p[i] >= 90 && p[i] <= 97)
			l->fg = (uint16_t)(p[i] - 81);
		else if (p[i] >= 40 && p[i] <= 47)
			l->bg = (uint16_t)(p[i] - 39);
		else if (p[i] >= 100 && p[i] <= 107)
			l->bg = (uint16_t)(p[i] - 91);
		else if (p[i] == 39)
			l->fg = 0;
		else if (p[i] == 49)
			l->bg = 0;
		else if (p[i] == 38 || p[i] == 48) {
			colour = i + 2 < n && p[i + 1] == 5 ? p[i + 2] & 255 :
				 i + 4 < n && p[i + 1] == 2 ? rgb(p[i + 2] & 255, p[i + 3] & 255, p[i + 4] & 255) : -1;
			if (p[i] == 38)
				l->fg = (uint16_t)(colour + 1);
			else
				l->bg = (uint16_t)(colour + 1);
			i += i + 1 < n && p[i + 1] == 5 ? 2 : 4;
		}
	}
}

static void csi(char final)
{
	const char *arg = con.arg;
	int k = text_number(&arg, NUMBER_MAX), n = k > 0 ? k : 1, i;

	if (final == 'm')
		sgr(&con.look, con.arg);
	else if (final == 'C')
		con.x += n;
	else if (final == 'D')
		con.x = con.x > n ? con.x - n : 0;
	else if (final == 'G')
		con.x = n - 1;
	else if (final == 'K' && k == 0)
		con.len = con.x < con.len ? con.x : con.len;
	else if (final == 'K' && k == 2)
		con.len = 0;
	else if (final == 'K' && k == 1)
		for (i = 0; i < con.x && i < con.len; i++)
			con.cell[i] = (struct ccell){ .c = ' ' };
	else if (final == 'P' && con.x < con.len) {
		if (n > con.len - con.x)
			n = con.len - con.x;
		memmove(con.cell + con.x, con.cell + con.x + n, (size_t)(con.len - con.x - n) * sizeof(*con.cell));
		con.len -= n;
	} else if (final == '@' && con.x < con.len) {
		if (n > CELLS - con.len)
			n = CELLS - con.len;
		memmove(con.cell + con.x + n, con.cell + con.x, (size_t)(con.len - con.x) * sizeof(*con.cell));
		con.len += n;
		for (i = 0; i < n; i++)
			con.cell[con.x + i] = (struct ccell){ .c = ' ' };
	}
	if (con.x > CELLS - 1)
		con.x = CELLS - 1;
}

/* A byte inside an escape sequence. */
static void escape(unsigned char c)
{
	switch (con.state) {
	case GOT_ESC:
		con.narg = 0;
		con.state = c == '[' ? GOT_CSI : c == ']' || c == 'P' || c == '_' || c == '^' ? GOT_OSC :
			    c >= 0x20 && c < 0x30 ? GOT_SKIP : PLAIN;
		break;
	case GOT_CSI:
		if (c >= 0x40 && c <= 0x7e) {
			con.arg[con.narg] = '\0';
			con.state = PLAIN;
			csi((char)c);
		} else if (con.narg < sizeof(con.arg) - 1) {
			con.arg[con.narg++] = (char)c;
		}
		break;
	case GOT_OSC:
		con.state = c == 7 ? PLAIN : c == 27 ? GOT_OSC_ESC : GOT_OSC;
		break;
	case GOT_OSC_ESC:
		con.state = c == '\\' ? PLAIN : GOT_OSC;
		break;
	default:
		con.state = PLAIN;           /* ESC ( B and its like */
	}
}

static void byte(unsigned char c)
{
	uint32_t u;

	if (con.state != PLAIN) {
		escape(c);
		return;
	}
	if (con.npart && (c & 0xc0) != 0x80) {
		put(0xfffd);
		con.npart = 0;
	}
	if (c >= 0x80) {
		con.part[con.npart++] = c;
		if (con.npart == 1 && (c < 0xc2 || c > 0xf4)) {
			put(0xfffd);
			con.npart = 0;
		} else if (con.npart == (con.part[0] >= 0xf0 ? 4u : con.part[0] >= 0xe0 ? 3u : 2u)) {
			char s[5] = { 0 };

			memcpy(s, con.part, con.npart);
			text_decode(s, &u);
			put(u);
			con.npart = 0;
		}
	} else if (c == '\n') {
		newline();
	} else if (c == '\r') {
		con.x = 0;
	} else if (c == '\b') {
		con.x -= con.x > 0;
	} else if (c == '\t') {
		do
			put(' ');
		while (con.x % 8);
	} else if (c == 27) {
		con.state = GOT_ESC;
	} else if (c >= 32 && c != 127) {
		put(c);
	}
}

/* Whole plain lines need no terminal; what other lines hold goes through it. */
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
	static const struct look none;
	const char *end = p + n, *nl;
	size_t len;

	con.total += n;
	while (p < end) {
		if (!con.len && !con.x && con.state == PLAIN && !con.npart && !memcmp(&con.look, &none, sizeof(none))) {
			nl = memchr(p, '\n', (size_t)(end - p));
			len = nl ? (size_t)(nl - p) : 0;
			if (len && p[len - 1] == '\r')
				len--;
			if (nl && plain_line(p, len)) {
				push(p, len);
				p = nl + 1;
				continue;
			}
		}
		byte((unsigned char)*p++);
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
	return con.x;
}

/* The next part of the log at off, at least one byte of it; into `out` when it comes from the file. */
static size_t part(uint64_t off, const char **p, char *room, size_t size)
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
		return current_line();
	buf_reset(&con.out);
	if (i > con.lines)
		return "";
	off = con.index[i / STEP];
	while ((n = part(off, &p, room, sizeof(room))) > 0) {
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

void console_draw(struct grid *g, int y, int x, int width, int skip, const char *s, bool colours)
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
			sgr(&raw, s + 2);
			look = (struct look){ theme_colour(raw.fg - 1), theme_colour(raw.bg - 1), raw.attr };
		}
		s = *m ? m + 1 : m;
	}
}

static void write_fd(int fd, const char *s, size_t n)
{
	ssize_t k;

	while (n) {
		k = write(fd, s, n);
		if (k < 0 && errno != EINTR)
			return;
		if (k > 0) {
			s += k;
			n -= (size_t)k;
		}
	}
}

void console_tail(int fd, unsigned long n)
{
	unsigned long i = con.lines > n ? con.lines - n : 0;
	const char *s;

	for (; i < con.lines; i++) {
		s = console_line(i);
		write_fd(fd, s, strlen(s));
		write_fd(fd, strstr(s, "\033[") ? "\033[m\n" : "\n", strstr(s, "\033[") ? 4 : 1);
	}
	if (con.len) {
		s = current_line();
		write_fd(fd, s, strlen(s));
		write_fd(fd, strstr(s, "\033[") ? "\033[m\n" : "\n", strstr(s, "\033[") ? 4 : 1);
	}
}

bool console_dying(int fd, int n)
{
	size_t from = con.tail.len;
	char room[256];
	size_t k = 0;
	int i;

	for (; from > 0 && n > 0; n--)               /* back over n newlines, and then to the line's start */
		for (from--; from > 0 && con.tail.s[from - 1] != '\n'; from--)
			;
	write_fd(fd, con.tail.s ? con.tail.s + from : "", con.tail.len - from);
	for (i = 0; i < con.len; i++) {
		k += text_encode(room + k, con.cell[i].c);
		if (k + 4 > sizeof(room) || i == con.len - 1) {
			write_fd(fd, room, k);
			k = 0;
		}
	}
	return con.len > 0;
}

void console_clear(void)
{
	buf_reset(&con.tail);
	con.base = con.lost = 0;
	con.lines = 0;
	con.nindex = 0;
	con.len = con.x = 0;
}

void console_release(void)
{
	console_clear();
	buf_release(&con.tail);
	buf_release(&con.out);
	buf_release(&con.line);
	free(con.index);
	con.index = NULL;
	con.index_cap = 0;
	ownfd_close(con.fd);
	con.fd = -1;
}
