/* SPDX-License-Identifier: BSD-3-Clause */
/* The terminal, through curses (linked privately: the program may use its own).  Knows cells, no panes. */
#include "config.h"
#define NCURSES_WIDECHAR 1
#include "ui/term/terminal.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/file.h"
#include "base/ownfd.h"
#include "ui/lost_fds.h"
#include "ui/term/caps.h"
#include "ui/term/cells.h"
/* curses defines macros for common words: after all others */
#include <curses.h>
#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <term.h>
#include <unistd.h>

static const char modes_on[] = "\033[?2004h", modes_off[] = CAPS_MODES_OFF;
static const char mouse_on[] = "\033[?1000h\033[?1002h\033[?1006h";
static const char mouse_off[] = "\033[?1006l\033[?1003l\033[?1002l\033[?1000l";

static struct {
	int fd;
	FILE *in, *out;
	SCREEN *screen;
	TERMINAL *terminal; /* libedit's tgetent() replaces the global one */
	struct termios cooked, ours;
	char bye[512]; /* all that leaves the screen, for a crash */
	size_t nbye;
	bool utf8, mouse, repaint;
	int colours, rows, cols;
	struct buf bytes;      /* to be sent */
	char device[PATH_MAX]; /* its name, where one was given */
	pthread_t thread;
	atomic_int live, drawing, dying, child;
	volatile int *shared; /* live, for the watchdog; or NULL */
} term = { .fd = -1 };

static const char *given_type;

void term_type(const char *type)
{
	given_type = type;
}

static const char *own_type(void)
{
	return given_type ? given_type : getenv("TERM");
}

static void set_live(int on)
{
	atomic_store(&term.live, on);
	if (term.shared)
		*term.shared = on;
}

bool term_guard_share(void)
{
	void *p;

	if (!term.shared) {
		p = mmap(NULL, sizeof(*term.shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
		term.shared = p == MAP_FAILED ? NULL : p;
	}
	if (term.shared)
		*term.shared = atomic_load(&term.live);
	return term.shared != NULL;
}

/* ---- sections ----------------------------------------------------------------------------------- */

void term_section(void)
{
	atomic_store(&term.drawing, 1);
	if (!atomic_load(&term.dying))
		return;
	atomic_store(&term.drawing, 0);
	for (;;) /* another thread is ending the process */
		pause();
}

void term_section_end(void)
{
	atomic_store(&term.drawing, 0);
}

void term_thread_is_self(void)
{
	term.thread = pthread_self();
}

static void send_text(const char *p, size_t n)
{
	if (ownfd_ok(term.fd))
		file_write_all(term.fd, p, n);
}

bool term_ok(void)
{
	return ownfd_ok(term.fd) && (!term.in || ownfd_ok(fileno(term.in))) &&
	       (!term.out || ownfd_ok(fileno(term.out)));
}

/* The terminal, opened again if the program took our descriptor: the caller closes it then. */
static int open_again(void)
{
	int fd;

	if (ownfd_ok(term.fd))
		return term.fd;
	fd = *term.device ? -1 : lost_fds_terminal();
	return fd >= 0 ? fd : open(*term.device ? term.device : "/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC);
}

int term_copy(void)
{
	int fd;

	if (ownfd_ok(term.fd))
		return ownfd_copy(term.fd);
	fd = open_again();
	return fd < 0 ? -1 : ownfd_move(fd);
}

/* After a crash the terminal is as cdbg found it. */
static void restore(void)
{
	int fd = open_again();

	if (fd < 0 || !isatty(fd))
		return;
	file_write_all(fd, term.bye, term.nbye);
	tcsetattr(fd, TCSANOW, &term.cooked);
	if (fd != term.fd)
		close(fd);
}

bool term_restore(void)
{
	int i;

	if (atomic_load(&term.child) || !atomic_exchange(&term.live, 0))
		return false;
	atomic_store(&term.dying, 1);
	if (!pthread_equal(pthread_self(), term.thread))
		for (i = 0; i < 2000 && atomic_load(&term.drawing); i++)
			poll(NULL, 0, 1);
	if (term.shared)
		*term.shared = 0;
	restore();
	return true;
}

static void forget_screen(void)
{
	if (!term.screen)
		return;
	ownfd_fclose(term.in); /* curses is left as it is: it would write to them */
	ownfd_fclose(term.out);
	term.in = term.out = NULL;
	term.screen = NULL;
	term.rows = term.cols = 0;
	term_close_device();
}

void term_lost(void)
{
	if (atomic_load(&term.child))
		return;
	if (atomic_exchange(&term.live, 0)) {
		set_live(0);
		restore();
	}
	forget_screen();
}

void term_woken(void)
{
	atomic_store(&term.live, 0);
	atomic_store(&term.drawing, 0);
	forget_screen();
}

bool term_guard_restore(void)
{
	if (!*term.shared)
		return false;
	file_write_all(term.fd, term.bye, term.nbye);
	tcsetattr(term.fd, TCSANOW, &term.cooked);
	return true;
}

void term_forked(void)
{
	atomic_store(&term.child, 1);
	atomic_store(&term.live, 0);
	term.fd = -1;
}

/* ---- open --------------------------------------------------------------------------------------- */

int term_can(const char *device, struct err *err)
{
	const char *type = own_type();
	int fd;

	if (!type || !*type)
		return err_set(err, "TERM is not set");
	fd = open(device ? device : "/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);
	if (fd < 0)
		return err_set(err, device ? "cannot open '%s': %s" : "no controlling terminal (%s: %s)",
			       device ? device : "/dev/tty", strerror(errno));
	term.fd = ownfd_move(fd);
	snprintf(term.device, sizeof(term.device), "%s", device ? device : "");
	if (!isatty(term.fd)) {
		term_close_device();
		return err_set(err, "'%s' is not a terminal", device ? device : "/dev/tty");
	}
	if (caps_check(type, term.fd, err) == 0)
		return 0;
	term_close_device();
	return -1;
}

void term_close_device(void)
{
	ownfd_close(term.fd);
	term.fd = -1;
}

/* newterm() takes these where they are at their default, and keeps them. */
static void signals_keep(struct sigaction *keep, bool restore)
{
	static const int touched[4] = { SIGINT, SIGTERM, SIGTSTP, SIGWINCH };
	int i;

	for (i = 0; i < 4; i++)
		sigaction(touched[i], restore ? &keep[i] : NULL, restore ? NULL : &keep[i]);
}

static void ours(void)
{
	set_curterm(term.terminal);
	set_term(term.screen);
}

static void take_screen(void)
{
	tcsetattr(term.fd, TCSADRAIN, &term.ours);
	ours();
	clearok(curscr, TRUE);
	wrefresh(stdscr); /* curses enters the screen; all that is drawn on it is ours */
	send_text(modes_on, sizeof(modes_on) - 1);
	send_text(mouse_off, sizeof(mouse_off) - 1); /* a process that was killed here may have left it on */
	if (term.mouse)
		send_text(mouse_on, sizeof(mouse_on) - 1);
	term.repaint = true;
	set_live(1);
}

/* A serial line, or a terminal that nobody has given a size yet, says none. */
static bool says_size(struct winsize *ws)
{
	return ioctl(term.fd, TIOCGWINSZ, ws) == 0 && ws->ws_row && ws->ws_col;
}

int term_open(struct err *err)
{
	struct sigaction keep[4];
	struct winsize ws;

	if (tcgetattr(term.fd, &term.cooked) < 0)
		return err_set(err, "cannot read the terminal's modes: %s", strerror(errno));
	use_env(FALSE);		    /* LINES and COLUMNS of the environment may be wrong */
	use_tioctl(says_size(&ws)); /* newterm() of ncurses 6.5 makes no screen of 0 rows */
	signals_keep(keep, false);
	term.in = fdopen(ownfd_copy(term.fd), "r");
	term.out = fdopen(ownfd_copy(term.fd), "w");
	term.screen = term.in && term.out ? newterm(given_type, term.out, term.in) : NULL;
	signals_keep(keep, true);
	if (!term.screen) {
		tcsetattr(term.fd, TCSANOW, &term.cooked);
		return err_set(err, "the terminal could not be set up");
	}
	term.terminal = cur_term;
	cbreak();
	noecho();
	nonl();
	leaveok(stdscr, FALSE);
	keypad(stdscr, TRUE); /* the terminal's own mode for it; we read the bytes ourselves */
	term.colours = cells_begin();
	term.utf8 = !strcmp(nl_langinfo(CODESET), "UTF-8");
	tcgetattr(term.fd, &term.ours);
	term.ours.c_lflag &= ~(tcflag_t)(ISIG | IEXTEN);
	term.ours.c_iflag &= ~(tcflag_t)(IXON | IXOFF);
	tcsetattr(term.fd, TCSADRAIN, &term.ours);
	def_prog_mode();
	term.nbye = caps_leave(term.bye, sizeof(term.bye));
	take_screen();
	return 0;
}

bool term_live(void)
{
	return atomic_load(&term.live);
}

void term_leave(void)
{
	if (!term_live() || !term_ok())
		return;
	term_section();
	ours();
	send_text(modes_off, sizeof(modes_off) - 1);
	endwin();
	tcsetattr(term.fd, TCSADRAIN, &term.cooked);
	set_live(0);
	term_section_end();
}

void term_back(void)
{
	if (!term.screen || !term_ok())
		return;
	term_section();
	if (!term_live())
		tcgetattr(term.fd, &term.cooked); /* whoever had it may have changed it */
	take_screen();
	term_section_end();
}

void term_close(void)
{
	if (!term.screen)
		return;
	if (!term_ok()) {
		term_lost();
		return;
	}
	term_leave();
	ours();
	delscreen(term.screen);
	ownfd_fclose(term.in);
	ownfd_fclose(term.out);
	term.screen = NULL;
	term.rows = term.cols = 0;
	term_close_device();
}

/*
 * Signals are blocked in this thread, and the process stops only when some thread takes the signal: so it is made
 * pending here first, sent to the job, and let in.  SIGCONT drops what is still pending.
 */
void term_suspend(void)
{
	sigset_t set;

	term_leave();
	sigemptyset(&set);
	sigaddset(&set, SIGTSTP);
	pthread_kill(pthread_self(), SIGTSTP);
	kill(0, SIGTSTP);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	term_back();
}

/* ---- drawing ------------------------------------------------------------------------------------ */

int term_fd(void)
{
	return term.fd;
}

int term_colours(void)
{
	return term.colours;
}

bool term_utf8(void)
{
	return term.utf8;
}

bool term_size(int *rows, int *cols)
{
	struct winsize ws;
	bool changed;

	if (!says_size(&ws)) {
		ws.ws_row = (unsigned short)(term.rows ? term.rows : 24);
		ws.ws_col = (unsigned short)(term.cols ? term.cols : 80);
	}
	ours();
	/* never LINES and COLS: libedit overwrites them */
	if (ws.ws_row != getmaxy(stdscr) || ws.ws_col != getmaxx(stdscr))
		resizeterm(ws.ws_row, ws.ws_col);
	changed = ws.ws_row != term.rows || ws.ws_col != term.cols;
	*rows = term.rows = ws.ws_row;
	*cols = term.cols = ws.ws_col;
	if (changed)
		term.repaint = true;
	return changed;
}

bool term_resized(void)
{
	struct winsize ws;

	return says_size(&ws) && (ws.ws_row != term.rows || ws.ws_col != term.cols);
}

void term_send(struct grid *g, int y, int x, bool all)
{
	term_section();
	if (term_ok()) { /* else the loop sees it next */
		ours();
		cells_send(g, y, x, all || term.repaint, &term.bytes);
		send_text(buf_str(&term.bytes), term.bytes.len);
		buf_reset(&term.bytes);
		term.repaint = false;
	}
	term_section_end();
}

void term_beep(void)
{
	term_section();
	send_text("\a", 1);
	term_section_end();
}

bool term_ask_background(void)
{
	static const char question[] = "\033]11;?\033\\";
	const char *type = own_type();

	/* consoles print what they do not know */
	if (!term_live() || term.colours < 256 || !type || !strncmp(type, "linux", 5))
		return false;
	term_section();
	send_text(question, sizeof(question) - 1);
	term_section_end();
	return true;
}

void term_mouse(bool on)
{
	term.mouse = on;
	if (!term_live())
		return;
	term_section();
	if (on)
		send_text(mouse_on, sizeof(mouse_on) - 1);
	else
		send_text(mouse_off, sizeof(mouse_off) - 1);
	term_section_end();
}

void term_ready(unsigned long consumed)
{
	char mark[96];
	int n = snprintf(mark, sizeof(mark), "\033]7777;ready;%lu;%d;%d\033\\", consumed, term.rows, term.cols);

	if (!term_live())
		return;
	term_section();
	send_text(mark, (size_t)n);
	term_section_end();
}
