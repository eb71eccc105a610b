/* SPDX-License-Identifier: BSD-3-Clause */
/* Draws popups into cells.  Knows no key and no list of its own. */
#include "config.h"
#include "ui/tui/popup.h"
#include <stdio.h>
#include <string.h>
#include "base/buf.h"
#include "base/val.h"
#include "ui/term/theme.h"

enum { TEXT_MAX = 40, ABOVE = 4, LEAST_ROWS = 3, LEAST_WIDTH = 12 };

static const char *popup_text(const struct val *list, size_t i)
{
	return list->u.list.item[i]->u.s;
}

static size_t popup_split(const char *s)
{
	return strcspn(s, "\t");
}

/* A row of the popup that is cut, in full, above row r.y. */
static void draw_whole(struct grid *g, const char *s, struct rect r)
{
	struct look look = theme_look(STYLE_POPUP_ON);
	struct buf b = { 0 };
	const char *p;
	int rows = 0;
	size_t n = popup_split(s);

	buf_add(&b, s, n);
	if (s[n])
		buf_addf(&b, "  %s", s + n + 1);
	for (p = buf_str(&b); *p; p += strspn(p, " "), rows++)
		p += text_break(p, strlen(p), (size_t)r.w - 2);
	rows = rows < r.y ? rows : r.y;
	for (p = buf_str(&b); *p && rows > 0; p += n, p += strspn(p, " "), rows--) {
		n = rows > 1 ? text_break(p, strlen(p), (size_t)r.w - 2) : text_fit(p, (size_t)r.w - 2);
		grid_fill(g, (struct rect){ r.y - rows, r.x, 1, r.w }, ' ', look);
		grid_text_n(g, r.y - rows, r.x + 1, r.w - 2, 0, p, n, look);
	}
	buf_release(&b);
}

static int popup_widest(const struct val *list, bool text)
{
	size_t i;
	int w = 0, k;

	for (i = 0; i < list->u.list.n; i++) {
		const char *s = popup_text(list, i);
		size_t n = popup_split(s);

		k = text ? (int)grid_text_width(s, n) : s[n] ? (int)text_width(s + n + 1) : 0;
		w = k > w ? k : w;
	}
	return w;
}

/* Draws a row into r, its text in `text` columns; true: it is cut. */
static bool draw_popup_row(struct grid *g, const char *s, struct rect r, int text, struct look look)
{
	size_t len = popup_split(s);
	bool cut = (int)grid_text_width(s, len) > text, about = s[len] && (int)text_width(s + len + 1) > r.w - text - 4;

	grid_fill(g, r, ' ', look);
	grid_text_n(g, r.y, r.x + 1, text, 0, s, len, look);
	if (cut)
		grid_text(g, r.y, r.x + text, 1, 0, theme_sign(SIGN_MORE), look);
	if (s[len] && r.x + text + 3 < g->cols)
		grid_text(g, r.y, r.x + text + 3, r.w - text - 4, 0, s + len + 1, look);
	if (about && r.w > 1)
		grid_text(g, r.y, r.x + r.w - 2, 1, 0, theme_sign(SIGN_MORE), look);
	return cut || about;
}

/* Scrolls the chosen row into the rows that are drawn. */
static void scroll_to_chosen(long chosen, long *top, int rows)
{
	if (chosen >= 0 && chosen < *top)
		*top = chosen;
	if (chosen >= *top + rows)
		*top = chosen - rows + 1;
}

int popup_draw(struct grid *g, const struct val *list, long chosen, long *top, int bottom, int x)
{
	int n = (int)list->u.list.n, rows, i, w, text, about;
	bool cut = false;
	char count[32];

	rows = n < POPUP_ROWS ? n : POPUP_ROWS;
	if (rows > bottom - ABOVE) /* there the count is, and a row that is cut in full */
		rows = bottom - ABOVE < LEAST_ROWS ? LEAST_ROWS : bottom - ABOVE;
	rows = rows < n ? rows : n;
	rows = rows < bottom ? rows : bottom;
	scroll_to_chosen(chosen, top, rows);
	text = popup_widest(list, true);
	text = text < TEXT_MAX ? text : TEXT_MAX;
	about = popup_widest(list, false);
	w = text + 2 + (about ? about + 2 : 0);
	w = w < LEAST_WIDTH ? LEAST_WIDTH : w;
	w = w < g->cols ? w : g->cols;
	x = x + w > g->cols ? g->cols - w : x;
	for (i = 0; i < rows; i++) {
		long at = *top + i;
		bool on = at == chosen;
		struct rect r = { bottom - rows + i, x, 1, w };

		if (draw_popup_row(g, popup_text(list, (size_t)at), r, text,
				   theme_look(on ? STYLE_POPUP_ON : STYLE_POPUP)) &&
		    on)
			cut = true;
	}
	snprintf(count, sizeof(count), " %ld/%d ", chosen + 1, n);
	if (n > rows && bottom > rows)
		grid_text(g, bottom - rows - 1, x + w - (int)strlen(count), (int)strlen(count), 0, count,
			  theme_look(STYLE_POPUP_ON));
	if (cut)
		draw_whole(g, popup_text(list, (size_t)chosen), (struct rect){ bottom - rows - (n > rows), x, 0, w });
	return rows;
}
