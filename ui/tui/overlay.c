/* SPDX-License-Identifier: BSD-3-Clause */
/* Long answers: a text over the panes, or below them for a stop's card, that closes with the next command.  Keeps the
   last answers, so that they can be opened again or become a pane.  Posts no request. */
#include "config.h"
#include "ui/tui/overlay.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "ui/tui/tui.h"
#include "ui/tui/wrap.h"

enum { LEAST_W = 20 };

static bool is_help(const char *line)
{
	return !strncmp(line, "help", 4) || *line == '?' || !strncmp(line, "h ", 2);
}

static int width(const struct tui *t)
{
	return t->screen.cols - 2 > LEAST_W ? t->screen.cols - 2 : LEAST_W;
}

static void set_text(struct tui *t, struct pane *p, const struct long_answer *a)
{
	struct buf b = { 0 };

	if (a->table)
		wrap_table(a->text, width(t), &b);
	else
		wrap_text(a->text, width(t), is_help(a->line), &b);
	pane_set_text(p, buf_str(&b));
	buf_release(&b);
	free(p->about);
	p->about = mem_str(a->line);
}

static void remember_overlay(struct overlay *o, const char *line, const char *text, bool table)
{
	if (o->n == ANSWERS_KEPT) {
		free(o->answer[0].line);
		free(o->answer[0].text);
		memmove(o->answer, o->answer + 1, (ANSWERS_KEPT - 1) * sizeof(*o->answer));
		o->n--;
	}
	o->answer[o->n].table = table;
	o->answer[o->n].line = mem_str(line);
	o->answer[o->n++].text = mem_str(text);
}

static void wrap_answer(struct tui *t)
{
	struct overlay *o = &t->over;
	size_t top = o->pane->top;

	if (o->wrapped == t->screen.cols)
		return;
	set_text(t, o->pane, &o->answer[o->at]);
	o->pane->top = top;
	o->wrapped = t->screen.cols;
}

int tui_overlay_card_rows(struct tui *t, int rows)
{
	int n;

	if (!t->over.open || !t->over.card)
		return 0;
	wrap_answer(t);
	n = (int)pane_total(t->over.pane) + 1;
	return n < rows / 3 ? n : rows / 3;
}

static void place_overlay(struct tui *t)
{
	struct overlay *o = &t->over;
	struct rect all = t->layouts.area;
	int h;

	wrap_answer(t);
	h = (int)o->pane->nlines + 1;
	h = h < all.h ? h : all.h;
	o->pane->rect = (struct rect){ all.y + all.h - h, all.x, h, all.w };
	if (o->card) {
		h = tui_overlay_card_rows(t, all.h);
		o->pane->rect = (struct rect){ all.y + all.h - h, all.x, h, all.w };
	}
	pane_settle(o->pane);
}

static void open_answer(struct tui *t, int at)
{
	struct overlay *o = &t->over;

	if (!o->pane)
		o->pane = pane_new("answer", PANE_TEXT, NULL);
	o->at = at;
	o->wrapped = 0;
	o->pane->top = o->pane->cursor = 0;
	o->pane->left = 0;
	if (!o->open)
		o->from = t->panes.focus;
	o->open = true;
	o->pane->free = true;
	if (!o->card)
		t->panes.focus = o->pane;
	tui_place(t);
	place_overlay(t);
}

static int lines_of(const char *s)
{
	int n = *s != '\0';

	for (; *s; s++)
		n += *s == '\n' && s[1];
	return n;
}

/* Has the room for messages all of it, without a row of a table broken? */
static bool is_short(const struct tui *t, const struct answer *a)
{
	int rows = wrap_rows(a->text, t->screen.cols, is_help(a->line));

	return tui_small(t) || (rows < tui_line_rows(t) && (!a->table || rows == lines_of(a->text)));
}

static void show_over(struct tui *t, const char *line, const char *text, bool table)
{
	remember_overlay(&t->over, line, text, table);
	t->over.card = false;
	open_answer(t, t->over.n - 1);
}

void tui_answer(struct tui *t, const struct answer *a)
{
	/* the row itself shows the result */
	bool row = t->program.row_line && !strcmp(t->program.row_line, a->line);
	int n = a->table ? lines_of(a->text) : wrap_rows(a->text, width(t), is_help(a->line));

	if (is_short(t, a) || row) {
		if (!is_short(t, a))
			remember_overlay(&t->over, a->line, a->text, a->table);
		tui_say(t, a->failed ? STYLE_ERROR : STYLE_TEXT, a->text);
		return;
	}
	show_over(t, a->line, a->text, a->table);
	tui_sayf(t, STYLE_NOTE, "%d line%s of answer; M-a opens %s again", n, n == 1 ? "" : "s",
		 n == 1 ? "it" : "them");
}

void tui_overlay_row(struct tui *t, const char *title, const char *text)
{
	if (!tui_small(t))
		show_over(t, title, text, false);
}

void tui_overlay_card(struct tui *t, const char *text)
{
	enum { AROUND = 11 }; /* columns of the title's row that are not free: " answer  ", " ─" */
	size_t n = strcspn(text, "\n");
	char *title = mem_strn(text, n);
	bool whole = text[n] && (int)text_width(title) + AROUND <= t->screen.cols;

	if (!tui_small(t)) {
		remember_overlay(&t->over, title, whole ? text + n + 1 : text, false);
		t->over.card = true;
		open_answer(t, t->over.n - 1);
	}
	free(title);
}

int tui_overlay_again(struct tui *t, struct err *err)
{
	if (!t->over.n)
		return err_set(err, "no answer was longer than its room yet");
	t->over.card = false;
	open_answer(t, t->over.open && t->over.at > 0 ? t->over.at - 1 : t->over.n - 1);
	return 0;
}

void tui_overlay_close(struct tui *t)
{
	struct overlay *o = &t->over;

	if (!o->open)
		return;
	o->open = false;
	if (t->panes.focus == o->pane)
		t->panes.focus = o->from && (o->from->shown || t->panes.zoom) ? o->from : NULL;
	tui_search_leave(t);
	tui_filter_end(t);
	tui_place(t);
}

void tui_overlay_leave(struct tui *t)
{
	t->over.from = NULL;
	tui_overlay_close(t);
}

int tui_overlay_keep(struct tui *t, struct err *err)
{
	struct overlay *o = &t->over;
	struct pane *p;
	char name[32];

	if (!o->open)
		return err_set(err, "no answer is open: M-a opens the last one");
	snprintf(name, sizeof(name), "answer-%d", ++o->kept);
	p = pane_new(name, PANE_TEXT, NULL);
	set_text(t, p, &o->answer[o->at]);
	tui_overlay_close(t);
	tui_add_pane(t, p);
	tui_focus(t, p);
	tui_last(t, false, "kept as the pane %s", name);
	return 0;
}

/* The wheel scrolls what is under it, and closes nothing.  True: that was the answer. */
static bool wheel(struct overlay *o, const struct key *k)
{
	const struct rect *r = &o->pane->rect;
	bool turned = k->type == KEY_MOUSE && (k->button == 64 || k->button == 65);

	if (turned && k->row >= r->y && k->row < r->y + r->h)
		pane_scroll(o->pane, k->button == 64 ? -3 : 3);
	return turned && k->row >= r->y && k->row < r->y + r->h;
}

/* A card handles only paging and Esc; other keys go to the prompt or the focused pane. */
static bool card_key(struct tui *t, const struct key *k)
{
	struct overlay *o = &t->over;
	bool down = !strcmp(k->name, "PageDown");

	if (k->type == KEY_MOUSE)
		return wheel(o, k);
	if (down || !strcmp(k->name, "PageUp")) {
		pane_scroll(o->pane, down ? pane_height(o->pane) - 1 : 1 - pane_height(o->pane));
		return true;
	}
	tui_overlay_close(t);
	return !strcmp(k->name, "Esc");
}

bool tui_overlay_key(struct tui *t, const struct key *k)
{
	struct overlay *o = &t->over;

	if (!o->open || t->prompt.kind != PROMPT_COMMAND)
		return false;
	if (o->card)
		return card_key(t, k);
	if (wheel(o, k))
		return true;
	if (k->type == KEY_MOUSE && k->row >= o->pane->rect.y && k->row < o->pane->rect.y + o->pane->rect.h)
		return true;
	if (k->type == KEY_MOUSE && (k->button >= 64 || !k->press))
		return false;
	if (!strcmp(k->name, "Down") || !strcmp(k->name, "Up")) {
		pane_scroll(o->pane, *k->name == 'D' ? 1 : -1);
		return true;
	}
	if (!strcmp(k->name, "Space") || !strcmp(k->name, "Enter")) {
		pane_scroll(o->pane, *k->name == 'S' ? pane_height(o->pane) - 1 : 1);
		return true;
	}
	if (strcmp(k->name, "q") && k->type != KEY_MOUSE && k->c != 3)
		return false; /* it has the focus: what the key does acts on it */
	tui_overlay_close(t);
	return !strcmp(k->name, "q");
}

/* Two letters at once are a command: it is typed where the answer's command was.  The same one again is a key that is
   held down. */
void tui_overlay_typed(struct tui *t, const char *s, size_t n)
{
	if (t->over.open && t->prompt.kind == PROMPT_COMMAND && n > 1 && (unsigned char)s[0] > 32 && s[0] != '/' &&
	    (unsigned char)s[1] >= 32 && s[0] != s[1])
		tui_overlay_close(t);
}

void tui_overlay_draw(struct tui *t)
{
	struct pane_draw d = { .focus = !t->over.card, .match = t->search.match, .told = true };
	char aside[48];

	if (!t->over.open || tui_small(t))
		return;
	place_overlay(t);
	if (t->over.card && (int)pane_total(t->over.pane) > pane_height(t->over.pane)) {
		snprintf(aside, sizeof(aside), "M-a: all %zu lines", pane_total(t->over.pane));
		d.aside = aside;
	}
	grid_fill(&t->screen.grid, t->over.pane->rect, ' ', (struct look){ 0 });
	pane_draw(t->over.pane, &t->screen.grid, &d);
}

void tui_overlay_release(struct tui *t)
{
	struct overlay *o = &t->over;

	if (o->pane)
		pane_free(o->pane);
	while (o->n) {
		free(o->answer[--o->n].line);
		free(o->answer[o->n].text);
	}
}
