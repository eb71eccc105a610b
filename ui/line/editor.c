/* SPDX-License-Identifier: BSD-3-Clause */
/* libedit on a stack of its own.  It wants to block in its character function (arrow keys, Ctrl-R, vi's r): there it
   switches back to the UI, so half a key and half a line survive whatever happens in between.  Its terminal is a
   private pty that nobody reads, its output goes nowhere. */
#include "config.h"
#include "ui/line/editor.h"
#include <errno.h>
#include <fcntl.h>
#include <pty.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>
#include <wchar.h>
#include "base/err.h"
#include "base/ownfd.h"
#include "ui/line/libedit.h"

enum { STACK = 256 << 10, LINE_MAX_CHARS = 1 << 20 };

static struct {
	EditLine *el;
	ucontext_t ui, own;
	void *stack;
	enum editor_want want;
	wchar_t in;
	int status; /* what the character function returns */
	bool cancelled, beeped;
	struct buf line; /* of EDITOR_LINE */
	struct buf *capture;
	int pty_master, pty;
	FILE *sink, *tty;
} ed = { .pty = -1, .pty_master = -1 };

static ssize_t sink_write(void *cookie, const char *p, size_t n)
{
	size_t i;

	(void)cookie;
	if (ed.capture)
		buf_add(ed.capture, p, n);
	for (i = 0; i < n; i++)
		ed.beeped |= p[i] == '\a';
	return (ssize_t)n;
}

static void to_ui(enum editor_want want)
{
	ed.want = want;
	swapcontext(&ed.own, &ed.ui);
}

static enum editor_want to_editor(void)
{
	swapcontext(&ed.ui, &ed.own);
	return ed.want;
}

static int get_char(EditLine *el, wchar_t *c)
{
	(void)el;
	to_ui(EDITOR_MORE);
	*c = ed.in;
	if (ed.status < 0)
		errno = EINTR;
	return ed.status;
}

static wchar_t *no_prompt(EditLine *el)
{
	static wchar_t none[1];

	(void)el;
	return none;
}

static unsigned char editor_complete(EditLine *el, wint_t c)
{
	(void)el;
	(void)c;
	to_ui(EDITOR_COMPLETE);
	return CC_REFRESH;
}

static void editor_run(void)
{
	const wchar_t *s;
	int n;

	for (;;) {
		s = el_wgets(ed.el, &n);
		if (s) {
			buf_reset(&ed.line);
			libedit_add(&ed.line, s, (size_t)n - (n > 0 && s[n - 1] == L'\n'));
			to_ui(EDITOR_LINE);
		} else if (ed.cancelled) { /* inside Ctrl-R an abort reads like the end of input */
			ed.cancelled = false;
		} else {
			to_ui(EDITOR_EOF);
		}
	}
}

static const struct libedit_ops screen_ops = { .get_char = get_char, .complete = editor_complete };

int editor_open(long history, struct err *err)
{
	struct winsize ws = { .ws_row = 24, .ws_col = 500 };
	cookie_io_functions_t io = { .write = sink_write };

	if (openpty(&ed.pty_master, &ed.pty, NULL, NULL, &ws) < 0)
		return err_set(err, "cannot make a pty for the command line: %s", strerror(errno));
	ed.pty_master = ownfd_move(ed.pty_master);
	ed.pty = ownfd_move(ed.pty);
	ed.sink = fopencookie(NULL, "w", io);
	ed.tty = fdopen(ed.pty, "r");
	if (!ed.sink || !ed.tty)
		return err_set(err, "cannot open the command line's pty: %s", strerror(errno));
	setvbuf(ed.sink, NULL, _IONBF, 0); /* nothing that a forked child's exit() could flush */
	libedit_history_size(history);
	ed.el = libedit_open(ed.tty, ed.sink, "xterm", &screen_ops);
	if (!ed.el)
		return err_set(err, "cannot start the line editor");
	el_wset(ed.el, EL_PROMPT, no_prompt);
	libedit_bind(ed.el); /* whatever ~/.editrc did to them */
	ed.stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
	if (ed.stack == MAP_FAILED)
		return err_set(err, "cannot start the line editor: %s", strerror(errno));
	getcontext(&ed.own);
	ed.own.uc_stack.ss_sp = ed.stack;
	ed.own.uc_stack.ss_size = STACK;
	makecontext(&ed.own, editor_run, 0);
	to_editor();
	return 0;
}

bool editor_ok(void)
{
	return !ed.el || (ownfd_ok(ed.pty_master) && ownfd_ok(ed.pty));
}

void editor_close(void)
{
	if (!ed.el)
		return;
	el_end(ed.el);
	ownfd_fclose(ed.tty);
	fclose(ed.sink);
	ownfd_close(ed.pty_master);
	munmap(ed.stack, STACK);
	ed.el = NULL;
}

enum editor_want editor_feed(uint32_t c)
{
	const LineInfoW *li = el_wline(ed.el);

	if (li->lastchar - li->buffer > LINE_MAX_CHARS && c >= 32) {
		ed.beeped = true;
		return EDITOR_MORE;
	}
	ed.in = (wchar_t)c;
	ed.status = 1;
	return to_editor();
}

enum editor_want editor_go_on(void)
{
	return to_editor();
}

const char *editor_text(void)
{
	return buf_str(&ed.line);
}

void editor_cancel(void)
{
	ed.cancelled = true;
	ed.status = -1;
	to_editor();
}

void editor_insert(const char *text, size_t n)
{
	const char *end = text + n;
	wchar_t *w = mem_alloc((n + 1) * sizeof(*w));
	size_t i = 0;
	uint32_t c;

	while (text < end) {
		text += text_decode(text, &c);
		w[i++] = c < 32 || c == 127 ? L' ' : (wchar_t)c;
	}
	if (i > LINE_MAX_CHARS)
		i = LINE_MAX_CHARS;
	w[i] = L'\0';
	if (i && el_winsertstr(ed.el, w) < 0)
		ed.beeped = true;
	free(w);
}

void editor_set(const char *text)
{
	editor_cancel();
	editor_insert(text, strlen(text));
}

void editor_show(struct buf *line, size_t *cursor, struct buf *label)
{
	const LineInfoW *li = el_wline(ed.el);
	const wchar_t *nl = wmemchr(li->buffer, L'\n', (size_t)(li->lastchar - li->buffer));
	const wchar_t *end = nl ? nl : li->lastchar, *at = li->cursor < end ? li->cursor : end;

	buf_reset(line);
	buf_reset(label);
	libedit_add(line, li->buffer, (size_t)(at - li->buffer));
	*cursor = line->len;
	libedit_add(line, at, (size_t)(end - at));
	if (nl) /* libedit keeps its search in the line's own buffer */
		libedit_add(label, nl + 1, (size_t)(li->lastchar - nl - 1));
}

bool editor_empty(void)
{
	const LineInfoW *li = el_wline(ed.el);

	return li->lastchar == li->buffer;
}

bool editor_idle(void)
{
	const LineInfoW *li = el_wline(ed.el);
	const wchar_t *mode = NULL;

	return !wmemchr(li->buffer, L'\n', (size_t)(li->lastchar - li->buffer)) &&
	       el_wget(ed.el, EL_EDITOR, &mode) == 0 && mode && *mode == L'e';
}

bool editor_beeped(void)
{
	bool b = ed.beeped;

	ed.beeped = false;
	return b;
}

void editor_command(const char *line, struct buf *out)
{
	const wchar_t **argv;
	TokenizerW *tok = tok_winit(NULL);
	size_t n;
	wchar_t *w = libedit_text(line, &n);
	int argc;

	ed.capture = out;
	if (tok_wstr(tok, w, &argc, &argv) == 0 && argc > 0)
		el_wparse(ed.el, argc, argv);
	fflush(ed.sink);
	ed.capture = NULL;
	libedit_bind(ed.el);
	tok_wend(tok);
	free(w);
}
