/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows as a table for people: aligned columns, with long cells cut so that names can still be distinguished.  Knows no
   single view and no terminal. */
#include "view/view.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include "base/buf.h"
#include "base/val.h"
#include "base/visible.h"
#include "view/render.h"

enum { WIDEST = 60, WIDEST_LAST = 120 }; /* columns of one cell; the last of a row may take more */

/* ---- one cell ----------------------------------------------------------------------------------------- */

/* The first line of a cell, and a sign that there is more. */
static void add_first_line(struct buf *out, const char *s)
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
		add_first_line(out, v->u.s);
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

static bool is_file(const struct rows *r, size_t k)
{
	return !strcmp(r->ops->cols[k % r->ncols].name, "file");
}

/* Names and paths differ at their ends as often as at their beginnings. */
static bool column_is_name(const struct rows *r, size_t k)
{
	return r->cell[k].role == ROLE_NAME || is_file(r, k);
}

/* Paths are shown relative to the working directory if that is shorter; machines get the whole path. */
static void shown_text(const struct rows *r, size_t k, struct buf *out)
{
	const struct val *v = r->cell[k].v;

	if (k < r->nshown && r->shown[k])
		add_first_line(out, r->shown[k]);
	else if (v && v->type == VAL_STR && is_file(r, k))
		add_first_line(out, render_file(v->u.s));
	else
		add_val(out, v);
	if (!out->len)
		buf_addc(out, '-');
}

/* ---- names that are cut and still differ ------------------------------------------------------------------ */

enum { WORDS = 64 }; /* the number of words that are tried */

struct name {
	size_t cell;
	char *whole, *cut; /* owned */
};

struct word {
	const char *s; /* in a name's whole text */
	size_t n, count;
};

static int by_cut(const void *a, const void *b)
{
	const struct name *x = a, *y = b;
	int order = strcmp(x->cut, y->cut);

	return order ? order : strcmp(x->whole, y->whole);
}

static int by_cell(const void *a, const void *b)
{
	const struct name *x = a, *y = b;

	return (x->cell > y->cell) - (x->cell < y->cell);
}

/* Sorts them.  Duplicates count as one. */
static bool all_differ(struct name *name, size_t n)
{
	size_t i;

	qsort(name, n, sizeof(*name), by_cut);
	for (i = 0; i + 1 < n; i++)
		if (!strcmp(name[i].cut, name[i + 1].cut) && strcmp(name[i].whole, name[i + 1].whole))
			return false;
	return true;
}

static bool is_name_char(char c)
{
	return isalnum((unsigned char)c) || (unsigned char)c >= 0x80;
}

static void count_words(const char *s, struct word *word, size_t *n)
{
	size_t len, i;

	for (; *s; s += len ? len : 1) {
		for (len = 0; is_name_char(s[len]); len++)
			;
		for (i = 0; len > 2 && i < *n && (word[i].n != len || strncmp(word[i].s, s, len)); i++)
			;
		if (len > 2 && i < WORDS) {
			if (i == *n)
				word[(*n)++] = (struct word){ .s = s, .n = len };
			word[i].count++;
		}
	}
}

static int by_count(const void *a, const void *b)
{
	const struct word *x = a, *y = b;

	return (x->count < y->count) - (x->count > y->count);
}

/* The name with an ellipsis in place of that word and of its separator. */
static char *without(const char *s, const struct word *w)
{
	static const char ellipsis[] = "\xe2\x80\xa6";
	struct buf out = { 0 };
	size_t n;

	buf_adds(&out, "");
	while (*s) {
		for (n = 0; is_name_char(s[n]); n++)
			;
		if (n != w->n || strncmp(s, w->s, n)) {
			buf_add(&out, s, n ? n : 1);
			s += n ? n : 1;
			continue;
		}
		while (out.len && !is_name_char(out.s[out.len - 1]))
			out.s[--out.len] = '\0';
		if (out.len < 3 || strcmp(out.s + out.len - 3, ellipsis))
			buf_adds(&out, ellipsis);
		for (s += n; *s && !is_name_char(*s); s++)
			;
	}
	return buf_detach(&out);
}

static char *cut_middle(const char *s, size_t columns)
{
	struct buf out = { 0 };

	view_cut_name(&out, s, columns);
	return buf_detach(&out);
}

/* Removes the word (NULL: the middle) from names that are too long, unless that makes two of them equal. */
static void leave_out(struct name *name, size_t n, const struct word *w, size_t columns)
{
	struct name *shorter = mem_alloc(n * sizeof(*shorter));
	bool taken;
	size_t i;

	for (i = 0; i < n; i++) {
		shorter[i] = name[i];
		shorter[i].cut = w && text_width(name[i].cut) > columns ?
					 without(name[i].cut, w) :
					 cut_middle(name[i].cut, w ? (size_t)-1 : columns);
	}
	taken = all_differ(shorter, n);
	for (i = 0; i < n; i++)
		free(taken ? name[i].cut : shorter[i].cut);
	if (taken)
		memcpy(name, shorter, n * sizeof(*name));
	free(shorter);
}

/* Cuts in the middle if names still differ then, else removes the words that most of them have in common. */
static void shorten(struct name *name, size_t n, size_t columns)
{
	struct word word[WORDS];
	size_t i, words = 0;

	for (i = 0; i < n; i++)
		name[i].cut = cut_middle(name[i].whole, columns);
	if (all_differ(name, n))
		return;
	for (i = 0; i < n; i++) {
		free(name[i].cut);
		name[i].cut = mem_str(name[i].whole);
		count_words(name[i].whole, word, &words);
	}
	qsort(word, words, sizeof(*word), by_count);
	for (i = 0; i < words && word[i].count > 1; i++)
		leave_out(name, n, &word[i], columns);
	leave_out(name, n, NULL, columns);
}

/* The names of a column that are too long for it, by cell; *count of them. */
static struct name *cut_names(const struct rows *r, int col, size_t columns, size_t *count)
{
	struct name *all = NULL;
	struct buf b = { 0 };
	size_t row, k, n = 0, cap = 0;

	for (row = 0; row < r->n; row++) {
		k = row * r->ncols + col;
		buf_reset(&b);
		if (column_is_name(r, k))
			shown_text(r, k, &b);
		if (!b.len || text_width(b.s) <= columns)
			continue;
		all = mem_grow(all, &cap, n + 1, sizeof(*all));
		all[n++] = (struct name){ .cell = k, .whole = mem_str(b.s) };
	}
	if (n) {
		shorten(all, n, columns);
		qsort(all, n, sizeof(*all), by_cell);
	}
	buf_release(&b);
	*count = n;
	return all;
}

/* ---- the table -------------------------------------------------------------------------------------------- */

struct shape {
	size_t width;
	bool number;	   /* every cell that is not null */
	bool shown;	   /* not for machines only, and not null in every row */
	size_t most;	   /* columns that a cell may take */
	struct name *name; /* owned, names: those that were cut */
	size_t names;
};

/* The texts of all cells, each ended by a NUL, and where they are: each is made once. */
struct texts {
	struct buf all;
	struct text_at {
		size_t at, width;
	} * cell; /* owned */
};

/* The text of a cell in its column. */
static void cell_text(const struct rows *r, size_t k, const struct shape *shape, struct buf *scratch, struct buf *out)
{
	const struct name wanted = { .cell = k };
	const struct name *cut = shape->names ? bsearch(&wanted, shape->name, shape->names, sizeof(wanted), by_cell) :
						NULL;

	if (cut) {
		buf_adds(out, cut->cut);
		return;
	}
	buf_reset(scratch);
	shown_text(r, k, scratch);
	view_cut(out, scratch->s, shape->most);
}

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

static void measure_columns(const struct rows *r, struct shape *shape, struct texts *t)
{
	struct buf scratch = { 0 };
	int i, last = 0;
	size_t k, w;

	for (i = 0; i < r->ncols; i++) {
		shape[i].shown = !r->ops->cols[i].machine_only && any_value(r, i);
		shape[i].width = text_width(r->ops->cols[i].name);
		shape[i].number = r->n > 0;
		if (shape[i].shown)
			last = i;
	}
	for (i = 0; i < r->ncols; i++) {
		shape[i].most = i == last ? WIDEST_LAST : WIDEST;
		if (shape[i].shown)
			shape[i].name = cut_names(r, i, shape[i].most, &shape[i].names);
	}
	for (k = 0; k < r->n * r->ncols; k++) {
		const struct val *v = r->cell[k].v;

		i = k % r->ncols;
		if (!shape[i].shown)
			continue;
		t->cell[k].at = t->all.len;
		cell_text(r, k, &shape[i], &scratch, &t->all);
		w = t->cell[k].width = text_width(buf_str(&t->all) + t->cell[k].at);
		buf_addc(&t->all, '\0');
		if (w > shape[i].width)
			shape[i].width = w;
		if (v && v->type != VAL_NULL && v->type != VAL_INT && v->type != VAL_REAL)
			shape[i].number = false;
	}
	shape[last].width = shape[last].number ? shape[last].width : 0; /* no spaces at the end of a line */
	buf_release(&scratch);
}

static void column_add_cell(struct buf *out, const char *text, size_t w, const struct shape *shape, bool first)
{
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
	struct texts t = { .cell = mem_alloc((r->n * r->ncols + 1) * sizeof(*t.cell)) };
	const struct text_at *cell;
	bool marks = false, first = true;
	size_t row;
	int i;

	for (row = 0; row < r->n; row++)
		marks |= r->mark[row] & (MARK_CURRENT | MARK_BREAK);
	measure_columns(r, shape, &t);
	buf_adds(out, marks ? "   " : "");
	for (i = 0; i < r->ncols; i++) {
		if (!shape[i].shown)
			continue;
		column_add_cell(out, r->ops->cols[i].name, text_width(r->ops->cols[i].name), &shape[i], first);
		first = false;
	}
	end_line(out);
	for (row = 0; row < r->n; row++) {
		if (marks)
			buf_adds(out, r->mark[row] & MARK_CURRENT ? "=> " : r->mark[row] & MARK_BREAK ? "*  " : "   ");
		for (first = true, i = 0; i < r->ncols; i++) {
			if (!shape[i].shown)
				continue;
			cell = &t.cell[row * r->ncols + i];
			column_add_cell(out, t.all.s + cell->at, cell->width, &shape[i], first);
			first = false;
		}
		end_line(out);
	}
	for (i = 0; i < r->ncols; i++) {
		for (row = 0; row < shape[i].names; row++) {
			free(shape[i].name[row].whole);
			free(shape[i].name[row].cut);
		}
		free(shape[i].name);
	}
	buf_release(&t.all);
	free(t.cell);
	free(shape);
}
