/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines typed to the controller: see ranks_line.h. */
#include "config.h"
#include "ui/ranks/ranks_line.h"
#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>
#include "base/buf.h"
#include "base/err.h"
#include "base/file.h"
#include "base/val.h"
#include "cmd/cmd.h"
#include "ui/line/editor.h"
#include "ui/line/libedit.h"
#include "ui/ranks/controller.h"
#include "ui/ranks/ranks_show.h"

enum { HISTORY = 1000, PART = 4096 };

static struct {
	struct editor *ed; /* NULL: not a terminal */
	FILE *in, *out;
	struct termios cooked;
	const char *prompt;
	bool editing;
	struct buf ahead; /* bytes that were read and not used */
	bool eof;
	struct text_part part;
} ln;

static const char *get_prompt(void)
{
	return ln.prompt;
}

void ranks_line_open(struct controller *c)
{
	locale_t utf8;

	if (!isatty(c->input_fd) || !isatty(1) || tcgetattr(c->input_fd, &ln.cooked) < 0)
		return;
	utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
	if (utf8)
		uselocale(utf8); /* the editor thinks in wide characters */
	libedit_history_size(HISTORY);
	ln.in = fdopen(dup(c->input_fd), "r");
	ln.out = fdopen(dup(1), "w");
	ln.ed = ln.in && ln.out ? editor_on_terminal(ln.in, ln.out, get_prompt) : NULL;
}

void ranks_line_show(const char *text)
{
	if (ln.editing) {
		editor_pause(ln.ed);
		fputc('\n', ln.out);
		fflush(ln.out);
	}
	if (file_write_all(1, text, strlen(text)) < 0)
		return; /* nobody reads it */
	if (ln.editing)
		editor_resume(ln.ed);
}

/* Stops that come while a line is typed.  Ranks that stop together are told together. */
static void show_news(struct controller *c)
{
	enum { TOGETHER_MS = 50, ROUNDS = 10 };
	struct buf out = { 0 };
	size_t before = 0, n = ranks_show_waiting(c);
	int left;

	if (!n)
		return;
	for (left = ROUNDS; left && n != before && !c->input && !c->interrupted; left--) {
		before = n;
		controller_wait(c, TOGETHER_MS);
		n = ranks_show_waiting(c);
	}
	ranks_show_news(c, &out);
	ranks_line_show(buf_str(&out));
	buf_release(&out);
}

/* Waits for bytes.  False: there are none, since Ctrl-C came or the input has ended. */
static bool more(struct controller *c)
{
	char part[PART];
	ssize_t n;

	if (ln.eof)
		return false;
	controller_want_input(c);
	while (!c->input) {
		controller_wait(c, -1);
		if (c->interrupted)
			return false;
		show_news(c);
	}
	c->input = false;
	n = read(c->input_fd, part, sizeof(part));
	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return true;
	ln.eof = n <= 0;
	if (n > 0)
		buf_add(&ln.ahead, part, (size_t)n);
	return n > 0;
}

static void used(size_t n)
{
	ln.ahead.len -= n;
	memmove(ln.ahead.s, ln.ahead.s + n, ln.ahead.len + 1);
}

static char *read_line(struct controller *c)
{
	char *nl, *line;

	while (!(nl = ln.ahead.len ? memchr(ln.ahead.s, '\n', ln.ahead.len) : NULL)) {
		if (more(c))
			continue;
		if (c->interrupted) {
			c->interrupted = false;
			return mem_str("");
		}
		if (!ln.ahead.len)
			return NULL;
		buf_addc(&ln.ahead, '\n'); /* a last line without one */
	}
	line = cmd_line(ln.ahead.s, (size_t)(nl - ln.ahead.s));
	used((size_t)(nl - ln.ahead.s) + 1);
	return line;
}

/* The names of commands; what follows is the ranks' matter. */
static enum editor_done complete(void)
{
	const struct cmd_def *d;
	const char *before, *only = NULL;
	size_t n;
	int i, found = 0;

	before = editor_before_cursor(ln.ed, &n);
	for (i = 0; !memchr(before, ' ', n) && (d = cmd_at(i)); i++)
		if (!strncmp(d->name, before, n)) {
			only = d->name;
			found++;
		}
	if (found != 1 || strlen(only) < n)
		return EDITOR_NOTHING;
	editor_insert(ln.ed, only + n, strlen(only) - n);
	editor_insert(ln.ed, " ", 1);
	return EDITOR_CHANGED;
}

static enum editor_want feed(struct controller *c)
{
	uint32_t ch;
	int got;

	while (!ln.ahead.len)
		if (!more(c))
			return editor_end(ln.ed);
	got = text_byte(&ln.part, (unsigned char)ln.ahead.s[0], &ch);
	if (got >= 0)
		used(1);
	return got ? editor_feed(ln.ed, ch) : EDITOR_MORE;
}

static char *edit_line(struct controller *c)
{
	enum editor_want want;
	struct err err;
	char *line = NULL;

	editor_prepare(ln.ed);
	ln.editing = true;
	want = editor_continue(ln.ed);
	while (want == EDITOR_MORE || want == EDITOR_COMPLETE) {
		if (want == EDITOR_COMPLETE) {
			editor_completed(ln.ed, complete());
			want = editor_continue(ln.ed);
		} else {
			want = feed(c);
		}
	}
	ln.editing = false;
	if (want == EDITOR_LINE) {
		line = mem_str(editor_text(ln.ed));
	} else {
		editor_reset(ln.ed);
		fputs(c->interrupted ? "^C\n" : "\n", ln.out);
		fflush(ln.out);
		line = c->interrupted ? mem_str("") : NULL;
		c->interrupted = false;
	}
	tcsetattr(c->input_fd, TCSADRAIN, &ln.cooked);
	if (line && libedit_remember(line, &err) < 0)
		ranks_line_show(err.text);
	return line;
}

char *ranks_line_read(struct controller *c, const char *prompt)
{
	ln.prompt = prompt;
	return ln.ed ? edit_line(c) : read_line(c);
}
