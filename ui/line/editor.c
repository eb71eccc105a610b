/* SPDX-License-Identifier: BSD-3-Clause */
/* libedit on a stack of its own: see editor.h.  libedit blocks in its character function (arrow keys, Ctrl-R, vi's r):
   there it switches back to the caller, so that an incomplete key and line are kept meanwhile. */
#include "config.h"
#include "ui/line/editor.h"
#include <errno.h>
#include <fcntl.h>
#include <pty.h>
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

struct editor {
	struct libedit_ops ops; /* first: libedit passes its address to the callbacks */
	EditLine *el;
	ucontext_t caller, own;
	void *stack;
	enum editor_want want;
	wchar_t in;
	int status; /* what the character function returns */
	enum editor_done done;
	bool cancelled, beeped;
	struct buf line; /* of EDITOR_LINE */
	const char *(*prompt)(void);
	/* of a hidden one */
	bool hidden;
	struct buf *capture;
	int pty_master, pty;
	FILE *sink, *tty;
};

static struct editor *editor_of(EditLine *el)
{
	struct editor *ed = NULL;

	el_wget(el, EL_CLIENTDATA, &ed);
	return ed;
}

static ssize_t sink_write(void *cookie, const char *p, size_t n)
{
	struct editor *ed = cookie;
	size_t i;

	if (ed->capture)
		buf_add(ed->capture, p, n);
	for (i = 0; i < n; i++)
		ed->beeped |= p[i] == '\a';
	return (ssize_t)n;
}

static void to_caller(struct editor *ed, enum editor_want want)
{
	ed->want = want;
	swapcontext(&ed->own, &ed->caller);
}

static enum editor_want editor_asks(struct editor *ed)
{
	swapcontext(&ed->caller, &ed->own);
	return ed->want;
}

/* ---- libedit's callbacks, on its stack ------------------------------------------------------------------- */

static int editor_get_char(EditLine *el, wchar_t *c)
{
	struct editor *ed = editor_of(el);

	to_caller(ed, EDITOR_MORE);
	*c = ed->in;
	if (ed->status < 0)
		errno = EINTR;
	return ed->status;
}

static wchar_t *no_prompt(EditLine *el)
{
	static wchar_t none[1];

	(void)el;
	return none;
}

static char *own_prompt(EditLine *el)
{
	return (char *)editor_of(el)->prompt();
}

static unsigned char editor_complete(EditLine *el, wint_t c)
{
	static const unsigned char does[] = {
		[EDITOR_CHANGED] = CC_REFRESH, [EDITOR_LISTED] = CC_REDISPLAY, [EDITOR_NOTHING] = CC_ERROR
	};
	struct editor *ed = editor_of(el);

	(void)c;
	ed->done = EDITOR_CHANGED;
	to_caller(ed, EDITOR_COMPLETE);
	return does[ed->done];
}

static _Thread_local struct editor *starting; /* makecontext() passes numbers only */

static void editor_run(void)
{
	struct editor *ed = starting;
	const wchar_t *s;
	int n;

	for (;;) {
		s = el_wgets(ed->el, &n);
		if (s) {
			buf_reset(&ed->line);
			libedit_add(&ed->line, s, (size_t)n - (n > 0 && s[n - 1] == L'\n'));
			to_caller(ed, EDITOR_LINE);
		} else if (ed->cancelled) { /* inside Ctrl-R an abort reads like the end of input */
			ed->cancelled = false;
		} else {
			to_caller(ed, EDITOR_EOF);
		}
	}
}

/* ---- its life -------------------------------------------------------------------------------------------- */

static struct editor *editor_new(void)
{
	struct editor *ed = mem_alloc(sizeof(*ed));

	ed->ops.get_char = editor_get_char;
	ed->ops.complete = editor_complete;
	ed->pty = ed->pty_master = -1;
	return ed;
}

static bool start(struct editor *ed)
{
	ed->stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
	if (ed->stack == MAP_FAILED)
		return false;
	getcontext(&ed->own);
	ed->own.uc_stack.ss_sp = ed->stack;
	ed->own.uc_stack.ss_size = STACK;
	makecontext(&ed->own, editor_run, 0);
	return true;
}

struct editor *editor_on_terminal(FILE *in, FILE *out, const char *(*prompt)(void))
{
	struct editor *ed = editor_new();

	ed->prompt = prompt;
	ed->el = libedit_open(in, out, NULL, &ed->ops);
	if (ed->el && start(ed)) {
		el_set(ed->el, EL_PROMPT_ESC, own_prompt, '\1');
		return ed;
	}
	if (ed->el)
		el_end(ed->el);
	free(ed);
	return NULL;
}

static int open_hidden(struct editor *ed, struct err *err)
{
	struct winsize ws = { .ws_row = 24, .ws_col = 500 };
	cookie_io_functions_t io = { .write = sink_write };

	if (openpty(&ed->pty_master, &ed->pty, NULL, NULL, &ws) < 0)
		return err_set(err, "cannot make a pty for the command line: %s", strerror(errno));
	ed->pty_master = ownfd_move(ed->pty_master);
	ed->pty = ownfd_move(ed->pty);
	ed->sink = fopencookie(ed, "w", io);
	ed->tty = fdopen(ed->pty, "r");
	if (!ed->sink || !ed->tty)
		return err_set(err, "cannot open the pty of the command line: %s", strerror(errno));
	setvbuf(ed->sink, NULL, _IONBF, 0); /* so that exit() in a forked child flushes nothing */
	ed->el = libedit_open(ed->tty, ed->sink, "xterm", &ed->ops);
	if (!ed->el)
		return err_set(err, "cannot start the line editor");
	el_wset(ed->el, EL_PROMPT, no_prompt);
	libedit_bind(ed->el); /* whatever ~/.editrc did to them */
	if (!start(ed))
		return err_set(err, "cannot start the line editor: %s", strerror(errno));
	return 0;
}

struct editor *editor_hidden(struct err *err)
{
	struct editor *ed = editor_new();

	ed->hidden = true;
	if (open_hidden(ed, err) < 0) {
		editor_forget(ed);
		return NULL;
	}
	starting = ed;
	editor_asks(ed);
	return ed;
}

bool editor_ok(const struct editor *ed)
{
	return !ed || !ed->hidden || (ownfd_ok(ed->pty_master) && ownfd_ok(ed->pty));
}

void editor_forget(struct editor *ed)
{
	if (!ed)
		return;
	if (ed->tty)
		ownfd_fclose(ed->tty);
	if (ed->sink)
		fclose(ed->sink);
	ownfd_close(ed->pty_master);
	if (ed->stack && ed->stack != MAP_FAILED)
		munmap(ed->stack, STACK);
	buf_release(&ed->line);
	free(ed);
}

void editor_close(struct editor *ed)
{
	if (ed)
		el_end(ed->el);
	editor_forget(ed);
}

/* ---- lines ----------------------------------------------------------------------------------------------- */

enum editor_want editor_continue(struct editor *ed)
{
	starting = ed;
	return editor_asks(ed);
}

enum editor_want editor_feed(struct editor *ed, uint32_t c)
{
	const LineInfoW *li = el_wline(ed->el);

	if (ed->hidden && li->lastchar - li->buffer > LINE_MAX_CHARS && c >= 32) {
		ed->beeped = true;
		return EDITOR_MORE;
	}
	ed->in = (wchar_t)c;
	ed->status = 1;
	return editor_asks(ed);
}

enum editor_want editor_end(struct editor *ed)
{
	ed->status = 0;
	return editor_asks(ed);
}

void editor_completed(struct editor *ed, enum editor_done done)
{
	ed->done = done;
}

const char *editor_text(const struct editor *ed)
{
	return buf_str(&ed->line);
}

void editor_cancel(struct editor *ed)
{
	ed->cancelled = true;
	ed->status = -1;
	editor_asks(ed);
}

void editor_insert(struct editor *ed, const char *text, size_t n)
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
	if (i && el_winsertstr(ed->el, w) < 0)
		ed->beeped = true;
	free(w);
}

void editor_set(struct editor *ed, const char *text)
{
	editor_cancel(ed);
	editor_insert(ed, text, strlen(text));
}

void editor_show(const struct editor *ed, struct buf *line, size_t *cursor, struct buf *label)
{
	const LineInfoW *li = el_wline(ed->el);
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

const char *editor_before_cursor(const struct editor *ed, size_t *n)
{
	const LineInfo *li = el_line(ed->el);

	*n = (size_t)(li->cursor - li->buffer);
	return li->buffer;
}

bool editor_empty(const struct editor *ed)
{
	const LineInfoW *li = el_wline(ed->el);

	return li->lastchar == li->buffer;
}

bool editor_idle(const struct editor *ed)
{
	const LineInfoW *li = el_wline(ed->el);
	const wchar_t *mode = NULL;

	return !wmemchr(li->buffer, L'\n', (size_t)(li->lastchar - li->buffer)) &&
	       el_wget(ed->el, EL_EDITOR, &mode) == 0 && mode && *mode == L'e';
}

bool editor_beeped(struct editor *ed)
{
	bool b = ed->beeped;

	ed->beeped = false;
	return b;
}

void editor_command(struct editor *ed, const char *line, struct buf *out)
{
	const wchar_t **argv;
	TokenizerW *tok = tok_winit(NULL);
	size_t n;
	wchar_t *w = libedit_text(line, &n);
	int argc;

	ed->capture = out;
	if (tok_wstr(tok, w, &argc, &argv) == 0 && argc > 0)
		el_wparse(ed->el, argc, argv);
	if (ed->sink)
		fflush(ed->sink);
	ed->capture = NULL;
	libedit_bind(ed->el);
	tok_wend(tok);
	free(w);
}

bool editor_knows(struct editor *ed, const char *bytes)
{
	struct buf out = { 0 };
	size_t n;
	wchar_t *seq = libedit_text(bytes, &n);
	bool yes;

	seq[n] = L'\0';
	ed->capture = &out;
	yes = libedit_bound(ed->el, seq, &out);
	ed->capture = NULL;
	buf_release(&out);
	free(seq);
	return yes;
}

/* ---- on a terminal --------------------------------------------------------------------------------------- */

void editor_prepare(struct editor *ed)
{
	el_resize(ed->el);
	el_set(ed->el, EL_PREP_TERM, 1);
}

void editor_pause(struct editor *ed)
{
	el_set(ed->el, EL_PREP_TERM, 0);
}

void editor_resume(struct editor *ed)
{
	el_set(ed->el, EL_PREP_TERM, 1);
	el_set(ed->el, EL_REFRESH);
}

void editor_reset(struct editor *ed)
{
	el_reset(ed->el);
}
