/* SPDX-License-Identifier: BSD-3-Clause */
/* The whole screen: panes, lines between them, status, command area, hints.  Knows no key. */
#include "config.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/val.h"
#include "engine/doing.h"
#include "ui/line/editor.h"
#include "ui/output/console.h"
#include "ui/term/cut_text.h"
#include "ui/term/terminal.h"
#include "ui/tui/tui.h"

/* The start card: before the first stop in compiled code, panes that have nothing to show name six tasks and their
   commands. */

static const struct {
	const char *task, *command;
} tasks[] = {
	{ "Type, then F5:", "" },
	{ "Find graph breaks", "catch graph-break" },
	{ "Find recompiles", "catch recompile" },
	{ "Find the first NaN", "catch nan" },
	{ "Step compiled code", "break FUNC, then F7" },
	{ "Find a wrong node", "graph compare" },
	{ "Edit a guard", "focus guards, Space" },
};
enum { TASKS = sizeof(tasks) / sizeof(*tasks), INDENT = 1, COMMANDS = 19, LEAST_COLS = 36 };

static bool takes_card(const struct pane *p)
{
	bool empty = p->error || (p->rows && !p->rows->n && !p->filter.text);

	return p->shown && p->kind == PANE_VIEW && p->view && empty && !p->view->needs_stop &&
	       p->rect.w >= LEAST_COLS && p->rect.h > 1;
}

static bool tui_card_shown(const struct tui *t)
{
	return !t->program.compiled && t->program.life != LIFE_EXITED && !t->panes.zoom && !t->panes.help_open;
}

/* Draws as many tasks as fit; returns the number of the first one that did not. */
static int draw(struct tui *t, const struct pane *p, int first)
{
	int y = p->rect.y + 1, end = p->rect.y + p->rect.h, x = p->rect.x + INDENT, w = p->rect.w - INDENT;

	grid_fill(&t->screen.grid, (struct rect){ y, p->rect.x, end - y, p->rect.w }, ' ', (struct look){ 0 });
	for (; first < TASKS && y < end; first++, y++) {
		grid_text(&t->screen.grid, y, x, w, 0, tasks[first].task, theme_look(STYLE_TEXT));
		grid_text(&t->screen.grid, y, x + COMMANDS, w - COMMANDS, 0, tasks[first].command,
			  theme_look(STYLE_NAME));
	}
	return first;
}

static void tui_card_draw(struct tui *t)
{
	int i, first = 0;

	if (!tui_card_shown(t))
		return;
	for (i = 0; i < t->panes.n && first < TASKS; i++)
		if (t->panes.all[i]->number && takes_card(t->panes.all[i]))
			first = draw(t, t->panes.all[i], first);
}

/* "(cdbg) ", and of the past "(cdbg -14) ". */
static const char *prompt_text(const struct tui *t, char text[40])
{
	long long ago = t->program.status ? val_number(t->program.status, "ago", 0) : 0;

	if (ago)
		snprintf(text, 40, "(cdbg -%lld) ", ago);
	else
		snprintf(text, 40, "(cdbg) ");
	return text;
}

/* ---- lines between panes ------------------------------------------------------------------------ */

static void draw_borders(struct tui *t, const struct layout *l)
{
	struct look look = theme_look(STYLE_LINE);
	int i, y;

	for (i = 0; i < l->n; i++) {
		const struct layout *c = l->child[i];

		if (!c->shown)
			continue;
		if (l->horizontal && c->rect.x > l->rect.x)
			for (y = c->rect.y; y < c->rect.y + c->rect.h; y++)
				grid_fill(&t->screen.grid, (struct rect){ y, c->rect.x - 1, 1, 1 },
					  theme_sign_char(SIGN_VLINE), look);
		draw_borders(t, c);
	}
}

static bool is_line(const struct grid *g, int y, int x, enum sign s)
{
	uint32_t c;

	if (y < 0 || x < 0 || y >= g->rows || x >= g->cols)
		return false;
	c = g->now[y * g->cols + x].c;
	return c == theme_sign_char(s) || c == theme_sign_char(SIGN_CROSS) || c == theme_sign_char(SIGN_CROSS_DOWN) ||
	       c == theme_sign_char(SIGN_CROSS_UP) || c == theme_sign_char(SIGN_CROSS_LEFT) ||
	       c == theme_sign_char(SIGN_CROSS_RIGHT);
}

/* Where a line from left to right meets one from top to bottom. */
static void join_borders(struct tui *t, const struct layout *l)
{
	struct grid *g = &t->screen.grid;
	int i, y;

	for (i = 0; i < l->n; i++) {
		const struct layout *c = l->child[i];
		int x = c->rect.x - 1;

		if (!c->shown)
			continue;
		join_borders(t, c);
		if (!l->horizontal || c->rect.x <= l->rect.x)
			continue;
		for (y = c->rect.y; y < c->rect.y + c->rect.h; y++) {
			bool left = is_line(g, y, x - 1, SIGN_HLINE), right = is_line(g, y, x + 1, SIGN_HLINE);
			enum sign s = left && right ? (y ? SIGN_CROSS : SIGN_CROSS_DOWN) :
				      left	    ? SIGN_CROSS_LEFT :
				      right	    ? SIGN_CROSS_RIGHT :
						      SIGN_VLINE;

			grid_fill(g, (struct rect){ y, x, 1, 1 }, theme_sign_char(s), theme_look(STYLE_LINE));
		}
		y = c->rect.y + c->rect.h;
		if (is_line(g, y, x, SIGN_HLINE))
			grid_fill(g, (struct rect){ y, x, 1, 1 }, theme_sign_char(SIGN_CROSS_UP),
				  theme_look(STYLE_LINE));
	}
}

/* ---- status ------------------------------------------------------------------------------------- */

static long seconds(const struct tui *t)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec - t->program.since.tv_sec - (now.tv_nsec < t->program.since.tv_nsec);
}

/* The location, and how much of it is shown: all of it (0), or less for a narrow screen. */
static void status_where(const struct tui *t, int less, struct buf *b)
{
	const char *dot = theme_sign(SIGN_DOT);
	const char *const keys[] = { "where", "entry", "piece", "thread" };
	const char *s;
	size_t i;

	for (i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		s = val_text(t->program.status, keys[i]);
		if (*s)
			buf_addf(b, " %s %.*s", dot, (int)(less && i == 1 ? strcspn(s, ",") : strlen(s)), s);
	}
}

/* Why it stopped.  less: without what follows the number of a breakpoint, the type of an exception. */
static void status_reason(const struct val *status, bool less, struct buf *b)
{
	const char *text = status ? val_text(status, "text") : "", *kind = status ? val_text(status, "kind") : "";
	const char *past = status ? val_text(status, "past") : "";

	if (*past) {
		buf_addf(b, " %.*s", (int)strcspn(past, less ? "(\n" : "\n"), past);
		return;
	}

	if (less && strncmp(text, kind, strlen(kind)))
		text = kind;
	buf_addf(b, " stopped: %.*s", (int)(less ? strcspn(text, ":") : strlen(text)), text);
}

static void status_text(const struct tui *t, int less, struct buf *b)
{
	const char *dot = theme_sign(SIGN_DOT);

	if (t->program.life == LIFE_NEW)
		buf_adds(b, " starting");
	else if (t->program.life == LIFE_RUNS && seconds(t) > 0) {
		buf_adds(b, " ");
		if (!doing_add(b))
			buf_addf(b, "running %ld s", seconds(t));
		buf_addf(b, " %s Ctrl-C stops it", dot);
	} else if (t->program.life == LIFE_RUNS)
		buf_adds(b, " running");
	else if (t->program.working && t->prompt.kind != PROMPT_QUESTION && seconds(t) > 0)
		buf_addf(b, " working %ld s %s Ctrl-C ends it %s %s", seconds(t), dot, dot,
			 t->program.working_line ? t->program.working_line : "");
	else if (t->program.queued && t->prompt.kind != PROMPT_QUESTION && seconds(t) > 0)
		buf_addf(b, " running command lines %ld s %s Ctrl-C ends them", seconds(t), dot);
	else if (t->prompt.kind == PROMPT_QUESTION)
		buf_adds(b, " a question waits for y or n");
	else if (t->program.life == LIFE_EXITED)
		buf_addf(b, " %s", t->program.status ? val_text(t->program.status, "text") : "the program has ended");
	else
		status_reason(t->program.status, less > 1, b);
	if (t->program.status && t->program.life == LIFE_STOPPED)
		status_where(t, less, b);
	if (t->program.nqueue)
		buf_addf(b, " %s %d waiting", dot, t->program.nqueue);
	if (t->panes.zoom)
		buf_addf(b, " %s zoomed", dot);
}

static void draw_status(struct tui *t, int y)
{
	bool runs = t->program.life == LIFE_RUNS || t->program.working || t->program.queued;
	struct look look = theme_look(runs ? STYLE_STATUS_RUN : STYLE_STATUS);
	struct buf b = { 0 };
	int n, w, less;
	const char *last = t->last.text;

	grid_fill(&t->screen.grid, (struct rect){ y, 0, 1, t->screen.cols }, ' ', look);
	for (less = 0; less < 3; less++) {
		buf_reset(&b);
		status_text(t, less, &b);
		if ((int)text_width(buf_str(&b)) <= t->screen.cols)
			break;
	}
	n = cut_text(&t->screen.grid, y, 0, t->screen.cols, 0, buf_str(&b), look);
	w = last ? (int)text_width(last) + 2 : 0;
	t->last.fits = n + w + 1 <= t->screen.cols && !t->panes.focus;
	if (w && t->last.fits)
		grid_text(&t->screen.grid, y, t->screen.cols - w, w, 0, last, look);
	buf_release(&b);
}

/* ---- the bottom line ---------------------------------------------------------------------------- */

static int draw_line(struct tui *t, int y, const char *prompt, const char *text, size_t cursor, enum style style)
{
	int x, at, skip = 0, room;

	x = grid_text(&t->screen.grid, y, 0, t->screen.cols, 0, prompt, theme_look(style));
	room = t->screen.cols - x;
	at = 0;
	if (cursor) {
		char *before = mem_strn(text, cursor);

		at = (int)text_width(before);
		free(before);
	}
	if (at >= room)
		skip = at - room + 1;
	grid_text(&t->screen.grid, y, x, room, skip, text, theme_look(STYLE_TEXT));
	return x + at - skip;
}

/* Lines of commands, python and the like, up to end. */
static bool gathering(const struct tui *t)
{
	const struct val *v = t->program.status ? val_get(t->program.status, "gathering") : NULL;

	return v && v->type == VAL_BOOL && v->u.b;
}

/* What the last key or command did, at the right of a row that is free from column x on. */
static void draw_last(struct tui *t, int y, int x)
{
	int w = (int)text_width(t->last.text), room = t->screen.cols - x;

	t->last.fits = w <= room;
	w = w < room ? w : room;
	if (w > 0)
		cut_text(&t->screen.grid, y, t->screen.cols - w, w, 0, t->last.text,
			 theme_look(t->last.failed ? STYLE_ERROR : STYLE_DIM));
}

/* When the prompt does not get the keys: names the pane that does. */
static int draw_mode(struct tui *t, int y)
{
	char text[96];
	int x;

	snprintf(text, sizeof(text), "-- keys go to %s --",
		 t->panes.focus == t->panes.output ? "the program" : t->panes.focus->name);
	x = grid_text(&t->screen.grid, y, 0, t->screen.cols, 0, text, theme_look(STYLE_NOTE));
	if (t->last.text)
		draw_last(t, y, x + 2);
	return 0;
}

static int draw_question(struct tui *t, int y)
{
	const struct buf *b = &t->prompt.answer;
	int x;

	if (!b->len)
		x = cut_text(&t->screen.grid, y, 0, t->screen.cols, 0, t->prompt.question, theme_look(STYLE_NOTE));
	else
		x = draw_line(t, y, t->prompt.question, buf_str(b), b->len, STYLE_NOTE);
	if (t->last.text && t->last.fresh)
		draw_last(t, y, x + 2);
	return x;
}

static int draw_prompt(struct tui *t, int y)
{
	char prompt[40];
	size_t cursor;
	int x, w;

	if (t->prompt.kind == PROMPT_QUESTION)
		return draw_question(t, y);
	if (t->prompt.kind == PROMPT_SEARCH) {
		x = draw_line(t, y, "/", buf_str(&t->search.typed), t->search.typed.len, STYLE_PROMPT);
		if (t->search.match && t->last.text)
			draw_last(t, y, x + 2);
		return x;
	}
	if (t->prompt.kind == PROMPT_FILTER)
		return draw_line(t, y, "&", buf_str(&t->filter.typed), t->filter.typed.len, STYLE_PROMPT);
	if (t->prompt.kind == PROMPT_ACTION)
		return draw_line(t, y, "action: ", buf_str(&t->actions.typed), t->actions.typed.len, STYLE_PROMPT);
	if (t->panes.focus)
		return draw_mode(t, y);
	editor_show(t->prompt.editor, &t->prompt.line, &cursor, &t->prompt.label);
	x = draw_line(t, y, gathering(t) ? "> " : prompt_text(t, prompt), buf_str(&t->prompt.line), cursor,
		      STYLE_PROMPT);
	if (t->prompt.label.len) {
		w = (int)text_width(buf_str(&t->prompt.label)) + 2;
		if (w < t->screen.cols - 10) {
			grid_fill(&t->screen.grid, (struct rect){ y, t->screen.cols - w, 1, w }, ' ',
				  theme_look(STYLE_POPUP_ON));
			grid_text(&t->screen.grid, y, t->screen.cols - w + 1, w - 1, 0, buf_str(&t->prompt.label),
				  theme_look(STYLE_POPUP_ON));
		}
	} else if (t->last.text && t->last.fresh && !t->last.fits &&
		   x + 2 + (int)text_width(t->last.text) <= t->screen.cols) {
		draw_last(t, y, x + 2);
	}
	return x;
}

/* ---- all ---------------------------------------------------------------------------------------- */

static void draw_panes(struct tui *t)
{
	struct pane_link link;
	struct pane_draw d = { .link = &link, .colours = t->screen.colours, .told = t->panes.told };
	char aside[32];
	int i, hidden, at;

	pane_link(t->panes.focus, &link);
	link.with = t->links.row ? t->links.list : NULL;
	if (!t->panes.zoom && !t->panes.help_open && t->layouts.current)
		draw_borders(t, t->layouts.current);
	for (i = 0; i < t->panes.n; i++) {
		struct pane *p = t->panes.all[i];

		if (!p->shown)
			continue;
		d.focus = p == t->panes.focus;
		d.match = d.focus ? t->search.match : NULL;
		d.aside = NULL;
		d.past = tui_past(t);
		if (p == t->panes.slot && !t->panes.zoom &&
		    (tui_small_screen(t) || strcmp(p->name, layout_slot(t->layouts.current)->name))) {
			for (hidden = at = 0; hidden < t->panes.n; hidden++)
				at += t->panes.all[hidden] == p ||
				      (t->panes.all[hidden]->kind == PANE_VIEW && !t->panes.all[hidden]->shown);
			snprintf(aside, sizeof(aside), "1 of %d, ] next", at);
			d.aside = aside;
		}
		if (p == t->panes.output && p->rect.h == 1 && console_lines()) {
			snprintf(aside, sizeof(aside), "%lu line%s", console_lines(), console_lines() == 1 ? "" : "s");
			d.aside = aside;
		}
		pane_draw(p, &t->screen.grid, &d);
	}
	if (!t->panes.zoom && !t->panes.help_open && t->layouts.current)
		join_borders(t, t->layouts.current);
}

/* While a pane has the focus, the full text of the selected row uses part of the room for messages. */
static void draw_messages(struct tui *t, struct rect r)
{
	if (t->panes.focus && t->prompt.kind == PROMPT_COMMAND)
		r.h -= tui_detail_draw(t, r);
	if (r.h > 0)
		tui_said_draw(t, r);
}

static void draw_all(struct tui *t, int *y, int *x)
{
	int hint = tui_hint_rows(t), lines = tui_line_rows(t), top = t->screen.rows - lines - hint;

	grid_fill(&t->screen.grid, (struct rect){ 0, 0, t->screen.rows, t->screen.cols }, ' ', (struct look){ 0 });
	if (tui_small(t)) {
		struct rect r = { 0, 0, t->screen.rows - 1, t->screen.cols };

		if (t->screen.rows > 2) {
			r.y++;
			r.h--;
		}
		if (r.h > 0)
			tui_said_draw(t, r);
		if (t->screen.rows > 2)
			draw_status(t, 0);
		if (t->screen.rows > 1)
			grid_text(&t->screen.grid, t->screen.rows > 2 ? 1 : 0, 0, t->screen.cols, 0,
				  "too small for panes", theme_look(STYLE_NOTE));
	} else {
		draw_panes(t);
		tui_card_draw(t);
		tui_overlay_draw(t);
		if (lines > 1)
			draw_messages(t, (struct rect){ top, 0, lines - 1, t->screen.cols });
		draw_status(t, top - 1);
	}
	*y = t->screen.rows - 1 - hint;
	*x = draw_prompt(t, *y);
	if (hint && t->last.text && t->last.fresh && !t->last.fits && (t->last.failed || t->panes.focus))
		draw_last(t, t->screen.rows - 1, 1); /* in full until the next key */
	else if (hint)
		tui_hints_draw(t, t->screen.rows - 1);
	tui_menu_draw(t, *y, *x > 8 ? *x - 8 : 0);
	tui_actions_draw(t, *y);
	if (t->panes.focus && (t->panes.focus->shown || t->panes.focus == t->over.pane) &&
	    t->prompt.kind == PROMPT_COMMAND)
		pane_cursor(t->panes.focus, y, x);
}

void tui_paint(struct tui *t)
{
	struct err err;
	int y, x;

	if (!term_live())
		return;
	if (term_size(&t->screen.rows, &t->screen.cols) || !t->screen.grid.now ||
	    t->screen.grid.rows != t->screen.rows || t->screen.grid.cols != t->screen.cols) {
		grid_resize(&t->screen.grid, t->screen.rows, t->screen.cols);
		t->screen.repaint = true;
		tui_layout(t, t->layouts.name, &err);
		tui_place(t);
	}
	tui_place_output(t);
	t->screen.grid.ascii = !term_utf8();
	draw_all(t, &y, &x);
	term_send(&t->screen.grid, y, x, t->screen.repaint);
	if (editor_beeped(t->prompt.editor))
		term_beep();
	t->screen.repaint = t->screen.dirty = false;
}
