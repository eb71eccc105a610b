/* SPDX-License-Identifier: BSD-3-Clause */
/* The verbs: what commands do with the screen, a function each.  Runs on the UI thread, whichever thread called. */
#include "config.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/err.h"
#include "base/pick.h"
#include "ui/output/console.h"
#include "ui/line/editor.h"
#include "ui/line/libedit.h"
#include "ui/output/progtty.h"
#include "ui/term/terminal.h"
#include "ui/tui/exit_restore.h"
#include "ui/tui/pane_columns.h"
#include "ui/tui/tui.h"

/* Moves the screen to another terminal: the program keeps the one that it was started on, as its own. */

static int take_tty(const char *device, struct err *err)
{
	if (term_can(device, err) < 0)
		return -1;
	if (term_open(err) < 0) {
		term_close_device();
		return -1;
	}
	return 0;
}

static int tui_tty(struct tui *t, const char *device, struct err *err)
{
	struct err lost;

	progtty_drain(1 << 20);
	term_close();
	if (take_tty(device, err) < 0) {
		if (take_tty(NULL, &lost) < 0) /* no terminal is left */
			t->bye = true;
		t->screen.repaint = t->screen.dirty = true;
		return -1;
	}
	exit_restore_guard_again();
	t->terminal.elsewhere = true;
	tui_theme(t);
	tui_background_ask(t);
	t->screen.repaint = t->screen.dirty = true;
	return 0;
}

static void verb_list(struct buf *out);

static int verb_refresh(struct tui *t, const char *args, struct buf *out, struct err *err)
{
	(void)args;
	(void)out;
	(void)err;
	t->screen.repaint = t->screen.dirty = true;
	return 0;
}

/* ---- moving ------------------------------------------------------------------------------------- */

static int scroll_said(struct tui *t, const char *where)
{
	size_t page = (size_t)tui_line_rows(t);

	if (!strcmp(where, "pageup"))
		t->messages.back += page;
	else if (!strcmp(where, "pagedown"))
		t->messages.back = t->messages.back > page ? t->messages.back - page : 0;
	return 0;
}

static const char *direction_at(const void *arg, int i)
{
	static const char *const names[] = { "up",     "down",	   "left", "right",  "pageup",	"pagedown",
					     "halfup", "halfdown", "top",  "bottom", "current", NULL };

	(void)arg;
	return names[i];
}

/* Is a cell of the rows in sight cut, further to the right? */
static bool rows_go_on(const struct pane *p)
{
	int width[PANE_COLS] = { 0 }, last = -1, hidden = 0;

	if (!p->rows || !p->rows->n)
		return false;
	pane_columns_fit(p, p->rect.w - GUTTER, width, &last);
	if (last >= 0)
		pane_columns_cut(p, width, last, &hidden);
	return hidden > p->left;
}

/* Scrolls to the right, until the end of the longest line or cell is in sight. */
static void scroll_right(struct pane *p)
{
	size_t i = p->kind == PANE_OUTPUT ? p->top : 0;
	size_t end = p->kind == PANE_OUTPUT ? p->top + (size_t)pane_height(p) : p->nlines;
	struct buf b = { 0 };
	bool scrolls = p->kind == PANE_VIEW && p->view && p->view->scrolls;
	bool more = scrolls ? p->rows && p->rows->heads.more_right : p->kind == PANE_VIEW && rows_go_on(p);

	for (; p->kind != PANE_VIEW && !more && i < end && i < pane_total(p); i++) {
		pane_row_text(p, i, &b);
		more = (int)text_width(buf_str(&b)) > p->left + p->rect.w - 1;
	}
	p->left += !more ? 0 : scrolls ? 1 : 4;
	buf_release(&b);
}

static int verb_scroll(struct tui *t, const char *args, struct buf *out, struct err *err)
{
	static const struct pick directions = { .what = "direction", .at = direction_at };
	struct pane *p = t->panes.focus;
	long h;
	int i;

	(void)out;
	t->screen.dirty = true;
	i = pick_name(&directions, args, err);
	if (i < 0)
		return -1;
	args = direction_at(NULL, i);
	if (!p)
		return scroll_said(t, args);
	h = pane_height(p) > 0 ? pane_height(p) : 1;
	if (!strcmp(args, "down"))
		pane_move(p, 1);
	else if (!strcmp(args, "up"))
		pane_move(p, -1);
	else if (!strcmp(args, "pagedown"))
		pane_scroll(p, h - (h > 2));
	else if (!strcmp(args, "pageup"))
		pane_scroll(p, -(h - (h > 2)));
	else if (!strcmp(args, "halfdown"))
		pane_scroll(p, (h + 1) / 2);
	else if (!strcmp(args, "halfup"))
		pane_scroll(p, -((h + 1) / 2));
	else if (!strcmp(args, "top"))
		pane_move(p, -(long)pane_total(p));
	else if (!strcmp(args, "bottom"))
		pane_move(p, (long)pane_total(p));
	else if (!strcmp(args, "left"))
		p->left -= p->view && p->view->scrolls ? p->left > 0 : p->left >= 4 ? 4 : p->left;
	else if (!strcmp(args, "right"))
		scroll_right(p);
	else if (!strcmp(args, "current")) {
		if (p->words)
			pane_set_words(p, "");
		p->free = false;
		p->request.stale = true;
	}
	return 0;
}

static int verb_search(struct tui *t, const char *args, struct buf *out, struct err *err)
{
	(void)out;
	(void)err;
	if (!t->panes.focus)
		tui_focus_step(t, 1);
	tui_search_start(t, args);
	return 0;
}

static int verb_filter(struct tui *t, const char *args, struct buf *out, struct err *err)
{
	struct pane *p = t->panes.focus ? t->panes.focus : t->panes.last_focus;

	(void)out;
	if (!p || (!p->shown && p != t->over.pane))
		return err_set(err, "no pane has the focus: S-Tab goes to the panes");
	if (t->prompt.kind != PROMPT_COMMAND)
		return err_set(err, "a question or a text at the prompt comes first: Esc ends it");
	if (p != t->panes.focus)
		tui_focus(t, p);
	tui_filter_start(t, args);
	return 0;
}

static int verb_match(struct tui *t, const char *args, struct buf *out, struct err *err)
{
	(void)out;
	if (!t->search.match || !t->panes.focus)
		return err_set(err, "no text to search for: '/' asks for one");
	tui_search_step(t, *args == 'p');
	return 0;
}

/* ---- others --------------------------------------------------------------------------------------- */

static int verb_prompt(struct tui *t, const char *args, struct buf *out, struct err *err)
{
	(void)out;
	(void)err;
	tui_focus(t, NULL);
	if (*args)
		editor_set(t->prompt.editor, args);
	return 0;
}

static int verb_help(struct tui *t, const char *args, struct buf *out, struct err *err)
{
	(void)out;
	if (*args) {
		struct pane *p = tui_pane_arg(t, args, err);

		if (!p)
			return -1;
		tui_help(t, p);
		return 0;
	}
	tui_help(t, t->panes.focus);
	return 0;
}

static int verb_slot(struct tui *t, const char *args, struct buf *out, struct err *err)
{
	(void)out;
	if (!t->panes.slot)
		return err_set(err, "this layout has no free place: 'layout' alone lists layouts");
	tui_slot_step(t, *args == 'p' ? -1 : 1);
	return 0;
}

static int verb_answer(struct tui *t, const char *args, struct buf *out, struct err *err)
{
	(void)args;
	(void)out;
	return tui_overlay_again(t, err);
}

static int verb_keep(struct tui *t, const char *args, struct buf *out, struct err *err)
{
	(void)args;
	(void)out;
	return tui_overlay_keep(t, err);
}

static int verb_hints(struct tui *t, const char *args, struct buf *out, struct err *err)
{
	(void)out;
	(void)err;
	t->screen.hints = strcmp(args, "off") && strcmp(args, "0");
	tui_place(t);
	return 0;
}

static int verb_mouse(struct tui *t, const char *args, struct buf *out, struct err *err)
{
	(void)t;
	(void)out;
	(void)err;
	term_mouse(strcmp(args, "off") && strcmp(args, "0"));
	return 0;
}

static int verb_tty(struct tui *t, const char *args, struct buf *out, struct err *err)
{
	(void)out;
	return tui_tty(t, args, err);
}

static const char *theme_name_at(const void *arg, int i)
{
	static const char *const names[] = { "auto", "dark", "light", "none", NULL };

	(void)arg;
	return names[i];
}

static int verb_theme(struct tui *t, const char *args, struct buf *out, struct err *err)
{
	static const struct pick names = { .what = "theme", .at = theme_name_at };
	int i = pick_name(&names, args, err);

	(void)out;
	if (i < 0)
		return -1;
	snprintf(t->screen.theme, sizeof(t->screen.theme), "%s", theme_name_at(NULL, i));
	tui_theme(t);
	return 0;
}

static int verb_colour(struct tui *t, const char *args, struct buf *out, struct err *err)
{
	(void)out;
	(void)err;
	snprintf(t->screen.colour, sizeof(t->screen.colour), "%s", args);
	tui_theme(t);
	return 0;
}

static int verb_colours(struct tui *t, const char *args, struct buf *out, struct err *err)
{
	(void)out;
	(void)err;
	t->screen.colours = strcmp(args, "off") && strcmp(args, "0");
	t->screen.dirty = true;
	return 0;
}

static int verb_editor(struct tui *t, const char *args, struct buf *out, struct err *err)
{
	(void)t;
	(void)err;
	editor_command(t->prompt.editor, args, out);
	return 0;
}

static int verb_clear(struct tui *t, const char *args, struct buf *out, struct err *err)
{
	(void)args;
	(void)out;
	(void)err;
	console_clear();
	t->panes.output->free = false;
	t->screen.dirty = true;
	return 0;
}

/* A layout and its panes: the names in its text. */
static void add_layout(struct tui *t, const char *name, struct buf *out)
{
	const char *s = layouts_spec(name, t->screen.rows, t->screen.cols);
	size_t n, from;

	buf_addf(out, "%s\t", name);
	for (from = out->len; s && *s; s += n) {
		s += strcspn(s, "abcdefghijklmnopqrstuvwxyz-");
		n = strspn(s, "abcdefghijklmnopqrstuvwxyz-");
		if (n && *s != '-')
			buf_addf(out, "%s%.*s", out->len > from ? ", " : "", (int)n, s);
	}
	buf_addc(out, '\n');
}

/* For completion: the possible words after a verb, a line for each, with what it is after a tab. */
static int verb_names(struct tui *t, const char *args, struct buf *out, struct err *err)
{
	const char *s;
	int i;

	(void)err;
	for (i = 0; !strcmp(args, "layout") && (s = layouts_name(i)); i++)
		add_layout(t, s, out);
	for (i = 0; !strcmp(args, "pane") && i < t->panes.n; i++)
		if (t->panes.all[i]->kind != PANE_TEXT)
			buf_addf(out, "%s\t%s\n", t->panes.all[i]->name,
				 t->panes.all[i]->view		      ? t->panes.all[i]->view->help :
				 t->panes.all[i]->kind == PANE_OUTPUT ? "what the program writes, and reads" :
									"not available here");
	if (!strcmp(args, "verb"))
		verb_list(out);
	return 0;
}

static int verb_history(struct tui *t, const char *args, struct buf *out, struct err *err)
{
	(void)t;
	(void)out;
	(void)err;
	libedit_history_size(text_number(&args, 100000));
	return 0;
}

static const struct verb verbs[] = {
	{ "refresh", verb_refresh, "redraw the screen" },
	{ "scroll", verb_scroll, "move in the focused pane: up, down, left, right, top, bottom, ..." },
	{ "search", verb_search, "search the focused pane" },
	{ "filter", verb_filter, "show only the rows of the focused pane with a text" },
	{ "match", verb_match, "go to the next or previous match" },
	{ "prompt", verb_prompt, "go to the command line" },
	{ "help", verb_help, "open help for a pane" },
	{ "slot", verb_slot, "show the next or previous pane in the layout's free place" },
	{ "hints", verb_hints, "show the row of hints: on, off" },
	{ "answer", verb_answer, "open the last long answer again" },
	{ "keep", verb_keep, "keep the open answer as a pane" },
	{ "mouse", verb_mouse, "use the mouse: on, off" },
	{ "theme", verb_theme, "choose the colours" },
	{ "color", verb_colour, "use colours: auto, on, off" },
	{ "output-color", verb_colours, "show the program's colours: on, off" },
	{ "editor", verb_editor, "set up the line editor, as in ~/.editrc" },
	{ "clear-output", verb_clear, "empty the output pane" },
	{ "names", verb_names, "list names, for completion" },
	{ "tty", verb_tty, "show another terminal's output" },
	{ "history-size", verb_history, "set the number of lines kept in the history" },
	{ NULL, NULL, NULL },
};
static const struct verb *const verb_tables[] = { layout_verbs, verbs, row_verbs, NULL };

static void verb_list(struct buf *out)
{
	const struct verb *const *table, *v;

	for (table = verb_tables; *table; table++)
		for (v = *table; v->name; v++)
			if (strcmp(v->name, "names"))
				buf_addf(out, "%s\t%s\n", v->name, v->help);
}

static const char *verb_name_at(const void *arg, int i)
{
	const struct verb *const *table, *v;

	(void)arg;
	for (table = verb_tables; *table; table++)
		for (v = *table; v->name; v++)
			if (i-- == 0)
				return v->name;
	return NULL;
}

int tui_verb(struct tui *t, const char *verb, const char *args, struct buf *out, struct err *err)
{
	static const struct pick names = { .what = "screen command",
					   .list = "'help tui' lists them",
					   .at = verb_name_at };
	const struct verb *const *table, *v;
	const char *known;
	int i;

	t->screen.dirty = true;
	for (table = verb_tables; *table; table++)
		for (v = *table; v->name; v++)
			if (!strcmp(v->name, verb))
				return v->run(t, args, out, err);
	i = pick_name(&names, verb, err);
	known = i < 0 ? NULL : verb_name_at(NULL, i);
	return known ? tui_verb(t, known, args, out, err) : -1;
}
