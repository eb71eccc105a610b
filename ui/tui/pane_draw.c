/* SPDX-License-Identifier: BSD-3-Clause */
/* Draws panes into cells: title, rows with their signs, matches of a search.  Changes only the column widths of a
   pane, which never shrink, so that text does not jump. */
#include "config.h"
#include "ui/tui/pane.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/val.h"
#include "base/visible.h"
#include "ui/output/console.h"
#include "ui/term/cut_text.h"
#include "ui/tui/pane_columns.h"

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
	else if (marks & MARK_OFF)
		a = SIGN_BREAK_OFF, sa = STYLE_DIM;
	else if (marks & MARK_ERROR)
		a = SIGN_ERROR;
	else if (marks & MARK_CHANGED)
		a = SIGN_CHANGED, sa = STYLE_CHANGED;
	if (marks & MARK_CURRENT)
		b = SIGN_CURRENT;
	else if (marks & MARK_OPERAND)
		b = SIGN_OPERAND, sb = STYLE_CHANGED;
	else if (cursor)
		b = SIGN_CURSOR, sb = STYLE_NOTE;
	if (a != SIGN_COUNT)
		grid_text(g, y, x, 1, 0, theme_sign(a), theme_look(sa));
	if (b != SIGN_COUNT)
		grid_text(g, y, x + 1, 1, 0, theme_sign(b), theme_look(sb));
	if (linked)
		grid_text(g, y, x + 2, 1, 0, theme_sign(SIGN_LINKED), theme_look(STYLE_NOTE));
}

/* Is it one name, with enough room for both of its ends? */
static bool cell_is_name(const char *s, int w)
{
	return w >= 16 && !strpbrk(s, " (");
}

/* The mark of text that does not end in this column. */
static void draw_more(struct grid *g, int y, int x)
{
	grid_text(g, y, x, 1, 0, theme_sign(SIGN_MORE), theme_look(STYLE_DIM));
}

/* Marks the ends of a text that are out of sight: `skip` columns of it are to the left of its w columns. */
static void draw_ends(struct grid *g, int y, int x, int w, int skip, const char *s)
{
	int used = skip || w > 1 ? (int)text_width(s) : 0;

	if (skip && used && w > 0)
		draw_more(g, y, x);
	if (used - skip > w && w > 1)
		draw_more(g, y, x + w - 1);
}

static void draw_cell(struct grid *g, int y, int x, int w, int skip, const char *s, struct look look)
{
	grid_text(g, y, x, w, skip, s, look);
	draw_ends(g, y, x, w, skip, s);
}

/* The kind of token of each byte in row i, if it is known and the text is drawn unchanged; else NULL. */
static const char *syntax_of(const struct rows *r, size_t i, int c, const char *drawn)
{
	const struct cell *cell = &r->cell[i * (size_t)r->ncols];
	int k;

	if (strcmp(r->ops->cols[c].name, "text") || !cell[c].v || cell[c].v->type != VAL_STR || drawn != cell[c].v->u.s)
		return NULL;
	for (k = r->ncols - 1; k > c; k--)
		if (!strcmp(r->ops->cols[k].name, "syntax"))
			return cell[k].v && cell[k].v->type == VAL_STR && strlen(cell[k].v->u.s) == strlen(drawn) ?
				       cell[k].v->u.s :
				       NULL;
	return NULL;
}

/* A line of source in colours. */
static void draw_source(struct grid *g, int y, int x, int w, int skip, const char *s, const char *kinds)
{
	grid_text_kinds(g, y, x, w, skip, s, kinds, theme_syntax);
	draw_ends(g, y, x, w, skip, s);
}

/* A name that is too long, without its middle. */
static void draw_name(struct grid *g, int y, int x, int w, const char *s, struct look look)
{
	int head = (w - 1) / 2, tail = w - 1 - head;

	grid_text_n(g, y, x, head, 0, s, text_fit(s, (size_t)head), look);
	draw_more(g, y, x + head);
	grid_text(g, y, x + head + 1, tail, 0, s + text_fit(s, text_width(s) - (size_t)tail), look);
}

/* A heading extends to the end of the wide column; the text after its tab is aligned there. */
static void draw_heading(struct grid *g, int y, int x, int w, const struct cell *cell, unsigned marks)
{
	const char *s = cell->v->u.s, *tab = strchr(s, '\t');
	struct look look = cell_look(cell, marks);
	int right = tab ? (int)text_width(tab + 1) : 0;

	size_t n = tab ? (size_t)(tab - s) : strlen(s);
	char *text = mem_strn(s, n);
	int room;

	if (right && w < right + 12)
		right = 0;
	room = w - right - (right > 0);
	if ((int)text_width(text) > room && cell_is_name(text, room))
		draw_name(g, y, x, room, text, look);
	else
		draw_cell(g, y, x, room, 0, text, look);
	free(text);
	if (right)
		grid_text(g, y, x + w - right, right, 0, tab + 1, theme_look(STYLE_DIM));
}

/* Text that is too long continues where the columns after it are empty. */
static bool is_blank(const struct rows *r, size_t i, int c)
{
	const struct val *v = r->cell[i * (size_t)r->ncols + (size_t)c].v;

	return !pane_columns_shown(&r->ops->cols[c]) || !v || (v->type == VAL_STR && !*v->u.s);
}

static bool is_heading(const struct rows *r, size_t i, int c)
{
	const struct val *v = r->cell[i * (size_t)r->ncols + (size_t)c].v;

	return r->ops->cols[c].heading && r->mark[i] & MARK_HEAD && v && v->type == VAL_STR;
}

static void draw_row(struct pane *p, struct grid *g, int y, size_t i, const int *width, int last, int scrolled)
{
	const struct rows *r = p->rows;
	const struct cell *cell = &r->cell[i * (size_t)r->ncols];
	int x = p->rect.x + GUTTER, right = p->rect.x + p->rect.w, c, k, w, used, skip = r->ops->scrolls ? 0 : p->left,
	    pad;
	unsigned marks = r->mark[i] | (p->changed && p->changed[i] ? MARK_CHANGED : 0);
	char room[64];
	const char *s, *kinds;

	for (c = 0; c < r->ncols && c < PANE_COLS && x < right; c++) {
		if (is_heading(r, i, c)) {
			for (k = c, w = 0; k <= last; k++)
				w += width[k] ? width[k] + 1 : 0;
			w = w ? w : right - x + 1; /* only headings are in sight */
			draw_heading(g, y, x, (w - 1 < right - x ? w - 1 : right - x), &cell[c], marks);
			x += w;
			c = last;
			continue;
		}
		if (!width[c])
			continue;
		s = pane_columns_text(r, i, c, room, sizeof(room));
		w = width[c];
		used = (int)text_width(s);
		for (k = c + 1; used > w && k < r->ncols && k < PANE_COLS && is_blank(r, i, k); k++)
			w += width[k] ? width[k] + 1 : 0;
		w = w < right - x ? w : right - x;
		pad = cell[c].v && cell[c].v->type == VAL_INT && c != last && used < w ? w - used : 0;
		kinds = marks & MARK_DIM ? NULL : syntax_of(r, i, c, s);
		if (kinds)
			draw_source(g, y, x, w, c == scrolled ? skip : 0, s, kinds);
		else if (used > w && !skip &&
			 (pane_columns_is_file(r, c) ? w > 2 : cell[c].role == ROLE_NAME && cell_is_name(s, w)))
			draw_name(g, y, x, w, s, cell_look(&cell[c], marks));
		else
			draw_cell(g, y, x + pad, w - pad, c == scrolled ? skip : 0, s, cell_look(&cell[c], marks));
		x += w + 1;
		c = k - 1;
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

/* Marks every match in the visible part of the row. */
static void tint_matches(struct grid *g, int y, int x, int w, const char *match)
{
	int n = (int)text_width(match), at;

	for (at = x; n && at + n <= x + w; at++)
		if (match_at(g, y, at, x + w, match))
			grid_tint(g, y, at, n, theme_look(STYLE_MATCH), true);
}

/* The names of the columns. */
static void draw_heads(const struct pane *p, struct grid *g, const int *width)
{
	const struct view_col *cols = p->view->cols;
	int c, x = p->rect.x + GUTTER, right = p->rect.x + p->rect.w, before = GUTTER - 1, more;

	for (c = 0; c < PANE_COLS && cols[c].name && x < right; c++) {
		if (!width[c])
			continue;
		if (!cols[c].signs) {
			more = p->rows && p->rows->heads.text && cols[c].wide ? 0 :
										(int)strlen(cols[c].name) - width[c];
			more = more < 0 ? 0 : more < before ? more : before;
			draw_cell(g, pane_y(p) - 1, x - more, more + (width[c] < right - x ? width[c] : right - x), 0,
				  p->rows && p->rows->heads.text && cols[c].wide ? p->rows->heads.text : cols[c].name,
				  theme_look(STYLE_DIM));
		}
		x += width[c] + 1;
		before = cols[c].signs ? before + width[c] + 1 : 0;
	}
}

/* ... where no row is in sight that has cells in them: as many as have room. */
static void draw_heads_alone(const struct pane *p, struct grid *g)
{
	const struct view_col *cols = p->view->cols;
	int c, width[PANE_COLS] = { 0 }, room = p->rect.w - GUTTER;

	for (c = 0; c < PANE_COLS && cols[c].name; c++)
		if (pane_columns_shown(&cols[c]) && !cols[c].signs && (!cols[c].drop || cols[c].drop == DROP_LAST) &&
		    (int)strlen(cols[c].name) <= room) {
			width[c] = (int)strlen(cols[c].name) + 1;
			room -= width[c] + 1;
		}
	draw_heads(p, g, width);
}

/* Marks the first or last row when rows that belong with the selected one are out of sight. */
static void draw_edges(const struct pane *p, struct grid *g, const struct pane_draw *d)
{
	int x = p->rect.x + GUTTER - 1, y = pane_y(p);
	struct pane_edges out;

	pane_edges(p, d->link, &out);
	if (out.above)
		grid_text(g, y, x, 1, 0, theme_sign(SIGN_ABOVE), theme_look(STYLE_NOTE));
	if (out.below)
		grid_text(g, y + pane_height(p) - 1, x, 1, 0, theme_sign(SIGN_BELOW), theme_look(STYLE_NOTE));
}

static void draw_rows(struct pane *p, struct grid *g, const struct pane_draw *d)
{
	int width[PANE_COLS] = { 0 }, last = -1, scrolled, hidden, i, y;
	bool linked, cursor;
	unsigned marks;
	long at;

	pane_columns_measure(p);
	pane_columns_fit(p, p->rect.w - GUTTER, width, &last);
	scrolled = p->left && !p->rows->ops->scrolls ? pane_columns_cut(p, width, last, &hidden) : last;
	if (p->heads && last >= 0 && !p->rows->ops->cols[last].signs)
		draw_heads(p, g, width);
	else if (p->heads)
		draw_heads_alone(p, g);
	for (i = 0; i < pane_height(p); i++) {
		y = pane_y(p) + i;
		at = pane_index(p, p->top + (size_t)i);
		if (at < 0)
			continue;
		draw_row(p, g, y, (size_t)at, width, last, scrolled);
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
	draw_edges(p, g, d);
}

static void draw_lines(struct pane *p, struct grid *g, const struct pane_draw *d)
{
	struct buf b = { 0 };
	int i, y, used;

	for (i = 0; i < pane_height(p); i++) {
		size_t row = p->top + (size_t)i;

		if (row >= pane_total(p))
			break;
		y = pane_y(p) + i;
		if (p->kind == PANE_OUTPUT) {
			pane_row_text(p, row, &b);
			used = console_draw(g, y, p->rect.x, p->rect.w, p->left, buf_str(&b), d->colours);
			if (p->left && used)
				draw_more(g, y, p->rect.x);
			if (used - p->left > p->rect.w)
				draw_more(g, y, p->rect.x + p->rect.w - 1);
		} else {
			pane_row_text(p, row, &b);
			draw_cell(g, y, p->rect.x + 1, p->rect.w - 1, p->left, buf_str(&b), theme_look(STYLE_TEXT));
		}
		if (d->match)
			tint_matches(g, y, p->rect.x, p->rect.w, d->match);
		if (d->focus && row == p->cursor && p->free)
			grid_tint(g, y, p->rect.x, p->rect.w, theme_look(STYLE_ROW_CURSOR), false);
	}
	buf_release(&b);
}

/* What a pane is about, in its title; the columns used. */
static int draw_about(struct grid *g, int y, int x, int w, const char *s, size_t len)
{
	char *text = mem_strn(s, len);
	int used = (int)text_width(text);

	if (used > w && cell_is_name(text, w)) /* the end of a path says more than its middle */
		draw_name(g, y, x, w, text, theme_look(STYLE_TITLE));
	else
		draw_cell(g, y, x, w, 0, text, theme_look(STYLE_TITLE));
	free(text);
	return used < w ? used : w;
}

/* In the title: "&text 7 of 52". */
static int draw_filter(const struct pane *p, struct grid *g, int y, int x, int w)
{
	char *text = mem_fmt(" &%s %zu of %zu ", p->filter.text, pane_total(p), p->filter.all);
	int n = cut_text(g, y, x, w > 0 ? w : 0, 0, text, theme_look(STYLE_NOTE));

	free(text);
	return n;
}

static void draw_title(struct pane *p, struct grid *g, const struct pane_draw *d)
{
	struct look look = theme_look(d->focus ? STYLE_TITLE_FOCUS : STYLE_TITLE), line = theme_look(STYLE_LINE);
	const char *title = p->about ? p->about : p->rows && p->rows->title && !p->error ? p->rows->title : "";
	const char *tab = p->about ? NULL : strrchr(title, '\t');
	int x = p->rect.x, y = p->rect.y, w = p->rect.w, n, k, total = (int)pane_total(p), h = pane_height(p);
	char number[16], place[48] = "";
	size_t len;

	if (d->aside)
		snprintf(place, sizeof(place), "%s", d->aside);
	else if (total > h && h > 0)
		snprintf(place, sizeof(place), "%d-%d/%d", (int)p->top + 1,
			 (int)p->top + h < total ? (int)p->top + h : total, total);
	grid_fill(g, (struct rect){ y, x, 1, w }, theme_sign_char(SIGN_HLINE), line);
	n = grid_text(g, y, x, w, 0, d->focus ? "[" : " ", look);
	if (p->number && p->number < 10) {
		snprintf(number, sizeof(number), "%d ", p->number);
		n += grid_text(g, y, x + n, w - n, 0, number, look);
	}
	n += grid_text(g, y, x + n, w - n, 0, p->name, look);
	n += grid_text(g, y, x + n, w - n, 0, d->focus ? "]" : " ", look);
	if (p->filter.text)
		n += draw_filter(p, g, y, x + n, w - n - 1);
	if (*title && title != tab && n + 4 < w) {
		k = w - n - 2 - (tab ? (int)text_width(tab + 1) + 6 : 0);
		if (p->kind == PANE_TEXT && *place && d->focus) /* the rest of an answer must not be missed */
			k -= (int)text_width(place) + 4;
		n += grid_text(g, y, x + n, w - n - 2, 0, " ", theme_look(STYLE_TITLE));
		k = k > 8 ? k : w - n - 2;
		len = tab ? (size_t)(tab - title) : strlen(title);
		n += draw_about(g, y, x + n, k, title, len);
		n += grid_text(g, y, x + n, w - n - 1, 0, " ", theme_look(STYLE_TITLE));
	}
	/* from the right: where the window is, then what the view says of itself, which counts more */
	if (tab && n + (int)text_width(place) + (int)text_width(tab + 1) + 8 > w && !d->aside)
		*place = '\0';
	for (k = 0, w--; k < 2; k++) {
		const char *s = k ? (tab ? tab + 1 : "") : place;
		int used = (int)text_width(s);

		if (!used || n + used + 4 > w)
			continue;
		grid_text(g, y, x + w - 1, 1, 0, " ", look);
		grid_text(g, y, x + w - 1 - used, used, 0, s, theme_look(STYLE_DIM));
		grid_text(g, y, x + w - 2 - used, 1, 0, " ", look);
		w -= used + 3;
	}
}

/* As much of it as has room: "PAST -14 instructions (call 3 of f, 2.1 ms ago): read-only, 'now' returns". */
static void draw_past(const struct pane *p, struct grid *g, const char *s)
{
	size_t n = strcspn(s, "\n"), open = strcspn(s, "("), close = strcspn(s, ")");
	char *text = mem_strn(s, n);

	if ((int)text_width(text) > p->rect.w - GUTTER && close < n) {
		free(text);
		text = mem_fmt("%.*s%.*s", (int)(open - 1), s, (int)(n - close - 1), s + close + 1);
	}
	if ((int)text_width(text) > p->rect.w - GUTTER)
		text[strcspn(text, ":")] = '\0';
	grid_text(g, p->rect.y + 1, p->rect.x + GUTTER, p->rect.w - GUTTER, 0, text, theme_look(STYLE_NOTE));
	free(text);
}

static void draw_wrapped(struct pane *p, struct grid *g, const char *s)
{
	int w = p->rect.w - GUTTER, i, top = pane_y(p);
	size_t n;

	for (i = 0; *s && w > 0 && i < pane_height(p); i++) {
		n = text_break(s, strlen(s), (size_t)w);
		grid_text_n(g, top + i, p->rect.x + GUTTER, w, 0, s, n, theme_look(STYLE_DIM));
		s += n;
		s += strspn(s, " ");
		if (*s && i + 1 == pane_height(p))
			draw_more(g, top + i, p->rect.x + p->rect.w - 1);
	}
}

void pane_draw(struct pane *p, struct grid *g, const struct pane_draw *d)
{
	const char *say = NULL;
	char text[160];

	pane_settle(p);
	draw_title(p, g, d);
	if (p->past && d->past)
		draw_past(p, g, d->past);
	if (pane_height(p) <= 0)
		return;
	if (p->kind != PANE_VIEW) {
		draw_lines(p, g, d);
		return;
	}
	if (!p->view) {
		snprintf(text, sizeof(text), "not available: no view '%s' here", p->name);
		say = d->told ? text : "";
	} else if (p->error) {
		say = p->error;
	} else if (!p->rows) {
		say = "";
	} else if (!p->rows->n && p->filter.text) {
		snprintf(text, sizeof(text), "no row has '%.60s': & and Enter show all rows", p->filter.text);
		say = text;
	} else if (!p->rows->n) {
		say = p->view->none ? p->view->none : "nothing to show";
	}
	if (say && p->heads && p->view)
		draw_heads_alone(p, g);
	if (say)
		draw_wrapped(p, g, say);
	else
		draw_rows(p, g, d);
}

void pane_cursor(const struct pane *p, int *y, int *x)
{
	size_t row = p->cursor >= p->top ? p->cursor - p->top : 0;

	*y = pane_y(p) + (int)row;
	*x = p->rect.x;
	if (p->kind == PANE_OUTPUT && !p->free)
		*x = p->rect.x + (console_cursor() < p->rect.w ? console_cursor() : p->rect.w - 1);
	else if (p->kind == PANE_VIEW)
		*x = p->rect.x + 1;
	if (*y >= p->rect.y + p->rect.h)
		*y = p->rect.y + p->rect.h - 1;
}
