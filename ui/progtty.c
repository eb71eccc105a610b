/* SPDX-License-Identifier: BSD-3-Clause */
/* The program's terminal.  It writes into a pty that the UI thread reads, however much it writes. */
#include "config.h"
#include "ui/progtty.h"
#include <errno.h>
#include <fcntl.h>
#include <pty.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>
#include "base/buf.h"
#include "base/err.h"
#include "ui/console.h"
#include "ui/terminal.h"

enum { CHUNK = 65536, LOWEST_FD = 10, LAST = 4096 };

static struct {
	int master, slave, saved[3];
	bool ours[3];                        /* it was a terminal: others stay with the program */
	bool taken, child;
	struct buf typed;
	char chunk[CHUNK];
} pt = { .master = -1, .slave = -1, .saved = { -1, -1, -1 } };

static int high_fd(int fd)
{
	int high = fcntl(fd, F_DUPFD_CLOEXEC, LOWEST_FD);

	close(fd);
	return high;
}

int progtty_open(struct err *err)
{
	struct winsize ws = { .ws_row = 24, .ws_col = 80 };
	struct termios t;
	int i;

	if (openpty(&pt.master, &pt.slave, NULL, NULL, &ws) < 0)
		return err_set(err, "cannot make a pty for the program: %s", strerror(errno));
	pt.master = high_fd(pt.master);
	pt.slave = high_fd(pt.slave);
	tcgetattr(pt.slave, &t);
	t.c_oflag &= ~(tcflag_t)OPOST;       /* the console knows what a newline is */
	t.c_iflag |= IUTF8;
	tcsetattr(pt.slave, TCSANOW, &t);
	fcntl(pt.master, F_SETFL, fcntl(pt.master, F_GETFL) | O_NONBLOCK);
	for (i = 0; i < 3; i++) {
		pt.ours[i] = isatty(i);
		pt.saved[i] = fcntl(i, F_DUPFD_CLOEXEC, LOWEST_FD);
	}
	return 0;
}

void progtty_take(void)
{
	int i;

	for (i = 0; i < 3; i++)
		if (pt.ours[i])
			dup2(pt.slave, i);
	pt.taken = true;
}

void progtty_give(void)
{
	int i;

	if (pt.child)
		return;
	for (i = 0; i < 3; i++)
		if (pt.ours[i] && pt.saved[i] >= 0)
			dup2(pt.saved[i], i);
	pt.taken = false;
}

bool progtty_taken(void)
{
	return pt.taken;
}

void progtty_output(int fd)
{
	int i;

	for (i = 1; i < 3; i++)
		if (pt.ours[i] || fd >= 0)
			dup2(fd >= 0 ? fd : pt.slave, i);
}

int progtty_fd(void)
{
	return pt.master;
}

int progtty_saved(int fd)
{
	return pt.saved[fd];
}

bool progtty_drain(size_t max)
{
	size_t got = 0;
	ssize_t n;

	if (pt.master < 0)
		return false;
	term_section();
	while (got < max && (n = read(pt.master, pt.chunk, sizeof(pt.chunk))) > 0) {
		console_bytes(pt.chunk, (size_t)n);
		got += (size_t)n;
	}
	term_section_end();
	return got > 0;
}

void progtty_size(int rows, int cols)
{
	struct winsize now, ws = { .ws_row = (unsigned short)(rows > 0 ? rows : 1),
				   .ws_col = (unsigned short)(cols > 0 ? cols : 1) };

	if (pt.master < 0)
		return;
	if (ioctl(pt.master, TIOCGWINSZ, &now) == 0 && now.ws_row == ws.ws_row && now.ws_col == ws.ws_col)
		return;
	ioctl(pt.master, TIOCSWINSZ, &ws);
}

void progtty_type(const char *p, size_t n)
{
	buf_add(&pt.typed, p, n);
	progtty_flush();
}

bool progtty_typing(void)
{
	return pt.typed.len > 0;
}

void progtty_flush(void)
{
	ssize_t n;

	while (pt.typed.len) {
		n = write(pt.master, pt.typed.s, pt.typed.len);
		if (n <= 0)
			return;
		memmove(pt.typed.s, pt.typed.s + n, pt.typed.len - (size_t)n + 1);
		pt.typed.len -= (size_t)n;
	}
}

bool progtty_asks(void)
{
	struct termios t;

	if (pt.slave < 0 || tcgetattr(pt.slave, &t) < 0)
		return false;
	return !(t.c_lflag & ICANON) || !(t.c_lflag & ECHO);
}

void progtty_close(void)
{
	int i;

	if (pt.master < 0)
		return;
	progtty_give();
	while (progtty_drain(1 << 20))
		;
	close(pt.master);
	close(pt.slave);
	for (i = 0; i < 3; i++)
		close(pt.saved[i]);
	pt.master = pt.slave = -1;
	buf_release(&pt.typed);
}

void progtty_die(void)
{
	static char last[2 * LAST];
	size_t have = 0, keep;
	bool open_line = false;
	ssize_t n;
	int i;

	if (pt.child || pt.master < 0)
		return;
	if (pt.saved[2] >= 0)
		open_line = console_dying(pt.saved[2], 20);
	for (i = 0; i < 64 && (n = read(pt.master, last + LAST, LAST)) > 0; i++) {
		keep = have + (size_t)n > LAST ? LAST - (size_t)n : have;
		memmove(last, last + have - keep, keep);
		memmove(last + keep, last + LAST, (size_t)n);
		have = keep + (size_t)n;
	}
	if (have)
		open_line = last[have - 1] != '\n';
	while (have && pt.saved[2] >= 0) {
		n = write(pt.saved[2], last, have);
		if (n <= 0)
			break;
		memmove(last, last + n, have - (size_t)n);
		have -= (size_t)n;
	}
	/* behind the rest of a line that was half read, not in it */
	if (pt.saved[2] >= 0 && write(pt.saved[2], "\033[m\n", open_line ? 4 : 3) < 0)
		open_line = false;
	progtty_give();
}

void progtty_forked(void)
{
	pt.child = true;
	if (pt.master >= 0)
		close(pt.master);
	pt.master = -1;
}
