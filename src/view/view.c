/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of views, and their rows as a table for people.  Knows no single view and no terminal. */
#include "view/view.h"
#include <stdlib.h>
#include <string.h>
#include "base/buf.h"
#include "base/err.h"
#include "base/val.h"
#include "base/visible.h"
#include "engine/session.h"
#include "view/render.h"
#include "view/table.h"

enum { WIDEST = 60, WIDEST_LAST = 120 };     /* columns of one cell; the last of a row may take more */

/* ---- the table of views ---------------------------------------------------------------------------- */

static const struct view_ops *const view_table[] = {
#define X(name) &name,
#include "view/view_list.h"
#undef X
	NULL
};

static struct {
	const struct view_ops *const **tables;
	size_t n, cap;
} added;

void view_add(const struct view_ops *const *views)
{
	added.tables = mem_grow(added.tables, &added.cap, added.n + 1, sizeof(*added.tables));
	added.tables[added.n++] = views;
}

const struct view_ops *view_at(int i)
{
	const struct view_ops *const *v;
	size_t t;

	for (v = view_table; *v; v++)
		if (i-- == 0)
			return *v;
	for (t = 0; t < added.n; t++)
		for (v = added.tables[t]; *v; v++)
			if (i-- == 0)
				return *v;
	return NULL;
}

/* One of the words of an alias list. */
static bool has_word(const char *words, const char *word)
{
	size_t n = strlen(word);
	const char *p;

	for (p = words; p && *p; p += strcspn(p, " "), p += strspn(p, " "))
		if (!strncmp(p, word, n) && (p[n] == ' ' || !p[n]))
			return true;
	return false;
}

static void say_matches(struct buf *out, const char *prefix)
{
	const struct view_ops *v;
	int i;

	for (i = 0; (v = view_at(i)); i++)
		if (!strncmp(v->name, prefix, strlen(prefix)))
			buf_addf(out, "%s%s", out->len ? ", " : "", v->name);
}

const struct view_ops *view_find(const char *name, struct err *err)
{
	const struct view_ops *v, *found = NULL;
	struct buf names = { 0 };
	int i, hits = 0;

	for (i = 0; (v = view_at(i)); i++)
		if (!strcmp(v->name, name))
			return v;
	for (i = 0; (v = view_at(i)); i++)
		if (has_word(v->alias, name))
			return v;
	for (i = 0; *name && (v = view_at(i)); i++)
		if (!strncmp(v->name, name, strlen(name))) {
			found = v;
			hits++;
		}
	if (hits == 1)
		return found;
	if (hits) {
		say_matches(&names, name);
		err_set(err, "ambiguous: '%s' may be %s", name, buf_str(&names));
		buf_release(&names);
	} else {
		err_set(err, "no view '%s': 'info' alone lists them", name);
	}
	return NULL;
}

/* ---- rows -------------------------------------------------------------------------------------------- */

bool rows_want(struct rows *r, const struct view_req *req)
{
	size_t i = r->total++;

	return i >= req->first && i - req->first < req->count;
}

void rows_follow(struct view_req *req, size_t current, size_t total)
{
	if (!req->follow || req->count >= total)
		return;
	req->first = current > req->count / 2 ? current - req->count / 2 : 0;
	if (req->first + req->count > total)
		req->first = total - req->count;
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

		r->cell = mem_grow(r->cell, &cells, cap * r->ncols, sizeof(*r->cell));
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

void rows_val(struct rows *r, const char *col, enum role role, struct val *v)
{
	struct cell *c;

	if (!r->n)
		BUG("view '%s' fills a cell before a row", r->ops->name);
	c = &r->cell[(r->n - 1) * r->ncols + column(r, col)];
	val_free(c->v);
	c->v = v;
	c->role = role;
}

void rows_int(struct rows *r, const char *col, long long i)
{
	rows_val(r, col, ROLE_NUMBER, val_int(i));
}

void rows_str(struct rows *r, const char *col, enum role role, const char *s)
{
	rows_val(r, col, role, val_str(s));
}

void rows_bool(struct rows *r, const char *col, bool b)
{
	rows_val(r, col, ROLE_TEXT, val_bool(b));
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

void rows_free(struct rows *r)
{
	size_t i;

	if (!r)
		return;
	for (i = 0; i < r->n * r->ncols; i++)
		val_free(r->cell[i].v);
	free(r->cell);
	free(r->mark);
	free(r->title);
	free(r);
}

/* ---- rows as people read them -------------------------------------------------------------------------- */

/* The first line of it, and a sign that there is more. */
static void add_line(struct buf *out, const char *s)
{
	size_t n = strcspn(s, "\n"), i = out->len;

	visible_add(out, s, n, false);
	for (; i < out->len; i++)
		if (out->s[i] == '\t')
			out->s[i] = ' ';
	s += n;
	buf_adds(out, s[strspn(s, " \n")] ? " \xe2\x80\xa6" : "");
}

/* A value in one line; nothing for null. */
static void add_val(struct buf *out, const struct val *v)
{
	size_t i;

	if (!v)
		return;
	switch (v->type) {
	case VAL_NULL:
		break;
	case VAL_BOOL:
		buf_adds(out, v->u.b ? "yes" : "no");
		break;
	case VAL_INT:
		buf_addf(out, "%lld", v->u.i);
		break;
	case VAL_REAL:
		buf_addf(out, "%.6g", v->u.r);
		break;
	case VAL_STR:
		add_line(out, v->u.s);
		break;
	case VAL_LIST:
	case VAL_MAP:
		for (i = 0; i < v->u.list.n; i++) {
			buf_adds(out, i ? ", " : "");
			if (v->type == VAL_MAP)
				buf_addf(out, "%s ", v->u.list.key[i]);
			add_val(out, v->u.list.item[i]);
		}
		break;
	}
}

void view_cut(struct buf *out, const char *s, size_t columns)
{
	s = visible(s);
	if (text_width(s) <= columns) {
		buf_adds(out, s);
		return;
	}
	buf_add(out, s, text_fit(s, columns - 1));
	buf_adds(out, "\xe2\x80\xa6");               /* an ellipsis, one column */
}

/* Paths as short as they can be from here; machines get them whole. */
static void cell_text(const struct rows *r, size_t k, size_t columns, struct buf *out)
{
	const struct val *v = r->cell[k].v;
	struct buf b = { 0 };

	if (v && v->type == VAL_STR && !strcmp(r->ops->cols[k % r->ncols].name, "file"))
		add_line(&b, render_file(v->u.s));
	else
		add_val(&b, v);
	if (!b.len)
		buf_addc(&b, '-');
	view_cut(out, buf_str(&b), columns);
	buf_release(&b);
}

struct shape {
	size_t width;
	bool number;                         /* every cell that is not null */
	bool shown;                          /* not for machines only, and not null in every row */
};

static bool any_value(const struct rows *r, int col)
{
	const struct val *v;
	size_t i;

	for (i = 0; i < r->n; i++) {
		v = r->cell[i * r->ncols + col].v;
		if (v && v->type != VAL_NULL)
			return true;
	}
	return false;
}

static void measure(const struct rows *r, struct shape *shape)
{
	struct buf b = { 0 };
	int i, last = 0;
	size_t k, w;

	for (i = 0; i < r->ncols; i++) {
		shape[i].shown = !r->ops->cols[i].machine_only && any_value(r, i);
		shape[i].width = text_width(r->ops->cols[i].name);
		shape[i].number = r->n > 0;
		if (shape[i].shown)
			last = i;
	}
	for (k = 0; k < r->n * r->ncols; k++) {
		const struct val *v = r->cell[k].v;

		i = k % r->ncols;
		if (!shape[i].shown)
			continue;
		buf_reset(&b);
		cell_text(r, k, i == last ? WIDEST_LAST : WIDEST, &b);
		w = text_width(buf_str(&b));
		if (w > shape[i].width)
			shape[i].width = w;
		if (v && v->type != VAL_NULL && v->type != VAL_INT && v->type != VAL_REAL)
			shape[i].number = false;
	}
	shape[last].width = shape[last].number ? shape[last].width : 0;      /* no blanks at the end of a line */
	buf_release(&b);
}

static void add_cell(struct buf *out, const char *text, const struct shape *shape, bool first)
{
	size_t w = text_width(text);

	if (!first)
		buf_adds(out, "  ");
	for (; shape->number && w < shape->width; w++)
		buf_addc(out, ' ');
	buf_adds(out, text);
	for (; w < shape->width; w++)
		buf_addc(out, ' ');
}

static void end_line(struct buf *out)
{
	while (out->len && out->s[out->len - 1] == ' ')
		out->s[--out->len] = '\0';
	buf_addc(out, '\n');
}

void rows_table(const struct rows *r, struct buf *out)
{
	struct shape *shape = mem_alloc((r->ncols + 1) * sizeof(*shape));
	struct buf b = { 0 };
	bool marks = false, first = true;
	size_t row;
	int i;

	for (row = 0; row < r->n; row++)
		marks |= r->mark[row] & (MARK_CURRENT | MARK_BREAK);
	measure(r, shape);
	buf_adds(out, marks ? "   " : "");
	for (i = 0; i < r->ncols; i++) {
		if (!shape[i].shown)
			continue;
		add_cell(out, r->ops->cols[i].name, &shape[i], first);
		first = false;
	}
	end_line(out);
	for (row = 0; row < r->n; row++) {
		if (marks)
			buf_adds(out, r->mark[row] & MARK_CURRENT ? "=> " : r->mark[row] & MARK_BREAK ? "*  " : "   ");
		for (first = true, i = 0; i < r->ncols; i++) {
			if (!shape[i].shown)
				continue;
			buf_reset(&b);
			cell_text(r, row * r->ncols + i, shape[i].width ? WIDEST : WIDEST_LAST, &b);
			add_cell(out, buf_str(&b), &shape[i], first);
			first = false;
		}
		end_line(out);
	}
	buf_release(&b);
	free(shape);
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
		err_set(err, s->exited ? "cannot show '%s': the program has ended" :
			"cannot show '%s': the program is not stopped", v->name);
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
	if (!r->n || !r->total)                      /* it knows no windows: these are all its rows */
		r->first = 0;
	if (r->total < r->first + r->n)
		r->total = r->first + r->n;
	return r;
}

void view_text(struct session *s, const struct rows *r, struct buf *out)
{
	if (!r->n)
		buf_addf(out, "%s\n", r->ops->none ? r->ops->none : "nothing to show");
	else if (r->ops->text)
		r->ops->text(s, r, out);
	else
		rows_table(r, out);
}
