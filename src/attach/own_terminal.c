/* SPDX-License-Identifier: BSD-3-Clause */
/* The terminal of the process that attaches: see own_terminal.h.  It is in raw mode meanwhile: what a key does is for
   the other side to say, but for Ctrl-C where its terminal wants a signal, and Ctrl-Z. */
#include "config.h"
#include "attach/own_terminal.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <termios.h>
#include <unistd.h>
#include "base/err.h"
#include "base/file.h"
#include "base/unsent.h"
#include "ui/remote.h"

enum { CHUNK = 65536, KEYS = 4096, CTRL_L = 'L' & 31 };

static const int ending[] = { SIGTERM, SIGHUP, SIGQUIT };
enum { ENDING = sizeof(ending) / sizeof(*ending) };

static struct termios cooked;
static bool raw;
static volatile sig_atomic_t resized, end_signal;

static void on_size(int sig)
{
	(void)sig;
	resized = 1;
}

static void on_end(int sig)
{
	end_signal = sig;
}

static void make_raw(void)
{
	struct termios t;

	if (tcgetattr(0, &cooked) < 0)
		return;
	t = cooked;
	cfmakeraw(&t);
	raw = tcsetattr(0, TCSADRAIN, &t) == 0;
}

static void make_cooked(void)
{
	if (raw)
		tcsetattr(0, TCSADRAIN, &cooked);
	raw = false;
}

/* What leaves a full screen, with its modes, on the terminals that have them; others ignore it.  Where the other
   process could not do it itself. */
static void leave_screen(void)
{
	static const char
		codes[] = "\033[?2004l\033[?1006l\033[?1003l\033[?1002l\033[?1000l\033[?1l\033>\033[?1049l\033[0m"
			  "\033[?25h\r";

	if (isatty(1))
		file_write_all(1, codes, sizeof(codes) - 1);
}

/* ---- both ends ------------------------------------------------------------------------------------------------- */

static void pass_size(const struct own_terminal *t)
{
	struct winsize size;

	if (ioctl(0, TIOCGWINSZ, &size) == 0)
		ioctl(t->end, TIOCSWINSZ, &size);
}

static int open_pty(struct own_terminal *t, struct err *err)
{
	struct termios modes;

	t->end = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (t->end < 0 || grantpt(t->end) < 0 || unlockpt(t->end) < 0)
		return err_set(err, "cannot make a pseudo terminal: %s", strerror(errno));
#ifdef TIOCGPTPEER
	t->theirs = ioctl(t->end, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC);
#else
	t->theirs = open(ptsname(t->end), O_RDWR | O_NOCTTY | O_CLOEXEC);
#endif
	if (t->theirs < 0)
		return err_set(err, "cannot open a pseudo terminal: %s", strerror(errno));
	if (tcgetattr(0, &modes) == 0)
		tcsetattr(t->theirs, TCSANOW, &modes);
	pass_size(t);
	return 0;
}

int own_terminal_open(struct own_terminal *t, struct err *err)
{
	int pair[2];

	*t = (struct own_terminal){ .end = -1, .theirs = -1, .tty = isatty(0) && isatty(1) };
	if (t->tty && open_pty(t, err) < 0)
		return -1;
	if (!t->tty && socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
		return err_set(err, "cannot make a socket: %s", strerror(errno));
	if (!t->tty) {
		t->end = pair[0];
		t->theirs = pair[1];
	}
	if (fcntl(t->end, F_SETFL, O_NONBLOCK) < 0)
		return err_set(err, "cannot set up what leads to the process: %s", strerror(errno));
	return 0;
}

int own_terminal_send(struct own_terminal *t, int channel, struct err *err)
{
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(sizeof(int))];
	} control;
	char word = REMOTE_TERMINAL;
	struct iovec v = { &word, 1 };
	struct msghdr m = {
		.msg_iov = &v, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof(control)
	};
	struct cmsghdr *c;

	memset(&control, 0, sizeof(control));
	c = CMSG_FIRSTHDR(&m);
	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(c), &t->theirs, sizeof(int));
	if (sendmsg(channel, &m, MSG_NOSIGNAL) != 1)
		return err_set(err, "cannot send the terminal: %s", strerror(errno));
	close(t->theirs);
	t->theirs = -1;
	return 0;
}

void own_terminal_close(struct own_terminal *t)
{
	if (t->end >= 0)
		close(t->end);
	if (t->theirs >= 0)
		close(t->theirs);
	t->end = t->theirs = -1;
	unsent_release(&t->keys);
}

/* ---- bytes ------------------------------------------------------------------------------------------------------ */

static void say(int channel, enum remote_word word)
{
	const char c = (char)word;

	if (send(channel, &c, 1, MSG_NOSIGNAL) < 0)
		return; /* the other end has gone: reading from it tells */
}

/* The other side reads only at its prompt and on its screen; Ctrl-C, its output and its end do not wait for
   that. */
static void send_bytes(struct own_terminal *t, const char *s, size_t n)
{
	unsent_write(&t->keys, t->end, s, n);
}

/* The shell has the terminal until this process is continued; then the other side draws again. */
static void suspend(struct own_terminal *t)
{
	const char again = CTRL_L;

	leave_screen();
	make_cooked();
	raise(SIGTSTP);
	make_raw();
	pass_size(t);
	send_bytes(t, &again, 1);
}

/* Does the other side's terminal make signals of keys now? */
static bool wants_signals(const struct own_terminal *t)
{
	struct termios modes;

	return tcgetattr(t->end, &modes) == 0 && (modes.c_lflag & ISIG);
}

/* Is it the key that the terminal here has for this?  It may have none. */
static bool is_key(char c, int which)
{
	return cooked.c_cc[which] != _POSIX_VDISABLE && (cc_t)c == cooked.c_cc[which];
}

/* The terminal drops what was not read before it; and so does what waits for room in it. */
static void pass_interrupt(struct own_terminal *t, int channel, char key)
{
	if (unsent_left(&t->keys)) {
		unsent_drop(&t->keys);
		tcflush(t->end, TCOFLUSH);
	}
	send_bytes(t, &key, 1);
	say(channel, REMOTE_INTERRUPT);
}

/* Keys of a terminal.  A paste may have such bytes in its middle. */
static void pass_keys(struct own_terminal *t, int channel, const char *s, size_t n)
{
	size_t i, from = 0;

	for (i = 0; i < n; i++) {
		if (n == 1 && is_key(s[i], VSUSP)) {
			suspend(t);
			return;
		}
		if (!is_key(s[i], VINTR) || !wants_signals(t))
			continue;
		send_bytes(t, s + from, i - from);
		pass_interrupt(t, channel, s[i]);
		from = i + 1;
	}
	send_bytes(t, s + from, n - from);
}

/* False: nothing more comes. */
static bool pass_input(struct own_terminal *t, int channel)
{
	char part[KEYS];
	ssize_t n = read(0, part, sizeof(part));

	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return true;
	if (n <= 0)
		return false;
	if (t->tty)
		pass_keys(t, channel, part, (size_t)n);
	else
		send_bytes(t, part, (size_t)n);
	return true;
}

enum output { OUTPUT_NONE, OUTPUT_SOME, OUTPUT_END };

static enum output pass_output(const struct own_terminal *t)
{
	static char part[CHUNK];
	ssize_t n = read(t->end, part, sizeof(part));

	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return errno == EINTR ? OUTPUT_SOME : OUTPUT_NONE;
	return n > 0 && file_write_all(1, part, (size_t)n) == 0 ? OUTPUT_SOME : OUTPUT_END;
}

static bool read_word(int channel, bool *bye)
{
	char word;
	ssize_t n = recv(channel, &word, 1, 0);

	if (n == 1 && word == REMOTE_BYE)
		*bye = true;
	return n == 1 || (n < 0 && errno == EINTR);
}

/* False: it hung up. */
static bool pass_end(struct own_terminal *t, bool *ended)
{
	*ended = true;
	if (!t->tty && !unsent_left(&t->keys))
		shutdown(t->end, SHUT_WR);
	return !t->tty;
}

/* Until the channel ends, or this process is to end. */
static bool loop(struct own_terminal *t, int channel, const sigset_t *wait)
{
	struct pollfd p[3] = { { .fd = channel, .events = POLLIN }, { .fd = t->end }, { .fd = 0, .events = POLLIN } };
	bool bye = false, ended = false;

	while (!end_signal) {
		if (resized) {
			resized = 0;
			pass_size(t);
			say(channel, REMOTE_SIZE);
		}
		p[1].events = unsent_left(&t->keys) ? POLLIN | POLLOUT : POLLIN;
		p[2].fd = ended || unsent_left(&t->keys) > UNSENT_MOST ? -1 : 0;
		if (ppoll(p, 3, NULL, wait) < 0)
			continue;
		if (p[1].revents & POLLOUT) {
			send_bytes(t, "", 0);
			if (ended && !unsent_left(&t->keys))
				shutdown(t->end, SHUT_WR);
		}
		if ((p[1].revents & ~POLLOUT) && pass_output(t) == OUTPUT_END)
			p[1].fd = -1;
		if (p[0].revents && !read_word(channel, &bye))
			break;
		if (p[2].fd == 0 && p[2].revents && !pass_input(t, channel) && !pass_end(t, &ended))
			return true;
	}
	while (pass_output(t) == OUTPUT_SOME)
		; /* what the other side wrote last */
	return bye || end_signal;
}

bool own_terminal_pass(struct own_terminal *t, int channel)
{
	struct sigaction size = { .sa_handler = on_size }, end = { .sa_handler = on_end }, before[ENDING + 1];
	sigset_t block, wait;
	bool well;
	int i;

	sigemptyset(&block);
	sigaddset(&block, SIGWINCH);
	for (i = 0; i < ENDING; i++) {
		sigaddset(&block, ending[i]);
		sigaction(ending[i], &end, &before[i]);
	}
	sigaction(SIGWINCH, &size, &before[ENDING]);
	sigprocmask(SIG_BLOCK, &block, &wait);
	end_signal = 0;
	resized = t->tty;
	if (t->tty)
		make_raw();
	well = loop(t, channel, &wait);
	if (!well || end_signal)
		leave_screen();
	make_cooked();
	for (i = 0; i < ENDING; i++)
		sigaction(ending[i], &before[i], NULL);
	sigaction(SIGWINCH, &before[ENDING], NULL);
	sigprocmask(SIG_SETMASK, &wait, NULL);
	if (end_signal)
		raise(end_signal);
	return well;
}
