/* SPDX-License-Identifier: BSD-3-Clause */
/* The detail line: the full text of the selected row, above the prompt, while a pane has the focus. */
#include "config.h"
#include <string.h>
#include "base/val.h"
#include "base/visible.h"
#include "ui/tui/tui.h"

/* The text that the view itself has for a row. */
static const char *own_text(const struct rows *r, size_t row)
{
	const struct val *v = NULL;
	int c;

	for (c = 0; c < r->ncols; c++)
		if (!strcmp(r->ops->cols[c].name, "detail"))
			v = r->cell[row * (size_t)r->ncols + (size_t)c].v;
	return v && v->type == VAL_STR ? v->u.s : "";
}

static void add_shown(const struct rows *r, size_t row, int c, struct buf *out)
{
	size_t k = row * (size_t)r->ncols + (size_t)c;
	const struct val *v = r->cell[k].v;

	if (k < r->nshown && r->shown[k])
		buf_adds(out, visible(r->shown[k]));
	else if (v->type == VAL_STR)
		buf_adds(out, visible(v->u.s + strspn(v->u.s, " \t")));
	else if (v->type == VAL_INT)
		buf_addf(out, "%lld", v->u.i);
	else if (v->type == VAL_REAL)
		buf_addf(out, "%g", v->u.r);
	else if (v->type == VAL_BOOL)
		buf_adds(out, v->u.b ? "yes" : "no");
}

static bool is_told(const struct rows *r, size_t row, int c)
{
	const struct view_col *col = &r->ops->cols[c];
	const struct val *v = r->cell[row * (size_t)r->ncols + (size_t)c].v;

	return v && v->type != VAL_NULL && v->type != VAL_LIST && v->type != VAL_MAP && !col->machine_only &&
	       !col->signs && !col->heading && view_col_text(col);
}

/* ---- detail.c: the full text of the selected row */
static void tui_detail_text(const struct pane *p, struct buf *out)
{
	long i = pane_selected(p);
	int c;

	if (i < 0)
		return;
	buf_adds(out, visible(own_text(p->rows, (size_t)i)));
	if (out->len)
		return;
	for (c = 0; c < p->rows->ncols; c++) {
		if (!is_told(p->rows, (size_t)i, c))
			continue;
		if (out->len)
			buf_adds(out, "  ");
		add_shown(p->rows, (size_t)i, c, out);
	}
}

/* A heading's text, "name<Tab>what is at its right edge". */
static void add_heading_text(const struct rows *r, size_t row, struct buf *out)
{
	const struct val *v;
	int c;

	for (c = 0; c < r->ncols; c++) {
		v = r->cell[row * (size_t)r->ncols + (size_t)c].v;
		if (!r->ops->cols[c].heading || !v || v->type != VAL_STR || !*v->u.s)
			continue;
		buf_addf(out, "%.*s\n", (int)strcspn(v->u.s, "\t"), v->u.s);
		if (v->u.s[strcspn(v->u.s, "\t")])
			buf_addf(out, "%s\n", v->u.s + strcspn(v->u.s, "\t") + 1);
	}
}

void tui_row_text(const struct pane *p, struct buf *out)
{
	long i = pane_selected(p);
	int c;

	if (i < 0)
		return;
	add_heading_text(p->rows, (size_t)i, out);
	for (c = 0; c < p->rows->ncols; c++) {
		if (!is_told(p->rows, (size_t)i, c))
			continue;
		buf_addf(out, "%s: ", p->rows->ops->cols[c].name);
		add_shown(p->rows, (size_t)i, c, out);
		buf_addc(out, '\n');
	}
	if (*own_text(p->rows, (size_t)i))
		buf_addf(out, "%s\n", visible(own_text(p->rows, (size_t)i)));
}

/* After the mark of a text that is cut: the key that shows the row in full. */
#define MORE " v: all"
enum { MORE_W = sizeof(MORE) };

int tui_detail_draw(struct tui *t, struct rect r)
{
	struct buf b = { 0 };
	const char *s;
	int rows = 0, y;
	size_t n;

	tui_detail_text(t->panes.focus, &b);
	for (s = buf_str(&b); *s && r.w > 0; s += strspn(s, " "), rows++) /* the number of rows that the text takes */
		s += text_break(s, strlen(s), (size_t)r.w);
	rows = rows < r.h ? rows : r.h;
	for (s = buf_str(&b), y = r.y + r.h - rows; *s && y < r.y + r.h; y++) {
		n = y + 1 < r.y + r.h ? text_break(s, strlen(s), (size_t)r.w) : text_fit(s, (size_t)r.w);
		grid_text_n(&t->screen.grid, y, r.x, r.w, 0, s, n, theme_look(STYLE_TEXT));
		if (y + 1 == r.y + r.h && s[n]) {
			grid_text(&t->screen.grid, y, r.x + r.w - MORE_W, 1, 0, theme_sign(SIGN_MORE),
				  theme_look(STYLE_DIM));
			grid_text(&t->screen.grid, y, r.x + r.w - MORE_W + 1, MORE_W - 1, 0, MORE,
				  theme_look(STYLE_NOTE));
		}
		s += n;
		s += strspn(s, " ");
	}
	buf_release(&b);
	return rows;
}
