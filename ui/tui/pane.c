/* SPDX-License-Identifier: BSD-3-Clause */
/* Panes: windows on rows, with a cursor and a position.  Draws nothing. */
#include "config.h"
#include "ui/tui/pane.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/val.h"
#include "ui/output/console.h"
#include "ui/tui/channel.h"
#include "ui/tui/pane_columns.h"

enum { NEEDED_MOST = 32 }; /* columns of a cell that room is asked for */

struct pane *pane_new(const char *name, enum pane_kind kind, const struct view_ops *view)
{
	struct pane *p = mem_alloc(sizeof(*p));

	snprintf(p->name, sizeof(p->name), "%s", name);
	p->kind = kind;
	p->view = view;
	p->request.stale = true;
	return p;
}

void pane_free(struct pane *p)
{
	rows_free(p->rows);
	free(p->changed);
	free(p->error);
	free(p->words);
	free(p->filter.text);
	free(p->filter.kept);
	buf_release(&p->folds);
	buf_release(&p->formats);
	buf_release(&p->text);
	free(p->line);
	free(p->about);
	free(p);
}

void pane_set_text(struct pane *p, const char *text)
{
	size_t cap = 0, i;

	buf_reset(&p->text);
	buf_adds(&p->text, text);
	free(p->line);
	free(p->filter.text);
	p->line = NULL;
	p->filter.text = NULL;
	p->nlines = 0;
	for (i = 0; i < p->text.len; i++)
		if (i == 0 || p->text.s[i - 1] == '\n') {
			p->line = mem_grow(p->line, &cap, p->nlines + 1, sizeof(*p->line));
			p->line[p->nlines++] = i;
		}
	p->top = p->cursor = p->filter.all = p->filter.nkept = 0;
}

void pane_set_words(struct pane *p, const char *words)
{
	free(p->words);
	p->words = *words ? mem_str(words) : NULL;
	buf_reset(&p->folds);
	p->request.stale = true;
	p->request.asked = p->free = false;
}

/* The line of a text, or of the output, that a row shows. */
static size_t pane_line(const struct pane *p, size_t row)
{
	return p->filter.text ? row < p->filter.nkept ? p->filter.kept[row] : SIZE_MAX : row;
}

static void add_text_line(const struct pane *p, size_t line, struct buf *out)
{
	size_t end;

	if (p->kind == PANE_OUTPUT) {
		buf_adds(out, console_line(line));
	} else if (line < p->nlines) {
		end = line + 1 < p->nlines ? p->line[line + 1] : p->text.len;
		buf_add(out, p->text.s + p->line[line], end - p->line[line]);
		while (out->len && out->s[out->len - 1] == '\n')
			out->s[--out->len] = '\0';
	}
}

/* Looks at the lines that are new since it did so last. */
static void filter_lines(struct pane *p)
{
	size_t lines = p->kind == PANE_OUTPUT ? console_lines() : p->nlines;
	struct buf b = { 0 };

	if (!p->filter.text || p->kind == PANE_VIEW)
		return;
	if (p->filter.all > lines) /* the output was cleared */
		p->filter.all = p->filter.nkept = 0;
	for (; p->filter.all < lines; p->filter.all++) {
		buf_reset(&b);
		add_text_line(p, p->filter.all, &b);
		if (!strstr(buf_str(&b), p->filter.text))
			continue;
		p->filter.kept = mem_grow(p->filter.kept, &p->filter.cap, p->filter.nkept + 1, sizeof(*p->filter.kept));
		p->filter.kept[p->filter.nkept++] = p->filter.all;
	}
	buf_release(&b);
}

/* Is it a row of another text, or the first after it? */
static size_t row_of_line(const struct pane *p, size_t line)
{
	size_t i;

	for (i = 0; p->filter.text && i < p->filter.nkept && p->filter.kept[i] < line; i++)
		;
	return p->filter.text ? i : line;
}

void pane_set_filter(struct pane *p, const char *text, size_t keep)
{
	size_t h = (size_t)(pane_height(p) > 0 ? pane_height(p) : 1);

	if (!strcmp(text, p->filter.text ? p->filter.text : ""))
		return;
	free(p->filter.text);
	p->filter.text = *text ? mem_str(text) : NULL;
	if (p->kind == PANE_VIEW) {
		p->request.stale = p->filter.asked = true;
		p->request.asked = false;
		p->filter.keep = keep;
		p->top = !p->filter.text && keep > h / 2 ? keep - h / 2 : 0;
		return;
	}
	p->filter.all = p->filter.nkept = 0;
	filter_lines(p);
	p->cursor = row_of_line(p, keep);
	pane_settle(p);
}

size_t pane_number(const struct pane *p)
{
	long i = pane_index(p, p->cursor);

	if (p->filter.asked)
		return p->filter.keep;
	if (p->kind != PANE_VIEW)
		return pane_total(p) ? pane_line(p, p->cursor) : 0;
	return i >= 0 && p->filter.kept && p->filter.text ? p->filter.kept[i] : p->cursor;
}

char *pane_request_words(const struct pane *p)
{
	return mem_fmt("%s%s%s%s%s", p->words ? p->words : "", p->folds.len ? " fold:" : "", buf_str(&p->folds),
		       p->formats.len ? " format:" : "", buf_str(&p->formats));
}

size_t pane_total(const struct pane *p)
{
	if (p->filter.text && p->kind != PANE_VIEW)
		return p->filter.nkept;
	if (p->kind == PANE_OUTPUT)
		return console_lines() + 1;
	if (p->kind == PANE_TEXT)
		return p->nlines;
	return p->rows && !p->error ? p->rows->total : 0;
}

int pane_height(const struct pane *p)
{
	int above = 1 + p->past + p->heads;

	return p->rect.h > above ? p->rect.h - above : 0;
}

int pane_columns(const struct pane *p)
{
	return p->rect.w > GUTTER ? p->rect.w - GUTTER : 1;
}

int pane_y(const struct pane *p)
{
	return p->rect.y + 1 + p->past + p->heads;
}

void pane_settle(struct pane *p)
{
	size_t total, h = (size_t)(pane_height(p) > 0 ? pane_height(p) : 1);

	filter_lines(p);
	total = pane_total(p);
	if (p->kind == PANE_OUTPUT && !p->free) { /* show the end of the output */
		p->cursor = total ? total - 1 : 0;
		p->top = total > h ? total - h : 0;
		return;
	}
	if (p->cursor >= total)
		p->cursor = total ? total - 1 : 0;
	if (p->cursor < p->top)
		p->top = p->cursor;
	if (p->cursor >= p->top + h)
		p->top = p->cursor - h + 1;
	if (p->top + h > total)
		p->top = total > h ? total - h : 0;
}

void pane_move(struct pane *p, long by)
{
	size_t total = pane_total(p);

	if (by < 0 && (size_t)-by > p->cursor)
		p->cursor = 0;
	else
		p->cursor += (size_t)by;
	if (p->cursor >= total)
		p->cursor = total ? total - 1 : 0;
	p->free = p->kind != PANE_OUTPUT || p->cursor + 1 < total;
	pane_settle(p);
}

void pane_scroll(struct pane *p, long by)
{
	size_t total = pane_total(p), h = (size_t)(pane_height(p) > 0 ? pane_height(p) : 1);
	size_t last = total > h ? total - h : 0;

	if (by < 0 && (size_t)-by > p->top)
		p->top = 0;
	else
		p->top += (size_t)by;
	if (p->top > last)
		p->top = last;
	if (p->cursor < p->top)
		p->cursor = p->top;
	if (p->cursor >= p->top + h)
		p->cursor = p->top + h - 1;
	p->free = p->kind != PANE_OUTPUT || p->top < last;
	pane_settle(p);
}

bool pane_wants(const struct pane *p, size_t *first, size_t *count, bool *follow)
{
	size_t h = (size_t)(pane_height(p) > 0 ? pane_height(p) : 1);
	const struct rows *r = p->rows;

	if (p->kind != PANE_VIEW || !p->view || !p->shown)
		return false;
	*count = 3 * h > 40 ? 3 * h : 40; /* more than is visible, so that scrolling rarely needs a request */
	*first = p->top > (*count - h) / 2 ? p->top - (*count - h) / 2 : 0;
	*follow = !p->free;
	if (p->request.stale || ((p->view->wraps || p->view->scrolls) && p->request.width != pane_columns(p)) ||
	    (p->view->scrolls && p->request.left != p->left))
		return true;
	if (!r || p->request.asked || (*first == p->request.first && *count == p->request.count))
		return false; /* a view that returns fewer rows than it counts is asked only once */
	return (p->top < r->first && r->total > 0) || (p->top + h > r->first + r->n && r->first + r->n < r->total);
}

/* the current row, else an operand, else an error; -1: none in what we have */
static long pane_current(const struct pane *p)
{
	long found = -1, wrong = -1;
	size_t i;

	for (i = 0; p->rows && i < p->rows->n; i++) {
		if (p->rows->mark[i] & MARK_CURRENT)
			return (long)(p->rows->first + i);
		if (p->rows->mark[i] & MARK_OPERAND && found < 0)
			found = (long)(p->rows->first + i);
		if (p->rows->mark[i] & MARK_ERROR && !(p->rows->mark[i] & MARK_HEAD) && wrong < 0)
			wrong = (long)(p->rows->first + i);
	}
	return found >= 0 ? found : wrong;
}

long pane_index(const struct pane *p, size_t row)
{
	if (!p->rows || row < p->rows->first || row - p->rows->first >= p->rows->n)
		return -1;
	return (long)(row - p->rows->first);
}

/* ---- rows that came ----------------------------------------------------------------------------- */

static bool same_val(const struct val *a, const struct val *b)
{
	if (!a || !b || a->type != b->type)
		return (!a || a->type == VAL_NULL) && (!b || b->type == VAL_NULL);
	switch (a->type) {
	case VAL_STR:
		return !strcmp(a->u.s, b->u.s);
	case VAL_INT:
		return a->u.i == b->u.i;
	case VAL_BOOL:
		return a->u.b == b->u.b;
	case VAL_REAL:
		return a->u.r == b->u.r;
	default:
		return true;
	}
}

static int value_column(const struct rows *r)
{
	int i;

	for (i = 0; i < r->ncols; i++)
		if (!strcmp(r->ops->cols[i].name, "value"))
			return i;
	return -1;
}

/* Are these rows of the same thing, wherever the program is stopped in it? */
static bool about_same(const struct rows *a, const struct rows *b)
{
	const char *s = a->title ? a->title : "", *t = b->title ? b->title : "";
	size_t n = strcspn(s, "\t");

	return strcspn(t, "\t") == n && !strncmp(s, t, n);
}

/* By what a row is known from one request to the next: in a tree the cell "key", else the first. */
static int key_column(const struct rows *r)
{
	bool tree = false;
	int i;

	for (i = 0; i < r->ncols; i++) {
		tree |= r->ops->cols[i].tree;
		if (tree && !strcmp(r->ops->cols[i].name, "key"))
			return i;
	}
	return 0;
}

/* The row of old for the same thing as row i of r; old->n: there is none. */
static size_t row_before(const struct rows *old, const struct rows *r, size_t i, int key)
{
	size_t k;

	for (k = 0; k < old->n; k++)
		if (same_val(r->cell[i * (size_t)r->ncols + (size_t)key].v,
			     old->cell[k * (size_t)r->ncols + (size_t)key].v))
			break;
	return k;
}

/* Marks rows whose value has changed since the stop before. */
static void mark_changed(struct pane *p, const struct rows *old)
{
	const struct rows *r = p->rows;
	int v = value_column(r), key = key_column(r);
	size_t i, k;

	free(p->changed);
	p->changed = mem_alloc(r->n + 1);
	if (!old || v < 1 || old->ops != r->ops || !about_same(old, r))
		return;
	for (i = 0; i < r->n; i++) {
		k = row_before(old, r, i, key);
		p->changed[i] = k == old->n || !same_val(r->cell[i * (size_t)r->ncols + (size_t)v].v,
							 old->cell[k * (size_t)r->ncols + (size_t)v].v);
	}
}

/* Other rows of the same stop: those of a window, or what was opened. */
static void keep_changed(struct pane *p, const struct rows *old)
{
	const struct rows *r = p->rows;
	unsigned char *had = p->changed;
	int key = key_column(r);
	size_t i, k;

	p->changed = mem_alloc(r->n + 1);
	for (i = 0; old && had && old->ops == r->ops && value_column(r) >= 1 && i < r->n; i++) {
		k = row_before(old, r, i, key);
		p->changed[i] = k < old->n && had[k];
	}
	free(had);
}

/* The first row of a window that has the current row in its middle third, and all of the block if it fits, which
   counts more.  The window moves rarely, and then so far that the next steps need no move. */
static size_t around(const struct pane *p, size_t current, size_t h)
{
	long from = (long)p->rows->block, to = (long)p->rows->block_end, row = (long)current, n = (long)h;
	long least = row - (n - 1 - n / 3), most = row - n / 3, top = (long)p->top;

	if (to - from <= n && from <= row && row < to) {
		least = least < to - n ? to - n : least;
		most = most > from ? from : most;
		if (least > most) { /* the block is too high for both */
			least = to - n;
			most = from;
		}
	}
	if (top < least || top > most)
		top = row - n / 3 < least ? least : row - n / 3 > most ? most : row - n / 3;
	return top > 0 ? (size_t)top : 0;
}

void pane_follow(struct pane *p)
{
	size_t h = (size_t)(pane_height(p) > 0 ? pane_height(p) : 1);
	long current = p->free ? -1 : pane_current(p);

	if (current < 0)
		return;
	p->cursor = (size_t)current;
	if (p->rows->block < p->rows->block_end)
		p->top = around(p, (size_t)current, h);
	else if ((size_t)current < p->top ||
		 (size_t)current >= p->top + h) /* do not move for a step inside the window */
		p->top = (size_t)current > h / 2 ? (size_t)current - h / 2 : 0;
	pane_settle(p);
}

/* A column without cells needs no room any more. */
static void drop_empty(struct pane *p)
{
	const struct rows *r = p->rows;
	char room[64];
	size_t i;
	int c;

	for (c = 0; c < r->ncols && c < PANE_COLS; c++) {
		for (i = 0; p->width[c] && i < r->n && !*pane_columns_text(r, i, c, room, sizeof(room)); i++)
			;
		p->width[c] = i < r->n ? p->width[c] : 0;
	}
}

void pane_take(struct pane *p, struct answer *a)
{
	struct rows *rows = a->rows;
	struct rows *old = p->rows;
	bool other = !old || !about_same(old, rows);
	size_t h = (size_t)(pane_height(p) > 0 ? pane_height(p) : 1);
	int needed;

	a->rows = NULL;
	p->rows = rows;
	free(p->filter.kept);
	p->filter.kept = a->numbers;
	a->numbers = NULL;
	p->filter.all = a->all;
	if (p->filter.asked) {
		p->cursor = a->cursor;
		p->filter.asked = false;
	}
	if (p->stop != a->stop)
		mark_changed(p, old);
	else
		keep_changed(p, old);
	drop_empty(p);
	needed = rows->room ? pane_columns_needed(p, NEEDED_MOST) : 0;
	p->needs = needed > p->needs || !needed ? needed : p->needs;
	if (other || (old && old->room != rows->room))
		memset(p->width, 0, sizeof(p->width));
	rows_free(old);
	free(p->error);
	p->error = NULL;
	if (other) {
		p->left = 0;
		if (!p->free && rows->total <= h)
			p->top = 0;
	}
	if (!p->free && other) {
		p->cursor = 0;
		p->top = pane_current(p) < 0 ? 0 : SIZE_MAX / 4; /* out of sight, so that it is followed */
	}
	pane_follow(p);
	p->stop = a->stop;
	pane_settle(p);
}

/* ---- text and links ----------------------------------------------------------------------------- */

void pane_row_text(const struct pane *p, size_t row, struct buf *out)
{
	long i = pane_index(p, row);

	buf_reset(out);
	if (p->kind != PANE_VIEW)
		add_text_line(p, pane_line(p, row), out);
	else if (i >= 0)
		pane_columns_row_text(p->rows, (size_t)i, out);
}

static const struct val *cell_named(const struct rows *r, size_t i, const char *name)
{
	int k;

	for (k = 0; k < r->ncols; k++)
		if (!strcmp(r->ops->cols[k].name, name))
			return r->cell[i * (size_t)r->ncols + (size_t)k].v;
	return NULL;
}

static bool has_column(const struct rows *r, const char *name)
{
	int k;

	for (k = 0; k < r->ncols && strcmp(r->ops->cols[k].name, name); k++)
		;
	return k < r->ncols;
}

static long long number_named(const struct rows *r, size_t i, const char *name, long long absent)
{
	const struct val *v = cell_named(r, i, name);

	return v && v->type == VAL_INT ? v->u.i : absent;
}

/* The user's line; "line" is another one where there is a "user_line". */
static long long user_line(const struct rows *r, size_t i)
{
	return number_named(r, i, "user_line", has_column(r, "user_line") ? 0 : number_named(r, i, "line", 0));
}

long pane_selected(const struct pane *p)
{
	return p && p->kind == PANE_VIEW && !p->error ? pane_index(p, p->cursor) : -1;
}

void pane_link(const struct pane *p, struct pane_link *out)
{
	long i = p && p->kind == PANE_VIEW ? pane_index(p, p->cursor) : -1;

	memset(out, 0, sizeof(*out));
	out->index = -1;
	if (i < 0)
		return;
	out->from = p;
	out->line = user_line(p->rows, (size_t)i);
	out->last = number_named(p->rows, (size_t)i, "last_line", out->line);
	out->index = number_named(p->rows, (size_t)i, "index", -1);
	out->index_end = number_named(p->rows, (size_t)i, "end", out->index + 1);
}

static const char *text_named(const struct rows *r, size_t i, const char *name)
{
	const struct val *v = cell_named(r, i, name);

	return v && v->type == VAL_STR ? v->u.s : "";
}

const char *pane_name_of(const struct pane *p, size_t i)
{
	return text_named(p->rows, i, "link");
}

const char *pane_about(const struct pane *p, size_t i)
{
	const char *name = pane_name_of(p, i);

	return *name ? name : text_named(p->rows, i, "about");
}

static int compare_kinds(const void *a, const void *b)
{
	return strcmp(a, (*(struct val *const *)b)->u.s);
}

/* Do the row's instructions and those of the link meet? */
static bool has_index(const struct rows *r, size_t i, const struct pane_link *l)
{
	long long first = number_named(r, i, "index", -1);

	return first >= 0 && first < l->index_end && l->index < number_named(r, i, "end", first + 1);
}

/* Rows with instructions are identified by these, others by their name, those without a name by their line. */
bool pane_linked(const struct pane *p, size_t i, const struct pane_link *l)
{
	long long line, last;
	const char *name;

	if (!l->from || p == l->from || p->kind != PANE_VIEW)
		return false;
	if (l->index >= 0 && has_index(p->rows, i, l))
		return true;
	name = pane_name_of(p, i);
	if (l->with && *name)
		return bsearch(name, l->with->u.list.item, l->with->u.list.n, sizeof(*l->with->u.list.item),
			       compare_kinds);
	line = user_line(p->rows, i);
	last = number_named(p->rows, i, "last_line", line);
	return line > 0 && l->line > 0 && line <= l->last && last >= l->line;
}
