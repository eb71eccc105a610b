/* SPDX-License-Identifier: BSD-3-Clause */
/* The program's terminal: a pty, which the UI thread reads without a limit. */
#include "config.h"
#include "ui/output/progtty.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pty.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>
#include "base/buf.h"
#include "base/err.h"
#include "base/file.h"
#include "base/ownfd.h"
#include "ui/output/console.h"
#include "ui/output/lineterm.h"
#include "ui/lost_fds.h"
#include "ui/term/terminal.h"

enum {
	CHUNK = 4096, /* a pty gives no more at once */
	RECENT = 64 << 10,
	HELD_MAX = 24, /* reads that empty a full pty */
	LINES = 20,    /* shown again of what was seen */
};

/* The data read last: shared with the watchdog.  After `total` it is zero, except for data of a read in progress. */
struct recent {
	_Atomic uint64_t total;
	atomic_bool shown; /* the program's output goes to the pane now */
	atomic_int over;   /* number of the last pty that cdbg does not read any more */
	char data[RECENT];
};

static struct {
	int master, slave, saved[3];
	bool ours[3];	    /* it was a terminal: others stay with the program */
	struct stat put[3]; /* what we stored there last, or found there at the start */
	int number;	    /* of this pty */
	bool taken, child;
	struct buf typed;
	struct recent *recent;
} pt = { .master = -1, .slave = -1, .saved = { -1, -1, -1 } };

int progtty_open(struct err *err)
{
	struct winsize ws = { .ws_row = 24, .ws_col = 80 };
	struct termios t;
	void *p;
	int i;

	if (!pt.recent) {
		p = mmap(NULL, sizeof(*pt.recent), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
		if (p == MAP_FAILED)
			return err_set(err, "cannot share memory: %s", strerror(errno));
		pt.recent = p;
	}
	if (openpty(&pt.master, &pt.slave, NULL, NULL, &ws) < 0)
		return err_set(err, "cannot make a pty for the program: %s", strerror(errno));
	pt.number++;
	pt.master = ownfd_move(pt.master);
	pt.slave = ownfd_move(pt.slave);
	tcgetattr(pt.slave, &t);
	t.c_oflag &= ~(tcflag_t)OPOST; /* the console knows what a newline is */
	t.c_iflag |= IUTF8;
	tcsetattr(pt.slave, TCSANOW, &t);
	fcntl(pt.master, F_SETFL, fcntl(pt.master, F_GETFL) | O_NONBLOCK);
	for (i = 0; i < 3; i++) {
		pt.ours[i] = isatty(i);
		pt.saved[i] = ownfd_copy(i);
		if (fstat(i, &pt.put[i]) < 0)
			memset(&pt.put[i], 0, sizeof(pt.put[i]));
	}
	return 0;
}

bool progtty_ok(void)
{
	int i;

	for (i = 0; i < 3; i++)
		if (pt.saved[i] >= 0 && !ownfd_ok(pt.saved[i]))
			return false;
	return pt.master < 0 || (ownfd_ok(pt.master) && ownfd_ok(pt.slave));
}

/* ---- descriptors 0, 1 and 2 ------------------------------------------------------------------------------- */

/* A descriptor that the program gave another meaning, or closed, is the program's. */
static void put_fd(int fd, int i)
{
	struct stat st;

	if (fd < 0 || fstat(i, &st) < 0 || st.st_dev != pt.put[i].st_dev || st.st_ino != pt.put[i].st_ino)
		return;
	if (dup2(fd, i) == i)
		fstat(i, &pt.put[i]);
}

void progtty_take(void)
{
	int i;

	for (i = 0; i < 3; i++)
		if (pt.ours[i] && ownfd_ok(pt.slave))
			put_fd(pt.slave, i);
	pt.taken = true;
	if (pt.recent)
		atomic_store(&pt.recent->shown, true);
}

void progtty_give(void)
{
	int i, fd;

	if (pt.child)
		return;
	for (i = 0; i < 3; i++) {
		if (!pt.ours[i] || pt.saved[i] < 0)
			continue;
		fd = ownfd_ok(pt.saved[i]) ? pt.saved[i] : lost_fds_terminal();
		put_fd(fd, i);
		if (fd >= 0 && fd != pt.saved[i])
			close(fd);
	}
	pt.taken = false;
	if (pt.recent)
		atomic_store(&pt.recent->shown, false);
}

bool progtty_taken(void)
{
	return pt.taken;
}

void progtty_output(int fd)
{
	int i;

	if (fd < 0 && !ownfd_ok(pt.slave))
		return;
	for (i = 1; i < 3; i++)
		if (pt.ours[i] || fd >= 0)
			put_fd(fd >= 0 ? fd : pt.slave, i);
}

bool progtty_open_by_name(void)
{
	char link[64], name[PATH_MAX];
	struct dirent *e;
	bool found = false;
	ssize_t n;
	int fd;
	DIR *d = opendir("/proc/self/fd");

	while (d && !found && (e = readdir(d))) {
		fd = atoi(e->d_name);
		if (fd < 3 || ownfd_ok(fd))
			continue;
		snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
		n = readlink(link, name, sizeof(name) - 1);
		if (n <= 0)
			continue;
		name[n] = '\0';
		found = !strcmp(name, "/dev/tty");
	}
	if (d)
		closedir(d);
	return found;
}

/* ---- the pty ---------------------------------------------------------------------------------------------- */

int progtty_fd(void)
{
	return pt.master;
}

int progtty_saved(int fd)
{
	return pt.saved[fd];
}

/* Reads once into shared memory, which outlives this process. 0: nothing. */
static size_t progtty_read(const char **p)
{
	uint64_t total = atomic_load(&pt.recent->total);
	size_t room = RECENT - total % RECENT;
	char *at = pt.recent->data + total % RECENT;
	ssize_t n;

	if (!ownfd_ok(pt.master))
		return 0;
	room = room < CHUNK ? room : CHUNK;
	memset(at, 0, room);
	n = read(pt.master, at, room);
	if (n <= 0)
		return 0;
	*p = at;
	atomic_store(&pt.recent->total, total + (uint64_t)n);
	return (size_t)n;
}

bool progtty_drain(size_t max)
{
	size_t got = 0, n;
	const char *p;

	if (pt.master < 0)
		return false;
	term_section();
	while (got < max && (n = progtty_read(&p)) > 0) {
		console_bytes(p, n);
		got += n;
	}
	term_section_end();
	return got > 0;
}
void progtty_size(int rows, int cols)
{
	struct winsize now, ws = { .ws_row = (unsigned short)(rows > 0 ? rows : 1),
				   .ws_col = (unsigned short)(cols > 0 ? cols : 1) };

	lineterm_columns(ws.ws_col);
	if (!ownfd_ok(pt.master))
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

	while (pt.typed.len && ownfd_ok(pt.master)) {
		n = write(pt.master, pt.typed.s, pt.typed.len);
		if (n <= 0)
			return;
		memmove(pt.typed.s, pt.typed.s + n, pt.typed.len - (size_t)n + 1);
		pt.typed.len -= (size_t)n;
	}
}

void progtty_close(void)
{
	int i;

	if (pt.master < 0)
		return;
	progtty_give();
	while (progtty_drain(1 << 20))
		;
	ownfd_close(pt.master);
	ownfd_close(pt.slave);
	for (i = 0; i < 3; i++) {
		ownfd_close(pt.saved[i]);
		pt.saved[i] = -1;
	}
	pt.master = pt.slave = -1;
	atomic_store(&pt.recent->over, pt.number);
	buf_release(&pt.typed);
}

/* ---- the end ------------------------------------------------------------------------------------------------ */

/* Reads the rest from the pty; *open_line: it does not end with a newline. */
static void tell_rest(int fd, bool *open_line)
{
	static char text[CHUNK];
	ssize_t n;
	int i;

	for (i = 0; i < HELD_MAX && (n = read(pt.master, text, CHUNK)) > 0; i++) {
		*open_line = text[n - 1] != '\n';
		if (file_write_all(fd, text, (size_t)n) < 0)
			return;
	}
}

void progtty_die(void)
{
	bool open_line, opened;
	int fd;

	if (pt.child || pt.master < 0)
		return;
	opened = !ownfd_ok(pt.saved[2]);
	fd = opened ? lost_fds_terminal() : pt.saved[2];
	open_line = fd >= 0 && console_dying(fd, LINES);
	if (fd >= 0 && ownfd_ok(pt.master))
		tell_rest(fd, &open_line);
	/* not in the middle of a line that was read partly */
	if (fd >= 0)
		file_write_all(fd, "\033[m\n", open_line ? 4 : 3);
	if (opened && fd >= 0)
		close(fd);
	progtty_give();
}

/* In the ring: where the last so many lines of the n bytes before `end` begin. */
static uint64_t last_lines(const char *data, uint64_t end, uint64_t n, int lines)
{
	uint64_t from = end;

	while (n-- > 0 && (data[(from - 1) % RECENT] != '\n' || from == end || lines-- > 0))
		from--;
	return from;
}

static int guard_out(void)
{
	return pt.ours[2] ? pt.saved[2] : pt.ours[1] ? pt.saved[1] : -1;
}

bool progtty_guard_over(void)
{
	return atomic_load(&pt.recent->over) >= pt.number;
}

void progtty_guard_pump(void)
{
	static char text[CHUNK];
	struct pollfd p = { .fd = pt.master, .events = POLLIN };
	int fd = guard_out();
	ssize_t n;

	for (;;) {
		poll(&p, 1, -1);
		n = read(pt.master, text, CHUNK);
		if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
			return; /* nobody has the pty any more */
		if (n > 0 && fd >= 0 && file_write_all(fd, text, (size_t)n) < 0)
			fd = -1; /* the terminal is gone: their writes still must not fail */
	}
}

void progtty_guard_tell(void)
{
	uint64_t total, kept, from;
	bool open_line = false;
	const char *data;
	int fd = guard_out();

	if (fd < 0 || !pt.recent || !atomic_load(&pt.recent->shown))
		return;
	data = pt.recent->data;
	total = atomic_load(&pt.recent->total);
	kept = total < RECENT - CHUNK ? total : RECENT - CHUNK;
	from = last_lines(data, total, kept, LINES);
	while (data[total % RECENT] && total - from < RECENT) /* read, but not counted when it ended */
		total++;
	for (; from < total; from++) {
		open_line = data[from % RECENT] != '\n';
		if (file_write_all(fd, &data[from % RECENT], 1) < 0)
			return;
	}
	tell_rest(fd, &open_line);
	file_write_all(fd, "\033[m\n", open_line ? 4 : 3);
}

int progtty_guard_fds(int *fd)
{
	fd[0] = pt.master;
	fd[1] = pt.saved[1];
	fd[2] = pt.saved[2];
	return 3;
}

void progtty_forked(void)
{
	pt.child = true;
	pt.master = -1;
}
