/* SPDX-License-Identifier: BSD-3-Clause */
/* Views: what is shown, as rows of cells.  A view fills rows from a session and never draws; knows no terminal. */
#ifndef CDBG_VIEW_H
#define CDBG_VIEW_H
#include "view/view_def.h"

/* Add a row, then its cells in the order of cols; cells left out are null. */
void rows_add(struct rows *r, unsigned marks);
void rows_int(struct rows *r, const char *col, long long i);
void rows_str(struct rows *r, const char *col, enum role role, const char *s); /* NULL: null */
void rows_bool(struct rows *r, const char *col, bool b);
void rows_val(struct rows *r, const char *col, enum role role, struct val *v); /* takes v */
/* What people see in a table instead of the cell, which machines get; NULL: the cell. */
void rows_shown(struct rows *r, const char *col, const char *s);
const struct val *rows_cell(const struct rows *r, size_t row, const char *col);
const char *rows_text(const struct rows *r, size_t row, const char *col); /* "" when absent or no string */
long long rows_number(const struct rows *r, size_t row, const char *col, long long absent);
/* To be called before each row: counts it in total; is it in the requested window? */
bool rows_want(struct rows *r, const struct view_req *req);
/* For a fill() that knows its current row and the number of rows: computes the window for a request. */
void rows_follow(struct view_req *req, size_t current, size_t total);
void rows_title(struct rows *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Drops all rows but those with these n indexes, in ascending order.  Changes neither first nor total. */
void rows_keep(struct rows *r, const size_t *keep, size_t n);
void rows_free(struct rows *r);
/* Is it shown as a column, or searched?  False for what a screen only works with: "link", "about", "detail",
   "syntax". */
bool view_col_text(const struct view_col *c);
/* A table for people: aligned, headings, null as "-". */
void rows_table(const struct rows *r, struct buf *out);
/* s in at most that many columns, an ellipsis where it was cut. */
void view_cut(struct buf *out, const char *s, size_t columns);
/* Does the summary of a value of this type spell it as Python would?  Then editing begins with that text. */
bool view_spelled(const char *type, const char *value);
/* The same with the ellipsis in the middle: names and paths often differ at their end. */
void view_cut_name(struct buf *out, const char *s, size_t columns);

/* Every view, in the order in which the tables were added.  NULL past the last. */
const struct view_ops *view_at(int i);
const struct view_ops *view_find(const char *name, struct err *err); /* full names come before prefixes */
void view_add(const struct view_ops *const *views);		     /* NULL-terminated; kept by reference; once only */
/* Fill all rows; NULL with err. */
struct rows *view_rows(struct session *s, const struct view_ops *v, const char *words, struct err *err);
/* Fill a window of rows; NULL with err. */
struct rows *view_window(struct session *s, const struct view_ops *v, const struct view_req *req, struct err *err);
/* A text for each row, which is equal in processes that did the same: a list, the caller's.  See view_col.local. */
struct val *row_texts(const struct rows *r);
/* What the view `ranks` shows: lines "[0-2] running", each with the end that follows. */
enum { VIEW_RANKS_END = 30 };
void view_ranks_told(const char *text);
/* As view_ops.action, of rows with the columns `place` and `breakpoint`. */
void view_place_action(const struct rows *r, size_t row, enum row_action what, struct buf *line);
/* Rows for people: the view's own text, else the table. */
void view_text(struct session *s, const struct rows *r, struct buf *out);

#endif
