/* SPDX-License-Identifier: BSD-3-Clause */
/* The columns of a pane's rows: texts of cells, and how wide each column is.  Draws nothing. */
#include "config.h"
#include "ui/tui/pane_columns.h"
#include <stdio.h>
#include <string.h>
#include "base/val.h"
#include "base/visible.h"
#include "view/render.h"

enum {
	WIDEST = 44,
	LEAST_LAST = 16,
	GOOD_LAST = 18,
	MORE_LAST = 26,
	GOOD_TEXT = WIDEST,
	SHORT_FILE = 16,
	HEAD_LEAST = 5,
	HEAD_WHOLE = 6,	   /* a name so long is not cut */
	LEAST_CELL = 10,   /* a name that is squeezed further cannot be read */
	LEAST_FINAL = 7,   /* ... nor can a type, "f32[10]" */
	LEAST_BESIDE = 12, /* the last column needs so much, or a DROP_LAST column goes */
};
enum { DEEPEST = 12 }; /* a row of a tree is moved in by no more */

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

bool pane_columns_is_file(const struct rows *r, int c)
{
	return !strcmp(r->ops->cols[c].name, "file");
}

static const struct val *tree_cell(const struct rows *r, size_t row, const char *name)
{
	int c;

	for (c = 0; c < r->ncols; c++)
		if (!strcmp(r->ops->cols[c].name, name))
			return r->cell[row * (size_t)r->ncols + (size_t)c].v;
	return NULL;
}

/* The text of a row of a tree: moved in, with the sign that it can be opened.  Valid until the next call; only the UI
   thread draws. */
static const char *tree_text(const struct rows *r, size_t row, const char *s)
{
	static struct buf text;
	const struct val *depth = tree_cell(r, row, "depth"), *fold = tree_cell(r, row, "fold");
	long long i, n = depth && depth->type == VAL_INT ? depth->u.i : 0;
	const char *sign = fold && fold->type == VAL_STR ? fold->u.s : "";

	buf_reset(&text);
	for (i = 0; i < n && i < DEEPEST; i++)
		buf_adds(&text, "  ");
	buf_addf(&text, "%s %s", *sign ? theme_sign_named(sign, strlen(sign)) : " ", s);
	return text.s;
}

const char *pane_columns_text(const struct rows *r, size_t row, int c, char *room, size_t size)
{
	size_t k = row * (size_t)r->ncols + (size_t)c;
	const struct val *v = r->cell[k].v;

	if (k < r->nshown && r->shown[k])
		return visible(r->shown[k]);
	if (!v)
		return "";
	switch (v->type) {
	case VAL_STR:
		return r->ops->cols[c].signs	  ? sign_text(v->u.s, room, size) :
		       pane_columns_is_file(r, c) ? render_file(v->u.s) :
		       r->ops->cols[c].tree	  ? tree_text(r, row, visible(v->u.s)) :
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

bool pane_columns_shown(const struct view_col *col)
{
	return !col->machine_only && !col->heading && view_col_text(col);
}

/* its text is on the screen, as a column or as a heading */
static bool pane_columns_searched(const struct view_col *col)
{
	return !col->machine_only && !col->signs && view_col_text(col);
}

static void add_cell_text(struct buf *out, const struct val *v)
{
	char text[32];

	if (!v)
		return;
	if (v->type == VAL_STR)
		buf_adds(out, v->u.s);
	else if (v->type == VAL_INT)
		buf_adds(out, (snprintf(text, sizeof(text), "%lld", v->u.i), text));
	else if (v->type == VAL_REAL)
		buf_adds(out, (snprintf(text, sizeof(text), "%g", v->u.r), text));
}

void pane_columns_row_text(const struct rows *r, size_t row, struct buf *out)
{
	size_t k = row * (size_t)r->ncols;
	int c;

	for (c = 0; c < r->ncols; c++, k++) {
		if (!pane_columns_searched(&r->ops->cols[c]))
			continue;
		if (k < r->nshown && r->shown[k])
			buf_adds(out, r->shown[k]);
		else
			add_cell_text(out, r->cell[k].v);
		buf_addc(out, ' ');
	}
}

void pane_columns_measure(struct pane *p)
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
		for (i = from; pane_columns_shown(&r->ops->cols[c]) && i < to; i++) {
			if (c > heading && c <= wide && r->mark[i] & MARK_HEAD)
				continue;
			w = (int)text_width(pane_columns_text(r, i, c, room, sizeof(room)));
			w = w < WIDEST ? w : WIDEST;
			if (w > p->width[c])
				p->width[c] = w;
		}
	}
}

int pane_columns_needed(const struct pane *p, int most)
{
	const struct rows *r = p->rows;
	int c, w, widest, sum = GUTTER - 1;
	char room[64];
	size_t i;

	for (c = 0; r && c < r->ncols; c++) {
		for (i = 0, widest = 0; pane_columns_shown(&r->ops->cols[c]) && i < r->n; i++) {
			w = (int)text_width(pane_columns_text(r, i, c, room, sizeof(room)));
			widest = w > widest ? w : widest;
		}
		sum += widest ? (widest < most ? widest : most) + 1 : 0;
	}
	return sum;
}

/* Widths that have room for the columns' names, too, at most so many columns for each that is long; the sum of all.  A
   name begins above the signs before its column if it is longer. */
static int widen_to_heads(const struct pane *p, int most, int *width)
{
	const struct view_col *cols = p->rows->ops->cols;
	int c, w, sum = 0, before = GUTTER - 1;

	for (c = 0; c < p->rows->ncols && c < PANE_COLS; c++) {
		width[c] = pane_columns_shown(&cols[c]) ? p->width[c] : 0;
		if (!width[c])
			continue;
		w = p->heads && !cols[c].signs ? (int)strlen(cols[c].name) : 0;
		w = (w < most || w <= HEAD_WHOLE ? w : most) - before;
		width[c] = w > width[c] ? w : width[c];
		sum += width[c] + 1;
		before = cols[c].signs ? before + width[c] + 1 : 0;
	}
	return sum - 1;
}

/* The columns in use, and a space after each. */
static int columns_sum(const struct rows *r, const int *width)
{
	int c, sum = 0;

	for (c = 0; c < r->ncols && c < PANE_COLS; c++)
		sum += width[c] ? width[c] + 1 : 0;
	return sum;
}

/* Columns that were dropped return, the most important first, where the last one has room to spare.  Then columns that
   were made narrower than their cells get what is left. */
static void widen_cut(const struct pane *p, const int *whole, int room, int *width, int last)
{
	const struct view_col *cols = p->rows->ops->cols;
	int c, next, left = room + 1 - columns_sum(p->rows, width);

	for (;;) {
		for (c = 0, next = -1; c < p->rows->ncols && c < PANE_COLS; c++)
			if (!width[c] && whole[c] && c < last && whole[c] < left &&
			    (next < 0 || cols[c].drop < cols[next].drop))
				next = c;
		if (next < 0)
			break;
		width[next] = whole[next];
		left -= whole[next] + 1;
	}
	for (c = 0; c < p->rows->ncols && c < PANE_COLS && left > 0; c++) {
		if (!width[c] || c == last || width[c] >= whole[c])
			continue;
		left -= whole[c] - width[c];
		width[c] = whole[c] + (left < 0 ? left : 0);
	}
}

/* Of the columns in use: which takes the space left, which is dropped next, which last. */
struct use {
	int last, worst, final;
};

static struct use columns_use(const struct rows *r, const int *width)
{
	const struct view_col *cols = r->ops->cols;
	struct use u = { -1, -1, -1 };
	int c;

	for (c = 0; c < r->ncols && c < PANE_COLS; c++) {
		if (!width[c])
			continue;
		if (cols[c].drop == DROP_LAST)
			u.final = c;
		else if (cols[c].drop && (u.worst < 0 || cols[c].drop > cols[u.worst].drop))
			u.worst = c;
		if (u.last < 0 || !cols[u.last].wide)
			u.last = c;
	}
	return u;
}

/* The widest column beside the last one that can be read when it is narrower; -1: none. */
static int squeezable(const struct pane *p, const int *width, const struct use *u)
{
	int c, least, widest = -1;

	for (c = 0; c < p->rows->ncols && c < PANE_COLS; c++) {
		least = c == u->final ? LEAST_FINAL : LEAST_CELL;
		if (c != u->last && width[c] > least && (widest < 0 || width[c] > width[widest]))
			widest = c;
	}
	return widest;
}

/* One step towards the room: a column is dropped, or made narrower; false: there is nothing more to do. */
static bool narrow(const struct pane *p, const struct use *u, bool beside, int *width)
{
	const struct rows *r = p->rows;
	int widest = squeezable(p, width, u), least;

	if (u->worst >= 0) {
		width[u->worst] = pane_columns_is_file(r, u->worst) && width[u->worst] > SHORT_FILE ? SHORT_FILE : 0;
	} else if (widest >= 0) {
		least = widest == u->final ? LEAST_FINAL : LEAST_CELL;
		width[widest] = width[widest] * 3 / 4 > least ? width[widest] * 3 / 4 : least;
	} else if (u->final >= 0 && !beside) {
		width[u->final] = 0;
	} else {
		return false;
	}
	return true;
}

/* The room of the last column for which column c gives way; -1: no column can. */
static int least_last(const struct rows *r, int c)
{
	int drop = c < 0 ? 0 : r->ops->cols[c].drop;

	return c < 0 ? LEAST_LAST : drop >= DROP_FOR_TEXT ? GOOD_TEXT : drop >= DROP_EARLY ? MORE_LAST : GOOD_LAST;
}

void pane_columns_fit(const struct pane *p, int room, int *width, int *last)
{
	const struct rows *r = p->rows;
	int c, sum, least, beside, heading = -1, whole[PANE_COLS];
	struct use u;

	for (c = 0; c < r->ncols && c < PANE_COLS; c++)
		heading = r->ops->cols[c].heading ? c : heading;
	if (widen_to_heads(p, PANE_COLS, width) > room) /* cells count more than the names of columns */
		widen_to_heads(p, HEAD_LEAST, width);
	memcpy(whole, width, sizeof(whole));
	for (;;) {
		sum = columns_sum(r, width);
		u = columns_use(r, width);
		*last = u.last;
		if (u.last < 0)
			break;
		least = least_last(r, u.worst);
		least = width[u.last] < least ? width[u.last] : least;
		beside = least < LEAST_BESIDE ? least : LEAST_BESIDE;
		sum -= width[u.last] + 1;
		if (sum + least <= room || !narrow(p, &u, sum + beside <= room, width))
			break;
	}
	if (*last >= 0) {
		widen_cut(p, whole, room, width, *last);
		sum = columns_sum(r, width);
	}
	if (*last > heading) /* else only headings are in sight, and need the room */
		width[*last] = room - (sum - width[*last] - 1) > 0 ? room - (sum - width[*last] - 1) : 0;
}

int pane_columns_cut(const struct pane *p, const int *width, int last, int *most)
{
	const struct rows *r = p->rows;
	size_t from = p->top > r->first ? p->top - r->first : 0, to = from + (size_t)pane_height(p), i;
	int c, found = last, hidden;
	char room[64];

	*most = 0;
	for (c = 0; c < r->ncols && c < PANE_COLS; c++)
		for (i = from; width[c] && i < to && i < r->n; i++) {
			hidden = (int)text_width(pane_columns_text(r, i, c, room, sizeof(room))) - width[c];
			if (hidden > *most && !(r->mark[i] & MARK_HEAD)) {
				*most = hidden;
				found = c;
			}
		}
	return found;
}
