/* SPDX-License-Identifier: BSD-3-Clause */
/* Help as text: the pane's own, and all keys.  Made from the tables: there is no second list. */
#include "config.h"
#include <string.h>
#include "engine/keys.h"
#include "ui/tui/tui.h"

static void add_keys(struct buf *b, enum key_where where)
{
	struct key_binding k;
	size_t i, from;

	for (i = 0; keys_at(i, &k); i++) {
		if (k.where != where || !*k.line)
			continue;
		from = b->len;
		buf_addf(b, "  %s", k.key);
		buf_pad(b, 14, from);
		buf_adds(b, k.line);
		if (k.help) {
			buf_pad(b, 36, from);
			buf_addf(b, "  %s", k.help);
		}
		buf_addc(b, '\n');
	}
}

static void add_view(struct buf *b, const struct pane *p)
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
		buf_pad(b, 14, from);
		buf_addf(b, "%s\n", c->help ? c->help : "");
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

void tui_help(struct tui *t, struct pane *of)
{
	struct buf b = { 0 };

	buf_adds(&b, "q closes this, Esc goes to the command line; / searches, C-n and C-p go to other matches.\n\n");
	if (of && of->kind == PANE_VIEW && of->view)
		add_view(&b, of);
	else if (of && of->kind == PANE_OUTPUT)
		buf_adds(&b, "output: what the program wrote; with the focus here, what is typed goes to it.\n"
			     "S-Tab leaves the pane, PageUp and PageDown scroll it.\n");
	else
		buf_adds(&b, "The command line takes the commands of 'help'.  Tab completes, C-r searches what was\n"
			     "typed before, S-Tab goes to the panes, C-c stops the program, C-d on an empty\n"
			     "line leaves.\n");
	buf_addf(&b, signs, theme_sign(SIGN_BREAK), theme_sign(SIGN_CURRENT), theme_sign(SIGN_CHANGED),
		 theme_sign(SIGN_ERROR), theme_sign(SIGN_OPERAND), theme_sign(SIGN_BREAK_OFF), theme_sign(SIGN_LINKED),
		 theme_sign(SIGN_CURSOR));
	if (of && of->kind == PANE_VIEW && of->view)
		add_signs(&b, of->view);
	buf_adds(&b, "\nKeys while a pane has the focus\n");
	add_keys(&b, KEYS_PANE);
	buf_adds(&b, "\nKeys everywhere\n");
	add_keys(&b, KEYS_ALL);
	buf_adds(&b, "  C-c           stops the program; on the command line: clears it\n"
		     "  C-z           suspends\n\n'bind KEY COMMAND' changes them, also in ~/.cdbgrc.\n");
	pane_set_text(t->panes.help, buf_str(&b));
	buf_release(&b);
	if (t->panes.focus != t->panes.help)
		t->panes.help_from = t->panes.focus;
	t->panes.help_open = true;
	tui_place(t);
	tui_focus(t, t->panes.help);
}
