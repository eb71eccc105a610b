/* SPDX-License-Identifier: BSD-3-Clause */
/* The full screen of a rank on the controller's terminal: see ranks_screen.h.  Keys go to the rank, but for C-x r,
   which chooses another rank.  Their row is written between two sequences of the rank's, never within one. */
#include "config.h"
#include "ui/ranks/ranks_screen.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>
#include "base/buf.h"
#include "base/err.h"
#include "base/file.h"
#include "base/unsent.h"
#include "base/val.h"
#include "ui/ranks/controller.h"
#include "ui/ranks/rank.h"
#include "ui/ranks/ranks_show.h"
#include "view/view.h"

enum { CHUNK = 65536, KEYS = 4096, LEAST_ROWS = 4, PREFIX = 'X' & 31, REDRAW = 'L' & 31, ESC = 27, ROOM_MS = 50 };

/* Where the rank's output stands in a sequence of the terminal. */
enum at { AT_TEXT, AT_ESC, AT_CSI, AT_STRING, AT_STRING_ESC, AT_CHARSET };

/* What the keys have said so far. */
enum typed { TYPED_NOTHING, TYPED_PREFIX, TYPED_NUMBER };

static struct {
	int end;	    /* of the pseudo terminal, does not block; -1: the rank has closed it */
	struct unsent keys; /* that the rank has not taken yet */
	int rank, next;	    /* next: that is wanted then; -1: the prompt */
	bool leaving;
	enum at at;
	int more; /* bytes of a character that are to come */
	enum typed typed;
	int number;	  /* ... after C-x r; -1: no digit yet */
	const char *said; /* in the row, until the next key; or NULL */
	struct winsize size;
	struct termios cooked;
	struct buf later; /* what was said meanwhile */
	struct buf told;  /* ... to the rank, of all of them */
} sc;

static volatile sig_atomic_t end_signal;

static void on_end(int sig)
{
	end_signal = sig;
}

static void keep_for_later(const char *text)
{
	buf_addf(&sc.later, "%s\n", text);
}

static const struct controller_ops quiet = { .say = keep_for_later };

/* ---- the row ------------------------------------------------------------------------------------ */

static void row_text(const struct controller *c, struct buf *out)
{
	struct buf table = { 0 };
	size_t i;

	if (sc.typed == TYPED_NUMBER) {
		buf_adds(out, "rank: ");
		if (sc.number >= 0)
			buf_addf(out, "%d", sc.number);
		buf_addf(out, "   its number%s: its screen; q: the prompt", c->world > 10 ? ", then Enter" : "");
		return;
	}
	buf_addf(out, "rank %d  ", sc.rank);
	if (sc.said)
		buf_addf(out, "rank %d: %s  ", sc.number, sc.said);
	ranks_show_table(c, &table);
	for (i = 0; i < table.len; i++)
		if (table.s[i] != '\n')
			buf_addc(out, table.s[i]);
		else
			buf_adds(out, "  ");
	buf_release(&table);
}

/* On the first row, in reverse video; the cursor and its attributes are as before. */
static void draw_row(const struct controller *c)
{
	struct buf text = { 0 }, out = { 0 };

	if (sc.at != AT_TEXT || sc.more)
		return;
	row_text(c, &text);
	buf_adds(&out, "\0337\033[1;1H\033[0;7m\033[2K");
	view_cut(&out, buf_str(&text), sc.size.ws_col);
	buf_adds(&out, "\033[0m\0338");
	file_write_all(1, out.s, out.len);
	buf_release(&text);
	buf_release(&out);
}

/* ---- the rank's output ---------------------------------------------------------------------------- */

static int bytes_after(unsigned char first)
{
	return first >= 0xf0 ? 3 : first >= 0xe0 ? 2 : first >= 0xc0 ? 1 : 0;
}

static void follow_byte(unsigned char b)
{
	switch (sc.at) {
	case AT_TEXT:
		if (sc.more && b >= 0x80 && b < 0xc0)
			sc.more--;
		else
			sc.more = bytes_after(b);
		if (b == ESC)
			sc.at = AT_ESC;
		break;
	case AT_ESC:
		sc.at = b == '['			 ? AT_CSI :
			b == ']' || b == 'P' || b == '_' ? AT_STRING :
			b >= ' ' && b <= '/'		 ? AT_CHARSET :
							   AT_TEXT;
		break;
	case AT_CSI:
		if (b >= '@' && b <= '~')
			sc.at = AT_TEXT;
		break;
	case AT_STRING:
		sc.at = b == 7 ? AT_TEXT : b == ESC ? AT_STRING_ESC : AT_STRING;
		break;
	case AT_STRING_ESC:
	case AT_CHARSET:
		sc.at = AT_TEXT;
		break;
	}
}

static void close_end(void)
{
	if (sc.end >= 0)
		close(sc.end);
	sc.end = -1;
	unsent_release(&sc.keys);
}

static void pass_output(const struct controller *c)
{
	static char part[CHUNK];
	ssize_t n = read(sc.end, part, sizeof(part)), i;

	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	if (n <= 0) {
		close_end();
		return;
	}
	for (i = 0; i < n; i++)
		follow_byte((unsigned char)part[i]);
	file_write_all(1, part, (size_t)n);
	draw_row(c);
}

/* ---- keys ------------------------------------------------------------------------------------------- */

static void to_rank(const char *s, size_t n)
{
	if (sc.end >= 0)
		unsent_write(&sc.keys, sc.end, s, n);
}

static void leave_for(int rank)
{
	sc.next = rank;
	sc.leaving = true;
}

/* Why its screen cannot be shown; NULL: it can. */
static const char *cannot(const struct controller *c, int n)
{
	const struct rank *r = controller_rank(c, n);
	char host[256] = "";

	if (!r)
		return "there is no such rank";
	if (!rank_live(r))
		return "it has ended";
	gethostname(host, sizeof(host) - 1);
	if (strcmp(host, val_text(r->hello, "host")))
		return "it runs on another host: its screen can be shown there only";
	if (r->state != RANK_STOPPED)
		return "it does not stand: 'interrupt' stops it";
	return NULL;
}

static void choose(const struct controller *c)
{
	sc.typed = TYPED_NOTHING;
	if (sc.number == sc.rank || sc.number < 0)
		return;
	sc.said = cannot(c, sc.number);
	if (!sc.said)
		leave_for(sc.number);
}

/* Enter in its pane `ranks`. */
static void follow_wish(const struct controller *c)
{
	struct rank *r = controller_rank(c, sc.rank);

	if (!r || r->screen_wanted < 0)
		return;
	sc.number = r->screen_wanted <= RANK_MAX ? (int)r->screen_wanted : RANK_MAX;
	r->screen_wanted = -1;
	choose(c);
	draw_row(c);
}

/* For its pane `ranks`; a rank that runs would have to be stopped for it. */
static void tell_rank(const struct controller *c)
{
	struct rank *r = controller_rank(c, sc.rank);
	struct buf text = { 0 };
	size_t i;

	if (!r || r->state != RANK_STOPPED)
		return;
	buf_adds(&text, "tui ranks ");
	ranks_show_table(c, &text);
	for (i = 0; i < text.len; i++)
		if (text.s[i] == '\n')
			text.s[i] = VIEW_RANKS_END;
	if (strcmp(buf_str(&text), buf_str(&sc.told)) != 0) {
		rank_send(r, 0, text.s, "rows");
		buf_reset(&sc.told);
		buf_adds(&sc.told, text.s);
	}
	buf_release(&text);
}

/* After C-x r: digits up to Enter, or up to the only number that they can be. */
static void key_of_number(const struct controller *c, char key)
{
	if (key >= '0' && key <= '9' && sc.number < 10000) {
		sc.number = (sc.number < 0 ? 0 : sc.number * 10) + key - '0';
		if (sc.number * 10 >= c->world || !sc.number)
			choose(c);
	} else if (key == '\r') {
		choose(c);
	} else if (key == 'q') {
		leave_for(-1);
	} else {
		sc.typed = TYPED_NOTHING;
	}
}

/* Does the rank's terminal make a signal of Ctrl-C now? */
static bool wants_signal(void)
{
	struct termios modes;

	return sc.end >= 0 && tcgetattr(sc.end, &modes) == 0 && (modes.c_lflag & ISIG);
}

/* A terminal may have no such key. */
static bool is_interrupt(char key)
{
	return sc.cooked.c_cc[VINTR] != _POSIX_VDISABLE && (cc_t)key == sc.cooked.c_cc[VINTR];
}

static void take_key(struct controller *c, char key)
{
	const char both[] = { PREFIX, key };
	struct rank *r = controller_rank(c, sc.rank);

	sc.said = NULL;
	if (sc.typed == TYPED_NUMBER) {
		key_of_number(c, key);
	} else if (sc.typed == TYPED_PREFIX && key == 'r') {
		sc.typed = TYPED_NUMBER;
		sc.number = -1;
	} else if (sc.typed == TYPED_PREFIX) {
		sc.typed = TYPED_NOTHING;
		to_rank(both, 2);
	} else if (key == PREFIX) {
		sc.typed = TYPED_PREFIX;
	} else if (is_interrupt(key) && wants_signal() && r && r->state == RANK_RUNNING) {
		rank_send(r, 0, "interrupt", "rows");
	} else {
		to_rank(&key, 1);
	}
}

static void take_keys(struct controller *c)
{
	char part[KEYS];
	ssize_t n = read(c->input_fd, part, sizeof(part)), i;

	if (n == 0 || (n < 0 && errno != EINTR && errno != EAGAIN))
		leave_for(-1); /* it hung up: the prompt finds out, too */
	for (i = 0; i < n && !sc.leaving; i++)
		take_key(c, part[i]);
	draw_row(c);
}

/* ---- the terminal ------------------------------------------------------------------------------------ */

/* What leaves a full screen, with its modes, where the rank could not do it itself. */
static void leave_screen(void)
{
	static const char codes[] = "\033\\\033[?2004l\033[?1006l\033[?1003l\033[?1002l\033[?1000l\033[?1l\033>\033[r"
				    "\033[0m\033[H\033[2J\033[?1049l\033[?25h\r\033[K";

	file_write_all(1, codes, sizeof(codes) - 1);
}

static void make_raw(int fd)
{
	struct termios t = sc.cooked;

	cfmakeraw(&t);
	tcsetattr(fd, TCSADRAIN, &t);
}

static void read_size(void)
{
	if (ioctl(1, TIOCGWINSZ, &sc.size) < 0 || sc.size.ws_row < LEAST_ROWS)
		sc.size = (struct winsize){ .ws_row = 24, .ws_col = 80 };
}

/* Its terminal has a row less, and it leaves the first one. */
static void pass_size(void)
{
	struct winsize theirs = sc.size;

	theirs.ws_row--;
	ioctl(sc.end, TIOCSWINSZ, &theirs);
}

static void follow_size(const struct controller *c)
{
	const struct winsize before = sc.size;
	const char again = REDRAW;

	read_size();
	if (before.ws_row == sc.size.ws_row && before.ws_col == sc.size.ws_col)
		return;
	pass_size();
	to_rank(&again, 1); /* it draws again, for the size that it finds */
	draw_row(c);
}

/* Its end as the rank is to open it.  -1: err. */
static int open_pty(struct buf *where, struct err *err)
{
	const char *name, *type = getenv("TERM");
	struct stat st;
	int theirs;

	sc.end = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (sc.end < 0 || grantpt(sc.end) < 0 || unlockpt(sc.end) < 0 || !(name = ptsname(sc.end)) ||
	    fcntl(sc.end, F_SETFL, O_NONBLOCK) < 0 || (theirs = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC)) < 0) {
		close_end();
		return err_set(err, "cannot make a pseudo terminal: %s", strerror(errno));
	}
	tcsetattr(theirs, TCSANOW, &sc.cooked);
	fstat(theirs, &st);
	buf_addf(where, "tui enable %s %llu %llu %s 1", name, (unsigned long long)st.st_dev,
		 (unsigned long long)st.st_ino, type);
	pass_size();
	return theirs;
}

/* ---- one rank after the other ------------------------------------------------------------------------- */

static int ask_rank(struct controller *c, const char *line, struct err *err)
{
	struct rank_set one = { .n = NULL };
	const struct rank *r = controller_rank(c, sc.rank);
	const struct val *ok;
	int ret = 0;

	rank_set_add(&one, sc.rank);
	controller_ask(c, &one, line, "text");
	ok = r->answer ? val_get(r->answer, "ok") : NULL;
	if (!ok || ok->type != VAL_BOOL || !ok->u.b)
		ret = err_set(err, "rank %d shows no screen: %s", sc.rank,
			      r->answer ? val_text(r->answer, "error") : "it gave no answer");
	rank_set_release(&one);
	return ret;
}

/* A child of the rank may keep its terminal open: what it says counts, too. */
static bool has_left(const struct controller *c)
{
	const struct rank *r = controller_rank(c, sc.rank);

	return sc.end < 0 || !r || !rank_live(r) || r->screen_left;
}

/* The rank may be about to tell what became of it. */
static void wait_for_news(struct controller *c)
{
	enum { ROUNDS = 10, ROUND_MS = 50 };
	const struct rank *r;
	int left;

	for (left = ROUNDS; left && (r = controller_rank(c, sc.rank)) && r->state == RANK_RUNNING; left--)
		controller_wait(c, ROUND_MS);
}

/* Its screen has shown them. */
static void forget_notes(struct rank *r)
{
	if (!r)
		return;
	val_free(r->notes);
	r->notes = val_list();
}

/* Until the rank has left its screen, or another is wanted. */
static void show(struct controller *c)
{
	sc.leaving = false;
	sc.next = -1;
	sc.at = AT_TEXT;
	sc.more = 0;
	sc.typed = TYPED_NOTHING;
	sc.said = NULL;
	buf_release(&sc.told);
	controller_watch(c, sc.end);
	make_raw(c->input_fd);
	while (!has_left(c) && !sc.leaving && !end_signal) {
		if (unsent_left(&sc.keys) <= UNSENT_MOST)
			controller_want_input(c);
		else
			c->input = false;
		draw_row(c);
		tell_rank(c);
		controller_wait(c, unsent_left(&sc.keys) ? ROOM_MS : -1);
		to_rank("", 0);
		follow_size(c);
		follow_wish(c);
		if (c->interrupted)
			leave_for(-1); /* a signal from outside: the key is a byte here */
		if (c->watched_ready)
			pass_output(c);
		if (c->input)
			take_keys(c);
	}
	forget_notes(controller_rank(c, sc.rank));
	close_end();
	leave_screen();
	tcsetattr(c->input_fd, TCSADRAIN, &sc.cooked);
	if (!sc.leaving)
		wait_for_news(c);
}

static int open_and_show(struct controller *c, struct err *err)
{
	struct buf where = { 0 };
	int theirs = open_pty(&where, err), ret = -1;

	controller_rank(c, sc.rank)->screen_left = false;
	if (theirs >= 0) {
		ret = ask_rank(c, buf_str(&where), err);
		close(theirs);
	}
	buf_release(&where);
	if (ret < 0)
		close_end();
	else
		show(c);
	return ret;
}

static int run(struct controller *c, struct err *err)
{
	static const int ending[] = { SIGTERM, SIGHUP, SIGQUIT };
	enum { ENDING = sizeof(ending) / sizeof(*ending) };
	const struct sigaction end = { .sa_handler = on_end };
	const struct controller_ops *ops = c->ops;
	struct sigaction before[ENDING];
	int ret = 0, i;

	if (tcgetattr(c->input_fd, &sc.cooked) < 0)
		return err_set(err, "cannot read the terminal's modes: %s", strerror(errno));
	for (i = 0; i < ENDING; i++)
		sigaction(ending[i], &end, &before[i]);
	c->ops = &quiet;
	read_size();
	for (; ret == 0 && sc.rank >= 0 && !end_signal; sc.rank = sc.next) {
		c->chosen = sc.rank;
		ret = open_and_show(c, err);
	}
	c->ops = ops;
	c->interrupted = false;
	for (i = 0; i < ENDING; i++)
		sigaction(ending[i], &before[i], NULL);
	if (end_signal)
		raise(end_signal);
	return ret;
}

int ranks_screen_run(struct controller *c, const char *args, struct buf *out, struct err *err)
{
	const char *type = getenv("TERM"), *why;
	char *after;
	long n = *args ? strtol(args, &after, 10) : c->chosen;
	int ret;

	if (*args && (after == args || *after || n < 0 || n > RANK_MAX))
		return err_set(err, "'screen' takes the number of a rank: 'ranks' lists them");
	if (!isatty(c->input_fd) || !isatty(1) || !type || !strcmp(type, "dumb"))
		return err_set(err, "there is no terminal here for a screen");
	why = cannot(c, (int)n);
	if (why)
		return err_set(err, "rank %ld: %s", n, why);
	sc.rank = (int)n;
	ret = run(c, err);
	buf_add(out, buf_str(&sc.later), sc.later.len);
	buf_release(&sc.later);
	return ret;
}
