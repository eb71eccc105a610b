/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of views, and their rows.  Knows no single view and no terminal. */
#include "view/view.h"
#include <stdlib.h>
#include <string.h>
#include "base/buf.h"
#include "base/err.h"
#include "base/pick.h"
#include "base/val.h"
#include "base/visible.h"
#include "engine/session.h"

/* ---- the table of views ---------------------------------------------------------------------------- */

static struct {
	const struct view_ops *const **tables;
	size_t n, cap;
} added;

void view_add(const struct view_ops *const *views)
{
	size_t i;

	for (i = 0; i < added.n; i++)
		if (added.tables[i] == views)
			return;
	added.tables = mem_grow(added.tables, &added.cap, added.n + 1, sizeof(*added.tables));
	added.tables[added.n++] = views;
}

const struct view_ops *view_at(int i)
{
	const struct view_ops *const *v;
	size_t t;

	for (t = 0; t < added.n; t++)
		for (v = added.tables[t]; *v; v++)
			if (i-- == 0)
				return *v;
	return NULL;
}

static const char *view_name_at(const void *arg, int i)
{
	const struct view_ops *v = view_at(i);

	(void)arg;
	return v ? v->name : NULL;
}

static const char *view_alias(const void *arg, int i)
{
	const struct view_ops *v = view_at(i);

	(void)arg;
	return v ? v->alias : NULL;
}

const struct view_ops *view_find(const char *name, struct err *err)
{
	static const struct pick names = {
		.what = "view", .list = "'info' lists the views", .at = view_name_at, .alias = view_alias
	};
	int i = pick_name(&names, name, err);

	return i < 0 ? NULL : view_at(i);
}

/* ---- rows -------------------------------------------------------------------------------------------- */

bool rows_want(struct rows *r, const struct view_req *req)
{
	size_t i = r->total++;

	return i >= req->first && i - req->first < req->count;
}

void rows_follow(struct view_req *req, size_t current, size_t total)
{
	if (!req->follow)
		return;
	req->first = current > req->count / 2 ? current - req->count / 2 : 0;
	if (req->first + req->count > total)
		req->first = total > req->count ? total - req->count : 0;
}

void rows_title(struct rows *r, const char *fmt, ...)
{
	va_list ap;
	char *title;

	va_start(ap, fmt);
	title = mem_vfmt(fmt, ap);
	va_end(ap);
	free(r->title);
	r->title = title;
}

void rows_add(struct rows *r, unsigned marks)
{
	size_t cap = r->cap, i;
	struct cell *c;

	r->mark = mem_grow(r->mark, &cap, r->n + 1, sizeof(*r->mark));
	if (cap != r->cap || !r->cell) {
		size_t cells = r->cap * r->ncols;

		r->cell = mem_room(r->cell, &cells, cap * r->ncols, sizeof(*r->cell));
		r->cap = cap;
	}
	r->mark[r->n] = marks;
	c = &r->cell[r->n++ * r->ncols];
	for (i = 0; i < (size_t)r->ncols; i++)
		c[i] = (struct cell){ 0 };
}

static int column(const struct rows *r, const char *col)
{
	int i;

	/* mostly the same literal: thousands of rows ask */
	for (i = 0; i < r->ncols; i++)
		if (r->ops->cols[i].name == col)
			return i;
	for (i = 0; i < r->ncols; i++)
		if (!strcmp(r->ops->cols[i].name, col))
			return i;
	BUG("view '%s' has no column '%s'", r->ops->name, col);
}

/* The cell of the last row, to be filled again. */
static struct cell *empty_cell(struct rows *r, const char *col)
{
	struct cell *c;

	if (!r->n)
		BUG("view '%s' fills a cell before a row", r->ops->name);
	c = &r->cell[(r->n - 1) * r->ncols + column(r, col)];
	if (!c->shared)
		val_free(c->v);
	*c = (struct cell){ 0 };
	return c;
}

void rows_val(struct rows *r, const char *col, enum role role, struct val *v)
{
	struct cell *c = empty_cell(r, col);

	c->v = v;
	c->role = role;
}

/* The value above the cell if it has this type.  Most cells of long tables repeat the one above them, and share it. */
static struct val *value_above(const struct rows *r, const struct cell *c, enum val_type type)
{
	struct val *v = r->n > 1 ? c[-r->ncols].v : NULL;

	return v && v->type == type ? v : NULL;
}

void rows_int(struct rows *r, const char *col, long long i)
{
	struct cell *c = empty_cell(r, col);
	struct val *above = value_above(r, c, VAL_INT);

	c->role = ROLE_NUMBER;
	c->shared = above && above->u.i == i;
	c->v = c->shared ? above : val_int(i);
}

void rows_str(struct rows *r, const char *col, enum role role, const char *s)
{
	struct cell *c = empty_cell(r, col);
	struct val *above = s ? value_above(r, c, VAL_STR) : NULL;

	c->role = role;
	c->shared = above && !strcmp(above->u.s, s);
	c->v = c->shared ? above : val_str(s);
}

void rows_bool(struct rows *r, const char *col, bool b)
{
	struct cell *c = empty_cell(r, col);
	struct val *above = value_above(r, c, VAL_BOOL);

	c->role = ROLE_TEXT;
	c->shared = above && above->u.b == b;
	c->v = c->shared ? above : val_bool(b);
}

void rows_shown(struct rows *r, const char *col, const char *s)
{
	size_t k = (r->n - 1) * r->ncols + column(r, col), cap = r->nshown;

	if (!s)
		return;
	if (k >= r->nshown) {
		r->shown = mem_grow(r->shown, &cap, k + 1, sizeof(*r->shown));
		memset(r->shown + r->nshown, 0, (cap - r->nshown) * sizeof(*r->shown));
		r->nshown = cap;
	}
	free(r->shown[k]);
	r->shown[k] = mem_str(s);
}

const struct val *rows_cell(const struct rows *r, size_t row, const char *col)
{
	return row < r->n ? r->cell[row * r->ncols + column(r, col)].v : NULL;
}

const char *rows_text(const struct rows *r, size_t row, const char *col)
{
	const struct val *v = rows_cell(r, row, col);

	return v && v->type == VAL_STR ? v->u.s : "";
}

long long rows_number(const struct rows *r, size_t row, const char *col, long long absent)
{
	const struct val *v = rows_cell(r, row, col);

	return v && v->type == VAL_INT ? v->u.i : absent;
}

/* Moves what people see of a row, or frees it. */
static void move_shown(struct rows *r, size_t from, size_t to, bool kept)
{
	size_t c, k, ncols = (size_t)r->ncols;

	for (c = 0; c < ncols && from * ncols + c < r->nshown; c++) {
		k = from * ncols + c;
		if (!kept)
			free(r->shown[k]);
		else if (from != to)
			r->shown[to * ncols + c] = r->shown[k];
		if (!kept || from != to)
			r->shown[k] = NULL;
	}
}

/* A value may be shared by the rows below the one that owns it: where that is dropped, the next one owns it. */
void rows_keep(struct rows *r, const size_t *keep, size_t n)
{
	size_t i, c, k = 0, ncols = (size_t)r->ncols;
	struct val **orphan = mem_alloc((ncols + 1) * sizeof(*orphan));

	for (i = 0; i < r->n; i++) {
		bool kept = k < n && keep[k] == i;

		for (c = 0; c < ncols; c++) {
			struct cell one = r->cell[i * ncols + c];

			if (!one.shared) {
				val_free(orphan[c]);
				orphan[c] = kept ? NULL : one.v;
			} else if (kept && orphan[c]) {
				one.shared = false;
				orphan[c] = NULL;
			}
			if (kept)
				r->cell[k * ncols + c] = one;
		}
		move_shown(r, i, k, kept);
		if (kept)
			r->mark[k++] = r->mark[i];
	}
	for (c = 0; c < ncols; c++)
		val_free(orphan[c]);
	free(orphan);
	r->n = k;
}

void rows_free(struct rows *r)
{
	size_t i;

	if (!r)
		return;
	for (i = 0; i < r->n * r->ncols; i++)
		if (!r->cell[i].shared)
			val_free(r->cell[i].v);
	for (i = 0; i < r->nshown; i++)
		free(r->shown[i]);
	free(r->shown);
	free(r->cell);
	free(r->mark);
	free(r->title);
	free(r->heads.text);
	free(r);
}

bool view_col_text(const struct view_col *c)
{
	return !c->screen || (strcmp(c->name, "link") && strcmp(c->name, "about") && strcmp(c->name, "detail") &&
			      strcmp(c->name, "syntax"));
}

/* ---- rows for people -------------------------------------------------------------------------- */

bool view_spelled(const char *type, const char *value)
{
	static const char *const types[] = { "int", "float", "bool", "str", "NoneType", NULL };
	enum { LONGEST = 60 };
	int i;

	for (i = 0; types[i] && strcmp(types[i], type); i++)
		;
	return types[i] && strlen(value) <= LONGEST && !strstr(value, "...");
}

void view_cut(struct buf *out, const char *s, size_t columns)
{
	s = visible(s);
	if (text_width(s) <= columns) {
		buf_adds(out, s);
		return;
	}
	buf_add(out, s, text_fit(s, columns - 1));
	buf_adds(out, "\xe2\x80\xa6"); /* an ellipsis, one column */
}

void view_cut_name(struct buf *out, const char *s, size_t columns)
{
	size_t width, head = (columns - 1) / 2, tail = columns - 1 - head;

	s = visible(s);
	width = text_width(s);
	if (width <= columns) {
		buf_adds(out, s);
		return;
	}
	buf_add(out, s, text_fit(s, head));
	buf_adds(out, "\xe2\x80\xa6");
	buf_adds(out, s + text_fit(s, width - tail));
}

struct rows *view_rows(struct session *s, const struct view_ops *v, const char *words, struct err *err)
{
	struct view_req req = { .words = words ? words : "", .first = 0, .count = (size_t)-1 };

	return view_window(s, v, &req, err);
}

struct rows *view_window(struct session *s, const struct view_ops *v, const struct view_req *req, struct err *err)
{
	struct rows *r;

	if (v->needs_stop && !session_stopped(s)) {
		err_set(err,
			s->exited ? "cannot show '%s': the program has ended" :
				    "cannot show '%s': the program is not stopped",
			v->name);
		return NULL;
	}
	if (s->gone && !v->gone) {
		session_present(s, err);
		return NULL;
	}
	r = mem_alloc(sizeof(*r));
	r->ops = v;
	while (v->cols[r->ncols].name)
		r->ncols++;
	r->first = req->first;
	if (v->fill(s, req, r, err) < 0) {
		rows_free(r);
		return NULL;
	}
	if (!r->n || !r->total) /* it ignores windows: these are all its rows */
		r->first = 0;
	if (r->total < r->first + r->n)
		r->total = r->first + r->n;
	return r;
}

/* The table without the rows that people do not ask about. */
static void table_of_most(const struct rows *r, struct buf *out)
{
	const size_t n = (size_t)r->ncols;
	const struct val *v;
	struct rows most = *r;
	size_t i, c;

	most.cell = mem_alloc(r->n * n * sizeof(*most.cell) + 1);
	most.shown = mem_alloc(r->n * n * sizeof(*most.shown) + 1);
	most.nshown = r->n * n;
	most.mark = mem_alloc(r->n + 1);
	for (most.n = i = 0; i < r->n; i++) {
		v = rows_cell(r, i, r->ops->omitted);
		if (v && v->type == VAL_BOOL && v->u.b)
			continue;
		for (c = 0; c < n; c++) {
			most.cell[most.n * n + c] = r->cell[i * n + c];
			most.shown[most.n * n + c] = i * n + c < r->nshown ? r->shown[i * n + c] : NULL;
		}
		most.mark[most.n++] = r->mark[i];
	}
	if (most.n)
		rows_table(&most, out);
	if (most.n < r->n)
		buf_addf(out, "%zu %s\n", r->n - most.n, r->ops->omitted_text);
	free(most.cell);
	free(most.shown);
	free(most.mark);
}

void view_text(struct session *s, const struct rows *r, struct buf *out)
{
	if (!r->n)
		buf_addf(out, "%s\n", r->ops->none ? r->ops->none : "nothing to show");
	else if (r->ops->text)
		r->ops->text(s, r, out);
	else if (r->ops->omitted)
		table_of_most(r, out);
	else
		rows_table(r, out);
}

void view_place_action(const struct rows *r, size_t row, enum row_action what, struct buf *line)
{
	long long number = rows_number(r, row, "breakpoint", 0);

	if ((what == ACTION_TOGGLE || what == ACTION_BREAK) && number)
		buf_addf(line, "delete %lld", number);
	else if (what == ACTION_TOGGLE || what == ACTION_BREAK)
		buf_addf(line, "break %s", rows_text(r, row, "place"));
	else if (what == ACTION_RUN_TO)
		buf_addf(line, "advance %s", rows_text(r, row, "place"));
}
