/* SPDX-License-Identifier: BSD-3-Clause */
/* One set-up of libedit and one history: see libedit.h.  Knows no terminal. */
#include "config.h"
#include "ui/line/libedit.h"
#include <stdlib.h>
#include <string.h>
#include "base/buf.h"
#include "cmd/cmd.h"
#include "ui/line/history.h"

static struct {
	HistoryW *history;
	long max; /* lines in it and in the file */
} lines = { .max = -1 };

/* ---- text --------------------------------------------------------------------------------------- */

void libedit_add(struct buf *out, const wchar_t *w, size_t n)
{
	char c[4];
	size_t i;

	for (i = 0; i < n; i++)
		if (w[i])
			buf_add(out, c, text_encode(c, (uint32_t)w[i]));
		else
			buf_adds(out, CMD_NUL);
}

wchar_t *libedit_text(const char *s, size_t *n)
{
	wchar_t *w = mem_alloc((strlen(s) + 1) * sizeof(*w));
	uint32_t c;

	for (*n = 0; *s; w[(*n)++] = (wchar_t)c)
		s += text_decode(s, &c);
	return w;
}

/* ---- history ------------------------------------------------------------------------------------ */

static void enter(void *arg, const char *line)
{
	HistEventW ev;
	size_t n;
	wchar_t *w = libedit_text(line, &n);

	(void)arg;
	history_w(lines.history, &ev, H_ENTER, w);
	free(w);
}

void libedit_history_size(long max)
{
	HistEventW ev;

	if (!lines.history) {
		lines.history = history_winit();
		if (!lines.history)
			BUG("no memory for the history");
		history_w(lines.history, &ev, H_SETUNIQUE, 1);
	}
	if (max == lines.max)
		return;
	lines.max = max;
	history_w(lines.history, &ev, H_CLEAR);
	history_w(lines.history, &ev, H_SETSIZE, (int)max);
	history_load(max, enter, NULL);
}

int libedit_remember(const char *line, struct err *err)
{
	struct buf last = { 0 };
	HistEventW ev;
	int ret = 0;

	if (!line[strspn(line, " \t")] || !lines.max)
		return 0;
	if (history_w(lines.history, &ev, H_FIRST) == 0)
		libedit_add(&last, ev.str, wcslen(ev.str));
	if (strcmp(buf_str(&last), line)) {
		enter(NULL, line);
		ret = history_append(line, lines.max, err);
	}
	buf_release(&last);
	return ret;
}

/* ---- the editor --------------------------------------------------------------------------------- */

/* libedit's own command line (M-x, and ':' of vi) takes its words from uninitialized memory after a quote that does not
   end. */
static void unbind_commands(EditLine *el)
{
	el_wset(el, EL_BIND, L"\033x", L"ed-unassigned", NULL);
	el_wset(el, EL_BIND, L"\033X", L"ed-unassigned", NULL);
	el_wset(el, EL_BIND, L"-a", L":", L"ed-unassigned", NULL);
}

void libedit_bind(EditLine *el)
{
	/* what terminals send for these keys: the one that TERM names, and others */
	static const struct {
		const wchar_t *seq, *name;
	} keys[] = {
		{ L"\033[H", L"ed-move-to-beg" },	{ L"\033OH", L"ed-move-to-beg" },
		{ L"\033[1~", L"ed-move-to-beg" },	{ L"\033[7~", L"ed-move-to-beg" },
		{ L"\033[F", L"ed-move-to-end" },	{ L"\033OF", L"ed-move-to-end" },
		{ L"\033[4~", L"ed-move-to-end" },	{ L"\033[8~", L"ed-move-to-end" },
		{ L"\033[3~", L"ed-delete-next-char" }, { L"\033[1;5D", L"ed-prev-word" },
		{ L"\033[1;5C", L"em-next-word" },
	};
	const struct libedit_ops *ops = NULL;
	size_t i;

	el_wget(el, EL_CLIENTDATA, &ops);
	el_wset(el, EL_ADDFN, L"cdbg-complete", L"complete the word", ops->complete);
	el_wset(el, EL_BIND, L"^I", L"cdbg-complete", NULL);
	el_wset(el, EL_BIND, L"^R", L"em-inc-search-prev", NULL);
	for (i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		el_wset(el, EL_BIND, keys[i].seq, keys[i].name, NULL);
	unbind_commands(el);
}

bool libedit_bound(EditLine *el, const wchar_t *seq, const struct buf *out)
{
	const wchar_t *argv[] = { L"bind", seq, NULL };

	return el_wparse(el, 2, argv) == 0 && !strstr(buf_str(out), "Unbound");
}

EditLine *libedit_open(FILE *in, FILE *out, const char *terminal, const struct libedit_ops *ops)
{
	int fd = fileno(out) < 0 ? fileno(in) : fileno(out); /* the screen's stream has none */
	EditLine *el = el_init_fd("cdbg", in, out, out, fileno(in), fd, fd);

	if (!el)
		return NULL;
	if (terminal)
		el_set(el, EL_TERMINAL, terminal);
	el_set(el, EL_SIGNAL, 0);
	el_wset(el, EL_CLIENTDATA, (void *)ops);
	el_wset(el, EL_EDITOR, L"emacs");
	el_wset(el, EL_HIST, history_w, lines.history);
	el_wset(el, EL_GETCFN, ops->get_char);
	libedit_bind(el);
	el_source(el, NULL); /* ~/.editrc */
	unbind_commands(el); /* "bind -e" and "bind -v" there bind them again */
	return el;
}
