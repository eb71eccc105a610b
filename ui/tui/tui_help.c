/* SPDX-License-Identifier: BSD-3-Clause */
/* Help as text: the pane's own, and all keys.  Made from the tables: there is no second list. */
#include "config.h"
#include <string.h>
#include "base/buf.h"
#include "engine/keys.h"
#include "ui/tui/tui.h"
#include "ui/tui/wrap.h"

enum { KEY_LINE = 14, KEY_HELP = 38 };

/* Text in the column `at` of the row that begins at `from`, broken at words for w columns. */
static void add_column(struct buf *b, size_t from, int at, const char *s, int w)
{
	size_t n = strlen(s), used, room = w > at + 10 ? (size_t)(w - at) : n;

	buf_pad(b, at, from);
	do {
		used = text_break(s, n, room);
		buf_addf(b, "%.*s\n", (int)used, s);
		for (s += used, n -= used; n && *s == ' '; s++)
			n--;
		if (n)
			buf_addf(b, "%*s", at, "");
	} while (n);
}

static void add_keys(struct buf *b, enum key_where where, int w)
{
	struct key_binding k;
	size_t i, from;

	for (i = 0; keys_at(i, &k); i++) {
		if (k.where != where || !*k.line)
			continue;
		from = b->len;
		buf_addf(b, "  %s", k.key);
		buf_pad(b, KEY_LINE, from);
		buf_adds(b, k.line);
		if (k.help && strlen(k.line) >= KEY_HELP - KEY_LINE)
			buf_addc(b, ' ');
		if (k.help)
			add_column(b, from, KEY_HELP, k.help, w);
		else
			buf_addc(b, '\n');
	}
}

static void add_view(struct buf *b, const struct pane *p, int w)
{
	const struct view_col *c;
	size_t from;

	buf_addf(b, "%s: %s\n", p->name, p->view->help);
	buf_adds(b, "\nColumns\n");
	for (c = p->view->cols; c->name; c++) {
		if (c->machine_only)
			continue;
		from = b->len;
		buf_addf(b, "  %s", c->name);
		add_column(b, from, KEY_LINE, c->help ? c->help : "", w);
	}
	buf_addf(b, "\nThe same rows on the command line: info %s%s%s\n", p->view->name, p->view->args ? " " : "",
		 p->view->args ? p->view->args : "");
}

static const char signs[] = "\nSigns\n"
			    "  %s  breakpoint      %s  current row      %s  changed since the last stop\n"
			    "  %s  error           %s  operand of the next instruction\n"
			    "  %s  breakpoint that is disabled\n"
			    "  %s  belongs to the row of the cursor     %s  row of the cursor\n";

/* Those of the view itself: "check it holds; cross it fails" is the help of such a column. */
static void add_signs(struct buf *b, const struct view_ops *v)
{
	const struct view_col *c;
	const char *s;
	size_t n;

	for (c = v->cols; c->name; c++)
		for (s = c->screen && c->signs && c->help ? c->help : ""; *s; s += strspn(s, "; ")) {
			n = strcspn(s, " ");
			buf_addf(b, "  %s  %.*s\n", theme_sign_named(s, n), (int)strcspn(s + n + 1, ";"), s + n + 1);
			s += strcspn(s, ";");
		}
}

/* What the pane is, or the command line, and the signs. */
static void add_about(struct buf *b, const struct pane *of, int w)
{
	struct buf prose = { 0 };

	buf_adds(&prose,
		 "q closes this, Esc goes to the command line; / searches, C-n and C-p go to other matches.\n\n");
	if (of && of->kind == PANE_VIEW && of->view)
		add_view(&prose, of, w);
	else if (of && of->kind == PANE_OUTPUT)
		buf_adds(&prose, "output: what the program wrote; with the focus here, what is typed goes to it. "
				 "S-Tab leaves the pane, PageUp and PageDown scroll it.\n");
	else
		buf_adds(&prose, "The command line takes the commands of 'help'.  Tab completes, C-r searches what was "
				 "typed before, S-Tab goes to the panes, C-c stops the program, C-d on an empty "
				 "line leaves.\n");
	buf_addf(&prose, signs, theme_sign(SIGN_BREAK), theme_sign(SIGN_CURRENT), theme_sign(SIGN_CHANGED),
		 theme_sign(SIGN_ERROR), theme_sign(SIGN_OPERAND), theme_sign(SIGN_BREAK_OFF), theme_sign(SIGN_LINKED),
		 theme_sign(SIGN_CURSOR));
	if (of && of->kind == PANE_VIEW && of->view)
		add_signs(&prose, of->view);
	wrap_text(buf_str(&prose), w, true, b);
	buf_release(&prose);
}

void tui_help(struct tui *t, struct pane *of)
{
	struct buf b = { 0 };
	size_t from;
	int w;

	if (t->panes.focus != t->panes.help)
		t->panes.help_from = t->panes.focus;
	t->panes.help_open = true;
	tui_place(t);
	w = pane_columns(t->panes.help);
	add_about(&b, of, w);
	buf_adds(&b, "\nKeys while a pane has the focus\n");
	add_keys(&b, KEYS_PANE, w);
	buf_adds(&b, "\nKeys everywhere\n");
	add_keys(&b, KEYS_ALL, w);
	from = b.len;
	buf_adds(&b, "  C-c");
	add_column(&b, from, KEY_LINE, "stops the program; on the command line: clears it", w);
	buf_adds(&b, "  C-z         suspends\n\n'bind KEY COMMAND' changes them, also in ~/.cdbgrc.\n");
	pane_set_text(t->panes.help, buf_str(&b));
	buf_release(&b);
	tui_focus(t, t->panes.help);
}
