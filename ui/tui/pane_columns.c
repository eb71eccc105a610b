/* SPDX-License-Identifier: BSD-3-Clause */
/* The columns of a pane's rows: texts of cells, and how wide each column is.  Draws nothing. */
#include "config.h"
#include "ui/tui/pane_columns.h"
#include <stdio.h>
#include <string.h>
#include "base/val.h"
#include "base/visible.h"
#include "view/render.h"

enum { WIDEST = 44, LEAST_LAST = 16, GOOD_LAST = 18, GOOD_TEXT = WIDEST, SHORT_FILE = 16, HEAD_LEAST = 5 };

/* Replaces the words in a column of signs by the signs. */
static const char *sign_text(const char *s, char *room, size_t size)
{
	size_t n, used = 0;

	*room = '\0';
	for (; *s && used < size; s += n, s += strspn(s, " ")) {
		n = strcspn(s, " ");
		/* "from down" is one */
		if (!strncmp(s, "from ", 5) || !strncmp(s, "to ", 3))
			n += 1 + strcspn(s + n + 1, " ");
		used += (size_t)snprintf(room + used, size - used, "%s", theme_sign_named(s, n));
	}
	return room;
}

bool columns_is_file(const struct rows *r, int c)
{
	return !strcmp(r->ops->cols[c].name, "file");
}

const char *columns_text(const struct rows *r, size_t row, int c, char *room, size_t size)
{
	size_t k = row * (size_t)r->ncols + (size_t)c;
	const struct val *v = r->cell[k].v;

	if (k < r->nshown && r->shown[k])
		return visible(r->shown[k]);
	if (!v)
		return "";
	switch (v->type) {
	case VAL_STR:
		return r->ops->cols[c].signs ? sign_text(v->u.s, room, size) :
		       columns_is_file(r, c) ? render_file(v->u.s) :
					       visible(v->u.s);
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

bool columns_shown(const struct view_col *col)
{
	return !col->machine_only && !col->heading && view_col_text(col);
}

bool columns_searched(const struct view_col *col)
{
	return !col->machine_only && !col->signs && view_col_text(col);
}

void columns_measure(struct pane *p)
{
	const struct rows *r = p->rows;
	size_t from = p->top > r->first ? p->top - r->first : 0, to = from + (size_t)pane_height(p), i;
	int c, w, heading = PANE_COLS, wide = r->ncols;
	char room[64];

	if (to > r->n)
		to = r->n;
	for (c = 0; c < r->ncols; c++) {
		heading = r->ops->cols[c].heading ? c : heading;
		wide = r->ops->cols[c].wide ? c : wide;
	}
	for (c = 0; c < r->ncols && c < PANE_COLS; c++) {
		for (i = from; columns_shown(&r->ops->cols[c]) && i < to; i++) {
			if (c > heading && c <= wide && r->mark[i] & MARK_HEAD)
				continue;
			w = (int)text_width(columns_text(r, i, c, room, sizeof(room)));
			w = w < WIDEST ? w : WIDEST;
			if (w > p->width[c])
				p->width[c] = w;
		}
	}
}

/* Widths that have room for the columns' names, too, at most so many columns for each; the sum of all.  A name begins
   above the signs before its column if it is longer. */
static int widen_to_heads(const struct pane *p, int most, int *width)
{
	const struct view_col *cols = p->rows->ops->cols;
	int c, w, sum = 0, before = GUTTER - 1;

	for (c = 0; c < p->rows->ncols && c < PANE_COLS; c++) {
		width[c] = columns_shown(&cols[c]) ? p->width[c] : 0;
		if (!width[c])
			continue;
		w = p->heads && !cols[c].signs ? (int)strlen(cols[c].name) : 0;
		w = (w < most ? w : most) - before;
		width[c] = w > width[c] ? w : width[c];
		sum += width[c] + 1;
		before = cols[c].signs ? before + width[c] + 1 : 0;
	}
	return sum - 1;
}

/* Columns that were made narrower than their cells get what the last one does not need. */
static void widen_cut(const struct pane *p, const int *whole, int room, int *width, int last)
{
	int c, left = room + 1;

	for (c = 0; c < p->rows->ncols && c < PANE_COLS; c++)
		left -= width[c] ? width[c] + 1 : 0;
	for (c = 0; c < p->rows->ncols && c < PANE_COLS && left > 0; c++) {
		if (!width[c] || c == last || width[c] >= whole[c])
			continue;
		left -= whole[c] - width[c];
		width[c] = whole[c] + (left < 0 ? left : 0);
	}
}

void columns_fit(const struct pane *p, int room, int *width, int *last)
{
	const struct rows *r = p->rows;
	int c, sum, worst, widest, final, least, heading = -1, whole[PANE_COLS];

	for (c = 0; c < r->ncols && c < PANE_COLS; c++)
		heading = r->ops->cols[c].heading ? c : heading;
	if (widen_to_heads(p, PANE_COLS, width) > room) /* cells count more than the names of columns */
		widen_to_heads(p, HEAD_LEAST, width);
	memcpy(whole, width, sizeof(whole));
	for (;;) {
		sum = 0;
		worst = widest = final = *last = -1;
		for (c = 0; c < r->ncols && c < PANE_COLS; c++) {
			if (!width[c])
				continue;
			sum += width[c] + 1;
			if (r->ops->cols[c].drop == DROP_LAST)
				final = c;
			else if (r->ops->cols[c].drop && (worst < 0 || r->ops->cols[c].drop > r->ops->cols[worst].drop))
				worst = c;
			if (*last < 0 || !r->ops->cols[*last].wide)
				*last = c;
		}
		if (*last < 0)
			break;
		least = worst < 0 ? LEAST_LAST : r->ops->cols[worst].drop >= DROP_FOR_TEXT ? GOOD_TEXT : GOOD_LAST;
		least = width[*last] < least ? width[*last] : least;
		if (sum - width[*last] - 1 + least <= room)
			break;
		for (c = 0; c < PANE_COLS; c++)
			if (c != *last && width[c] > 8 && (widest < 0 || width[c] > width[widest]))
				widest = c;
		if (worst >= 0)
			width[worst] = columns_is_file(r, worst) && width[worst] > SHORT_FILE ? SHORT_FILE : 0;
		else if (widest >= 0)
			width[widest] = width[widest] * 3 / 4;
		else if (final >= 0 && sum - width[*last] - 1 + (least < HEAD_LEAST ? least : HEAD_LEAST) > room)
			width[final] = 0;
		else
			break;
	}
	if (*last >= 0) {
		widen_cut(p, whole, room, width, *last);
		for (c = sum = 0; c < r->ncols && c < PANE_COLS; c++)
			sum += width[c] ? width[c] + 1 : 0;
	}
	if (*last > heading) /* else only headings are in sight, and need the room */
		width[*last] = room - (sum - width[*last] - 1) > 0 ? room - (sum - width[*last] - 1) : 0;
}

int columns_cut(const struct pane *p, const int *width, int last, int *most)
{
	const struct rows *r = p->rows;
	size_t from = p->top > r->first ? p->top - r->first : 0, to = from + (size_t)pane_height(p), i;
	int c, found = last, hidden;
	char room[64];

	*most = 0;
	for (c = 0; c < r->ncols && c < PANE_COLS; c++)
		for (i = from; width[c] && i < to && i < r->n; i++) {
			hidden = (int)text_width(columns_text(r, i, c, room, sizeof(room))) - width[c];
			if (hidden > *most && !(r->mark[i] & MARK_HEAD)) {
				*most = hidden;
				found = c;
			}
		}
	return found;
}
