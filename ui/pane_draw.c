/* SPDX-License-Identifier: BSD-3-Clause */
/* Panes drawn into cells: title, rows with their signs, what a search found.  Changes no pane but its column widths,
   which only grow so that text does not jump. */
#include "config.h"
#include "ui/pane.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/val.h"
#include "ui/console.h"

enum { GUTTER = 3, WIDEST = 44, LEAST_LAST = 16 };

/* Words that views use for what is a sign on a screen. */
static const char *sign_text(const char *s)
{
	static const struct {
		const char *word;
		enum sign sign;
	} words[] = {
		{ "open", SIGN_OPEN }, { "shut", SIGN_SHUT }, { "from down", SIGN_FROM_DOWN },
		{ "from up", SIGN_FROM_UP }, { "pass", SIGN_PASS }, { "to down", SIGN_TO_DOWN },
		{ "to up", SIGN_TO_UP },
	};
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (!strcmp(words[i].word, s))
			return theme_sign(words[i].sign);
	return s;
}

static const char *cell_text(const struct rows *r, size_t row, int c, char *room, size_t size)
{
	const struct val *v = r->cell[row * (size_t)r->ncols + (size_t)c].v;
	const char *name = r->ops->cols[c].name;

	if (!v)
		return "";
	switch (v->type) {
	case VAL_STR:
		return !strcmp(name, "fold") || !strcmp(name, "jump") ? sign_text(v->u.s) : v->u.s;
	case VAL_INT:
		snprintf(room, size, "%lld", v->u.i);
		return room;
	case VAL_REAL:
		snprintf(room, size, "%g", v->u.r);
		return room;
	case VAL_BOOL:
		return v->u.b ? "yes" : "no";
	default:
		return "";
	}
}

static bool column_shown(const struct rows *r, int c)
{
	return c < PANE_COLS && !r->ops->cols[c].machine_only;
}

/* Of what is seen: a long name far below takes no room here. */
static void measure(struct pane *p)
{
	const struct rows *r = p->rows;
	size_t from = p->top > r->first ? p->top - r->first : 0, to = from + (size_t)pane_height(p), i;
	char room[32];
	int c, w;

	if (to > r->n)
		to = r->n;

	for (c = 0; c < r->ncols; c++)
		for (i = from; column_shown(r, c) && i < to; i++) {
			w = (int)text_width(cell_text(r, i, c, room, sizeof(room)));
			w = w < WIDEST ? w : WIDEST;
			if (w > p->width[c])
				p->width[c] = w;
		}
}

/* Widths of the columns in `room` columns; one of them, the wide or the last one, takes what is left. */
static void fit(const struct pane *p, int room, int *width, int *last)
{
	const struct rows *r = p->rows;
	int c, sum, worst, widest, least;

	for (c = 0; c < r->ncols && c < PANE_COLS; c++)
		width[c] = column_shown(r, c) ? p->width[c] : 0;
	for (;;) {
		sum = 0;
		worst = widest = *last = -1;
		for (c = 0; c < r->ncols && c < PANE_COLS; c++) {
			if (!width[c])
				continue;
			sum += width[c] + 1;
			if (r->ops->cols[c].drop && (worst < 0 || r->ops->cols[c].drop > r->ops->cols[worst].drop))
				worst = c;
			if (*last < 0 || !r->ops->cols[*last].wide)
				*last = c;
		}
		if (*last < 0)
			break;
		least = width[*last] < LEAST_LAST ? width[*last] : LEAST_LAST;
		if (sum - width[*last] - 1 + least <= room)
			break;
		for (c = 0; c < PANE_COLS; c++)
			if (c != *last && width[c] > 8 && (widest < 0 || width[c] > width[widest]))
				widest = c;
		if (worst >= 0)
			width[worst] = 0;
		else if (widest >= 0)
			width[widest] = width[widest] * 3 / 4;
		else
			break;
	}
	if (*last >= 0)
		width[*last] = room - (sum - width[*last] - 1) > 0 ? room - (sum - width[*last] - 1) : 0;
}

static struct look cell_look(const struct cell *c, unsigned marks)
{
	if (marks & MARK_DIM)
		return theme_look(STYLE_DIM);
	if (marks & MARK_ERROR && c->role == ROLE_TEXT)
		return theme_look(STYLE_ERROR);
	if (marks & MARK_CHANGED && c->role == ROLE_VALUE)
		return theme_look(STYLE_CHANGED);
	return theme_role(c->role);
}

static void draw_signs(struct grid *g, int y, int x, unsigned marks, bool linked, bool cursor)
{
	enum sign a = SIGN_COUNT, b = SIGN_COUNT;
	enum style sa = STYLE_BREAK, sb = STYLE_CURRENT;

	if (marks & MARK_BREAK)
		a = SIGN_BREAK;
	else if (marks & MARK_ERROR)
		a = SIGN_ERROR;
	else if (marks & MARK_CHANGED)
		a = SIGN_CHANGED, sa = STYLE_CHANGED;
	if (marks & MARK_CURRENT)
		b = SIGN_CURRENT;
	else if (marks & MARK_OPERAND)
		b = SIGN_OPERAND, sb = STYLE_CHANGED;
	else if (linked)
		b = SIGN_LINKED, sb = STYLE_NOTE;
	else if (cursor)
		b = SIGN_CURSOR, sb = STYLE_NOTE;
	if (a != SIGN_COUNT)
		grid_text(g, y, x, 1, 0, theme_sign(a), theme_look(sa));
	if (b != SIGN_COUNT)
		grid_text(g, y, x + 1, 1, 0, theme_sign(b), theme_look(sb));
}

static void draw_row(struct pane *p, struct grid *g, int y, size_t i, const int *width, int last)
{
	const struct rows *r = p->rows;
	const struct cell *cell = &r->cell[i * (size_t)r->ncols];
	int x = p->rect.x + GUTTER, right = p->rect.x + p->rect.w, c, w, used, skip = p->left, pad;
	unsigned marks = r->mark[i] | (p->changed && p->changed[i] ? MARK_CHANGED : 0);
	char room[32];
	const char *s;

	for (c = 0; c < r->ncols && c < PANE_COLS && x < right; c++) {
		if (!width[c])
			continue;
		s = cell_text(r, i, c, room, sizeof(room));
		w = width[c] < right - x ? width[c] : right - x;
		used = (int)text_width(s);
		pad = cell[c].v && cell[c].v->type == VAL_INT && c != last && used < w ? w - used : 0;
		if (c == last)
			grid_text(g, y, x, w, skip, s, cell_look(&cell[c], marks));
		else
			grid_text(g, y, x + pad, w - pad, 0, s, cell_look(&cell[c], marks));
		if (used > w && w > 1 && !(c == last && skip))
			grid_text(g, y, x + w - 1, 1, 0, theme_sign(SIGN_MORE), theme_look(STYLE_DIM));
		x += w + 1;
	}
}

static bool match_at(const struct grid *g, int y, int x, int right, const char *match)
{
	uint32_t c;

	while (*match) {
		match += text_decode(match, &c);
		if (x >= right || g->now[y * g->cols + x].c != c)
			return false;
		x += text_char_width(c) == 2 ? 2 : 1;
	}
	return true;
}

/* Every place of `match` in what is drawn of the row. */
static void tint_matches(struct grid *g, int y, int x, int w, const char *match)
{
	int n = (int)text_width(match), at;

	for (at = x; n && at + n <= x + w; at++)
		if (match_at(g, y, at, x + w, match))
			grid_tint(g, y, at, n, theme_look(STYLE_MATCH), true);
}

static void draw_rows(struct pane *p, struct grid *g, const struct pane_draw *d)
{
	int width[PANE_COLS] = { 0 }, last = -1, i, y;
	bool linked, cursor;
	unsigned marks;
	long at;

	measure(p);
	fit(p, p->rect.w - GUTTER, width, &last);
	for (i = 0; i < pane_height(p); i++) {
		y = p->rect.y + 1 + i;
		at = pane_index(p, p->top + (size_t)i);
		if (at < 0)
			continue;
		draw_row(p, g, y, (size_t)at, width, last);
		linked = d->link && pane_linked(p, (size_t)at, d->link);
		cursor = d->focus && p->cursor == p->top + (size_t)i;
		marks = p->rows->mark[at] | (p->changed && p->changed[at] ? MARK_CHANGED : 0);
		draw_signs(g, y, p->rect.x, marks, linked, cursor);
		if (linked)
			grid_tint(g, y, p->rect.x, p->rect.w, theme_look(STYLE_ROW_LINKED), false);
		if (marks & MARK_CURRENT)
			grid_tint(g, y, p->rect.x, p->rect.w, theme_look(STYLE_ROW_CURRENT), false);
		if (cursor)
			grid_tint(g, y, p->rect.x, p->rect.w, theme_look(STYLE_ROW_CURSOR), false);
		if (d->match)
			tint_matches(g, y, p->rect.x + GUTTER, p->rect.w - GUTTER, d->match);
	}
}

static void draw_lines(struct pane *p, struct grid *g, const struct pane_draw *d)
{
	struct buf b = { 0 };
	int i, y;

	for (i = 0; i < pane_height(p); i++) {
		size_t row = p->top + (size_t)i;

		if (row >= pane_total(p))
			break;
		y = p->rect.y + 1 + i;
		if (p->kind == PANE_OUTPUT) {
			console_draw(g, y, p->rect.x, p->rect.w, p->left, console_line(row), d->colours);
		} else {
			pane_row_text(p, row, &b);
			grid_text(g, y, p->rect.x + 1, p->rect.w - 1, p->left, buf_str(&b), theme_look(STYLE_TEXT));
		}
		if (d->match)
			tint_matches(g, y, p->rect.x, p->rect.w, d->match);
		if (d->focus && row == p->cursor && p->free)
			grid_tint(g, y, p->rect.x, p->rect.w, theme_look(STYLE_ROW_CURSOR), false);
	}
	buf_release(&b);
}

static void draw_title(struct pane *p, struct grid *g, const struct pane_draw *d)
{
	struct look look = theme_look(d->focus ? STYLE_TITLE_FOCUS : STYLE_TITLE), line = theme_look(STYLE_LINE);
	char right[80];
	const char *title = p->rows && p->rows->title && !p->error ? p->rows->title : NULL;
	int x = p->rect.x, w = p->rect.w, n, total = (int)pane_total(p), h = pane_height(p);

	grid_fill(g, (struct rect){ p->rect.y, x, 1, w }, theme_sign_char(SIGN_HLINE), line);
	n = grid_text(g, p->rect.y, x, w, 0, d->focus ? "[" : " ", look);
	n += grid_text(g, p->rect.y, x + n, w - n, 0, p->name, look);
	n += grid_text(g, p->rect.y, x + n, w - n, 0, d->focus ? "]" : " ", look);
	if (title && n + 4 < w) {
		n += grid_text(g, p->rect.y, x + n, w - n - 2, 0, " ", theme_look(STYLE_TITLE));
		n += grid_text(g, p->rect.y, x + n, w - n - 2, 0, title, theme_look(STYLE_TITLE));
		n += grid_text(g, p->rect.y, x + n, w - n - 1, 0, " ", theme_look(STYLE_TITLE));
	}
	if (d->aside)
		snprintf(right, sizeof(right), " %s ", d->aside);
	else if (total > h && h > 0)
		snprintf(right, sizeof(right), " %d-%d of %d ", (int)p->top + 1,
			 (int)p->top + h < total ? (int)p->top + h : total, total);
	else
		return;
	total = (int)text_width(right);
	if (n + total + 2 <= w)
		grid_text(g, p->rect.y, x + w - total - 1, total, 0, right, theme_look(STYLE_DIM));
}

static void draw_wrapped(struct pane *p, struct grid *g, const char *s)
{
	int w = p->rect.w - GUTTER, i;
	size_t n, cut;

	for (i = 0; *s && w > 0 && i < pane_height(p); i++) {
		n = text_fit(s, (size_t)w);
		if (!n)
			break;
		if (s[n]) {                          /* between words, where there are any */
			for (cut = n; cut > n / 2 && s[cut] != ' '; cut--)
				;
			n = cut > n / 2 ? cut : n;
		}
		grid_text_n(g, p->rect.y + 1 + i, p->rect.x + GUTTER, w, 0, s, n, theme_look(STYLE_DIM));
		s += n;
		s += strspn(s, " ");
	}
}

void pane_draw(struct pane *p, struct grid *g, const struct pane_draw *d)
{
	const char *say = NULL;
	char text[160];

	pane_settle(p);
	draw_title(p, g, d);
	if (pane_height(p) <= 0)
		return;
	if (p->kind != PANE_VIEW) {
		draw_lines(p, g, d);
		return;
	}
	if (!p->view) {
		snprintf(text, sizeof(text), "not available: no view '%s' here", p->name);
		say = text;
	} else if (p->error) {
		say = p->error;
	} else if (!p->rows) {
		say = "";
	} else if (!p->rows->n) {
		say = p->view->none ? p->view->none : "nothing to show";
	}
	if (say)
		draw_wrapped(p, g, say);
	else
		draw_rows(p, g, d);
}

void pane_cursor(const struct pane *p, int *y, int *x)
{
	size_t row = p->cursor >= p->top ? p->cursor - p->top : 0;

	*y = p->rect.y + 1 + (int)row;
	*x = p->rect.x;
	if (p->kind == PANE_OUTPUT && !p->free)
		*x = p->rect.x + (console_cursor() < p->rect.w ? console_cursor() : p->rect.w - 1);
	else if (p->kind == PANE_VIEW)
		*x = p->rect.x + 1;
	if (*y >= p->rect.y + p->rect.h)
		*y = p->rect.y + p->rect.h - 1;
}
