/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines typed by a person: see prompt.h. */
#include "config.h"
#include "ui/line/prompt.h"
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>
#include "base/buf.h"
#include "base/ownfd.h"
#include "base/val.h"
#include "cmd/cmd.h"
#include "engine/option.h"
#include "py/hook/hook.h"
#include "ui/beside.h"
#include "ui/line/editor.h"
#include "ui/line/libedit.h"
#include "ui/line/line_ahead.h"
#include "ui/lost_fds.h"

static const int signals[] = { SIGINT, SIGTSTP, SIGTERM, SIGHUP };
enum { SIGNALS = sizeof(signals) / sizeof(*signals) };

static struct {
	int in, out;
	int keys; /* the terminal, opened again, never blocking if it can be opened again */
	bool terminal;
	struct editor *ed; /* NULL until the first prompt */
	FILE *fin, *fout;
	const char *prompt;
	struct session *session;   /* for completion, while a line is read */
	struct termios cooked;	   /* as it was before this line */
	bool asks;		   /* it is the answer to a question */
	bool aside;		   /* see prompt_aside() */
	bool over;		   /* the client has continued the program: no line is read any more */
	struct buf kept;	   /* ... what was typed of it, for the next one */
	volatile sig_atomic_t raw; /* a line is being read: cooked is to be restored */
	int wake[2];		   /* the signal handlers' pipe */
	enum input_end end;
	struct sigaction old[SIGNALS];
} pr = { .in = -1, .out = -1, .keys = -1, .wake = { -1, -1 } };

bool prompt_ok(void)
{
	return !pr.fin || (ownfd_ok(fileno(pr.fin)) && ownfd_ok(fileno(pr.fout)) && ownfd_ok(pr.keys) &&
			   ownfd_ok(pr.wake[0]) && ownfd_ok(pr.wake[1]));
}

/* An editor that lost its descriptors is left as it is: libedit would write to them. */
static void forget_editor(void)
{
	editor_forget(pr.ed);
	if (pr.fin)
		ownfd_fclose(pr.fin);
	if (pr.fout)
		ownfd_fclose(pr.fout);
	ownfd_close(pr.keys);
	ownfd_close(pr.wake[0]);
	ownfd_close(pr.wake[1]);
	pr.fin = pr.fout = NULL;
	pr.keys = pr.wake[0] = pr.wake[1] = -1;
	pr.ed = NULL;
}

void prompt_close(void)
{
	prompt_restore();
	if (pr.ed && prompt_ok()) {
		editor_close(pr.ed);
		pr.ed = NULL;
	}
	forget_editor();
}

void prompt_open(int in, int out, bool terminal)
{
	if (!prompt_ok())
		forget_editor();
	pr.in = in;
	pr.out = out;
	pr.terminal = terminal;
}

void prompt_restore(void)
{
	int fd;

	if (!pr.raw)
		return;
	pr.raw = 0;
	fd = ownfd_ok(pr.in) ? pr.in : lost_fds_terminal();
	if (fd < 0)
		return;
	tcsetattr(fd, TCSADRAIN, &pr.cooked);
	if (fd != pr.in)
		close(fd);
}

/* ---- signals while a line is read ---------------------------------------------------------------------- */

static void prompt_signal(int sig)
{
	int e = errno;
	char c = sig == SIGINT ? 'I' : 'Z';

	if (sig == SIGTERM || sig == SIGHUP) {
		prompt_restore();
		signal(sig, SIG_DFL);
		raise(sig);
	} else if (ownfd_ok(pr.wake[1]) && write(pr.wake[1], &c, 1) < 0) {
		/* full: it will be heard all the same */
	}
	errno = e;
}

bool prompt_interrupt(void)
{
	if (!pr.raw)
		return false;
	prompt_signal(SIGINT);
	return true;
}

static void signals_in(void)
{
	struct sigaction sa = { .sa_handler = prompt_signal };
	int i;

	sigemptyset(&sa.sa_mask);
	for (i = 0; i < SIGNALS; i++) {
		sigaction(signals[i], NULL, &pr.old[i]);
		/* a signal that ends the process is handled only if its default action is set */
		if ((signals[i] == SIGTERM || signals[i] == SIGHUP) && pr.old[i].sa_handler != SIG_DFL)
			continue;
		sigaction(signals[i], &sa, NULL);
	}
}

static void signals_out(void)
{
	int i;

	for (i = 0; i < SIGNALS; i++)
		sigaction(signals[i], &pr.old[i], NULL);
}

/* A signal that came after the line was read belongs to the command of the line. */
static void signals_late(void)
{
	char c;

	while (ownfd_ok(pr.wake[0]) && read(pr.wake[0], &c, 1) == 1) {
		if (c == 'I')
			hook_interrupt();
		else if (c == 'Z')
			raise(SIGTSTP);
	}
}

/* Ctrl-Z: the shell uses the terminal until cdbg is continued. */
static void suspend(void)
{
	struct sigaction sa = { .sa_handler = SIG_DFL }, ours;

	editor_pause(pr.ed);
	sigaction(SIGTSTP, &sa, &ours);
	raise(SIGTSTP);
	sigaction(SIGTSTP, &ours, NULL);
	editor_resume(pr.ed);
}

/* ---- keys ------------------------------------------------------------------------------------------------ */

static const char *get_prompt(void)
{
	return pr.prompt;
}

void prompt_wake(void)
{
	if (ownfd_ok(pr.wake[1]) && write(pr.wake[1], "B", 1) < 0)
		return; /* full: it will be heard all the same */
}

void prompt_aside(void)
{
	if (!pr.raw || pr.aside)
		return;
	pr.aside = true;
	editor_pause(pr.ed);
	fputc('\n', pr.fout);
	fflush(pr.fout);
}

/* False: the line is given up, and kept for the next stop. */
static bool serve_beside(void)
{
	struct buf label = { 0 };
	size_t cursor;

	pr.over = beside_serve(pr.session);
	if (pr.over && prompt_ok())
		editor_show(pr.ed, &pr.kept, &cursor, &label);
	buf_release(&label);
	if (pr.aside)
		editor_resume(pr.ed);
	pr.aside = false;
	return !pr.over;
}

/* Waits for a key or a signal, whichever thread took it.  1: woken by a signal, or the line is given up. */
static int wait_key(void)
{
	struct pollfd p[2] = { { .fd = pr.keys, .events = POLLIN }, { .fd = pr.wake[0], .events = POLLIN } };
	char c;

	if (!pr.asks && beside_asks() && !serve_beside()) {
		pr.end = INPUT_CLEARED;
		return 1;
	}
	while (poll(p, 2, -1) < 0)
		; /* a signal: its byte is in the pipe */
	if (!p[1].revents || read(pr.wake[0], &c, 1) != 1)
		return 0;
	if (c == 'B')
		return 0;
	if (c == 'Z') {
		suspend();
		return 0;
	}
	pr.end = INPUT_CLEARED;
	return 1;
}

static int read_byte(unsigned char *c)
{
	ssize_t n;

	for (;;) {
		if (!prompt_ok()) { /* a completion or another thread did it */
			pr.end = INPUT_GONE;
			__fpurge(pr.fout);
			return 0;
		}
		if (wait_key())
			return 0;
		n = read(pr.keys, c, 1);
		if (n < 0 && (errno == EINTR || errno == EAGAIN))
			continue;
		if (n <= 0)
			pr.end = n < 0 ? INPUT_GONE : INPUT_EOF;
		return n > 0;
	}
}

/* Not by mbrtowc(): the locale is the program's and may be C. */
static bool read_char(uint32_t *c)
{
	struct text_part part = { .n = 0 };
	unsigned char b;
	int got;

	do {
		if (!read_byte(&b))
			return false;
		got = text_byte(&part, b, c);
		if (got < 0)
			got = text_byte(&part, b, c);
	} while (!got);
	return true;
}

/* ---- completion -------------------------------------------------------------------------------------------- */

static size_t common_prefix(const char *a, const char *b)
{
	size_t n = 0;

	while (a[n] && a[n] == b[n])
		n++;
	return n;
}

/* The number of characters at the end of the line that the candidate begins with. */
static size_t typed_part(const char *line, size_t len, const char *word)
{
	size_t n = strlen(word);

	if (n > len)
		n = len;
	while (n && strncmp(line + len - n, word, n))
		n--;
	return n;
}

static void list_candidates(const struct val *list)
{
	size_t i, wide = 0, n, per, column = 0;

	for (i = 0; i < list->u.list.n; i++) {
		n = text_width(list->u.list.item[i]->u.s);
		wide = n > wide ? n : wide;
	}
	per = 78 / (wide + 2);
	per = per ? per : 1;
	fputc('\n', pr.fout);
	for (i = 0; i < list->u.list.n; i++) {
		n = text_width(list->u.list.item[i]->u.s);
		fputs(list->u.list.item[i]->u.s, pr.fout);
		if (++column == per || i + 1 == list->u.list.n) {
			fputc('\n', pr.fout);
			column = 0;
		} else {
			fprintf(pr.fout, "%*s", (int)(wide + 2 - n), "");
		}
	}
	fflush(pr.fout);
}

static enum editor_done prompt_complete(void)
{
	size_t len, n, i, have;
	const char *before = editor_before_cursor(pr.ed, &len), *first;
	struct val *list = val_list();
	char *line = mem_strn(before, len);
	enum editor_done ret = EDITOR_NOTHING;

	cmd_complete(pr.session, line, list);
	if (list->u.list.n) {
		first = list->u.list.item[0]->u.s;
		n = strlen(first);
		for (i = 1; i < list->u.list.n; i++) {
			have = common_prefix(first, list->u.list.item[i]->u.s);
			n = have < n ? have : n;
		}
		have = typed_part(line, len, first);
		if (n > have || list->u.list.n == 1) {
			editor_insert(pr.ed, first + have, n - have);
			if (list->u.list.n == 1)
				editor_insert(pr.ed, " ", 1);
			ret = EDITOR_CHANGED;
		} else {
			list_candidates(list);
			ret = EDITOR_LISTED;
		}
	}
	val_free(list);
	free(line);
	return ret;
}

/* ---- the terminal ------------------------------------------------------------------------------------------------ */

/* Ctrl-C throws away what was typed: a key that poll() saw may be gone when it is read, and a read that waits for
   another never sees the signal's byte.  O_NONBLOCK on the program's own description would be the program's, too. */
static int open_keys(int in)
{
	char *name = mem_fmt("/proc/self/fd/%d", in);
	int fd = open(name, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);

	free(name);
	return fd < 0 ? ownfd_copy(in) : ownfd_move(fd); /* another user's terminal */
}

static void open_editor(void)
{
	if (pipe2(pr.wake, O_CLOEXEC | O_NONBLOCK) < 0)
		return;
	pr.wake[0] = ownfd_move(pr.wake[0]);
	pr.wake[1] = ownfd_move(pr.wake[1]);
	pr.keys = open_keys(pr.in);
	pr.fin = fdopen(ownfd_copy(pr.in), "r");
	pr.fout = fdopen(ownfd_copy(pr.out), "w");
	pr.ed = pr.fin && pr.fout ? editor_on_terminal(pr.fin, pr.fout, get_prompt) : NULL;
}

/* The editor thinks in wide characters and asks the thread's locale for them. */
static locale_t add_utf8(void)
{
	static locale_t l;

	if (!l)
		l = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
	return l;
}

/* What was typed when the client continued the program is typed again. */
static enum editor_want type_kept(enum editor_want want)
{
	const char *at = buf_str(&pr.kept);
	uint32_t c;

	if (pr.asks)
		return want;
	while (*at && want == EDITOR_MORE) {
		at += text_decode(at, &c);
		want = editor_feed(pr.ed, c < 32 || c == 127 ? ' ' : c);
	}
	buf_reset(&pr.kept);
	return want;
}

/* The editor's answer to a line, with keys as they come: EDITOR_LINE or EDITOR_EOF. */
static enum editor_want edit_keys(void)
{
	enum editor_want want = type_kept(editor_continue(pr.ed));
	uint32_t c;

	while (want == EDITOR_MORE || want == EDITOR_COMPLETE) {
		if (want == EDITOR_COMPLETE) {
			editor_completed(pr.ed, prompt_complete());
			want = editor_continue(pr.ed);
		} else {
			want = read_char(&c) ? editor_feed(pr.ed, c) : editor_end(pr.ed);
		}
	}
	return want;
}

static char *edit_line(struct session *s, const char *prompt, bool ask, enum input_end *end)
{
	enum editor_want want;
	char *copy = NULL;
	struct err err;

	pr.prompt = prompt;
	pr.session = s;
	pr.end = INPUT_LINE;
	pr.asks = ask;
	pr.over = false;
	if (tcgetattr(pr.in, &pr.cooked) < 0) {
		*end = INPUT_GONE;
		return NULL;
	}
	pr.raw = 1;
	signals_in();
	if (hook_interrupt_taken()) /* it came between two lines */
		prompt_signal(SIGINT);
	editor_prepare(pr.ed); /* before the prompt is seen: what is typed then is for the editor */
	want = edit_keys();
	if (want == EDITOR_LINE && pr.end != INPUT_CLEARED)
		copy = mem_str(editor_text(pr.ed));
	else if (pr.end == INPUT_LINE)
		pr.end = INPUT_EOF;
	if (!copy && prompt_ok()) {
		editor_reset(pr.ed);
		fputs(pr.end == INPUT_CLEARED && !pr.over ? "^C\n" : "\n", pr.fout);
		fflush(pr.fout);
	}
	signals_out();
	prompt_restore();
	signals_late();
	if (copy && (!ask || prompt_yes(copy) < 0) && libedit_remember(copy, &err) < 0)
		session_note(s, NOTE_WARNING, "%s", err.text);
	*end = copy ? INPUT_LINE : pr.end;
	return copy;
}

/* ---- a pipe ---------------------------------------------------------------------------------------------- */

/* A line byte by byte, because what follows it may be for the program.  What the last read() returned, 0 if the
   descriptor is not ours. */
static ssize_t read_bytes(struct buf *out)
{
	ssize_t n;
	char c;

	if (!ownfd_ok(pr.in))
		return 0;
	for (;;) {
		n = read(pr.in, &c, 1);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0 || c == '\n')
			break;
		buf_addc(out, c);
	}
	if (ownfd_ok(pr.in))
		return n;
	buf_reset(out); /* another thread replaced it meanwhile: the bytes may be the program's */
	return 0;
}

enum { LINE_KEPT = 4096 }; /* bytes of a line's memory that are kept for the next */

static char *prompt_read_line(enum input_end *end)
{
	static struct buf b; /* its memory serves the next line, too */
	char *line;
	bool whole;
	ssize_t n;

	buf_reset(&b);
	whole = line_ahead(pr.in, session_get()->undisturbed, &b);
	n = whole ? 1 : read_bytes(&b);
	if (n <= 0 && !b.len) {
		*end = pr.terminal && n < 0 ? INPUT_GONE : INPUT_EOF;
		return NULL;
	}
	if (b.len && b.s[b.len - 1] == '\r')
		b.s[--b.len] = '\0';
	*end = INPUT_LINE;
	line = cmd_line(buf_str(&b), b.len);
	if (b.cap > LINE_KEPT)
		buf_release(&b);
	return line;
}

int prompt_yes(const char *line)
{
	size_t n = strlen(line);

	return !n || n > 3 ? -1 : !strncasecmp("yes", line, n) ? 1 : !strncasecmp("no", line, n) ? 0 : -1;
}

char *prompt_line(struct session *s, const char *prompt, bool ask, enum input_end *end)
{
	locale_t before;
	char *line;

	if (!pr.terminal)
		return prompt_read_line(end);
	before = add_utf8() ? uselocale(add_utf8()) : (locale_t)0;
	libedit_history_size(option_number(s, "history-size")); /* set since the last line: in ~/.cdbgrc, say */
	if (!pr.ed)
		open_editor();
	line = pr.ed ? edit_line(s, prompt, ask, end) : prompt_read_line(end);
	if (before)
		uselocale(before);
	return line;
}
