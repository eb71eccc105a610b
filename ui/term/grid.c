/* SPDX-License-Identifier: BSD-3-Clause */
/* The screen as cells, filled with text.  Knows no terminal: terminal.c sends what changed. */
#include "ui/term/grid.h"
#include <stdlib.h>
#include <string.h>
#include "base/buf.h"
#include "base/visible.h"

void grid_resize(struct grid *g, int rows, int cols)
{
	size_t n = (size_t)rows * (size_t)cols;

	free(g->now);
	free(g->sent);
	g->rows = rows;
	g->cols = cols;
	g->now = mem_alloc(n * sizeof(*g->now) + 1);
	g->sent = mem_alloc(n * sizeof(*g->sent) + 1);
	grid_fill(g, (struct rect){ 0, 0, rows, cols }, ' ', (struct look){ 0 });
}

void grid_release(struct grid *g)
{
	free(g->now);
	free(g->sent);
	memset(g, 0, sizeof(*g));
}

/* A cell is about to be overwritten: the other half of a wide character must not stay. */
static void break_wide(struct grid *g, int y, int x)
{
	struct gcell *c = &g->now[y * g->cols + x];

	if (c->width == 0 && x > 0) {
		c[-1].c = ' ';
		c[-1].mark = 0;
		c[-1].width = 1;
	}
	if (c->width == 2 && x + 1 < g->cols) {
		c[1].c = ' ';
		c[1].width = 1;
	}
}

static void grid_put_cell(struct grid *g, int y, int x, uint32_t c, int width, struct look look)
{
	struct gcell *cell = &g->now[y * g->cols + x];

	break_wide(g, y, x);
	if (width == 2)
		break_wide(g, y, x + 1);
	*cell = (struct gcell){ .c = c, .look = look, .width = (uint16_t)width };
	if (width == 2)
		cell[1] = (struct gcell){ .look = look };
}

void grid_fill(struct grid *g, struct rect r, uint32_t c, struct look look)
{
	const struct gcell cell = { .c = g->ascii && c > 126 ? '?' : c, .look = look, .width = 1 };
	int y, x;

	if (!r.x && r.w >= g->cols) { /* whole rows: no half of a wide character is left */
		for (y = r.y < 0 ? 0 : r.y; y < r.y + r.h && y < g->rows; y++)
			for (x = 0; x < g->cols; x++)
				g->now[y * g->cols + x] = cell;
		return;
	}
	for (y = r.y < 0 ? 0 : r.y; y < r.y + r.h && y < g->rows; y++)
		for (x = r.x < 0 ? 0 : r.x; x < r.x + r.w && x < g->cols; x++)
			grid_put_cell(g, y, x, cell.c, 1, look);
}

/* The replacement for a character that cannot be shown. */
static uint32_t shown_character(const struct grid *g, uint32_t c, size_t *width)
{
	*width = text_char_width(c);
	if (c == '\n' && !g->ascii) /* a value of several lines in one row */
		return 0x21b5;
	if (!visible_char(c)) {
		*width = 1;
		return g->ascii ? '?' : 0xfffd;
	}
	if (g->ascii && c > 126) {
		*width = 1;
		return '?';
	}
	return c;
}

size_t grid_text_width(const char *s, size_t n)
{
	const char *end = s + n;
	size_t w = 0;
	uint32_t c;

	while (s < end && *s) {
		s += text_decode(s, &c);
		w += text_char_width(c);
	}
	return w;
}

/* The look of each character: one look for all, or by its letter in kinds. */
struct looks {
	struct look all;
	const char *kinds;
	struct look (*of)(char kind);
};

static int put_text(struct grid *g, int y, int x, int width, int skip, const char *s, size_t n, const struct looks *l)
{
	const char *begin = s, *end = s + n;
	int col = 0, right;
	struct look look = l->all;
	size_t w;
	uint32_t c;

	if (y < 0 || y >= g->rows || x < 0 || x >= g->cols)
		return 0;
	if (width > g->cols - x)
		width = g->cols - x;
	right = skip + width;
	while (s < end && *s) {
		if (l->kinds)
			look = l->of(l->kinds[s - begin]);
		s += text_decode(s, &c);
		if (c == '\t') {
			do {
				if (col >= skip && col < right)
					grid_put_cell(g, y, x + col - skip, ' ', 1, look);
				col++;
			} while (col % 8 && col < right);
			continue;
		}
		c = shown_character(g, c, &w);
		if (w == 0) {
			if (col > skip && col <= right && g->now[y * g->cols + x + col - skip - 1].width == 1)
				g->now[y * g->cols + x + col - skip - 1].mark = c;
			continue;
		}
		if (col + (int)w > right)
			break;
		if (col >= skip)
			grid_put_cell(g, y, x + col - skip, c, (int)w, look);
		else if (col + (int)w > skip) /* half of a wide one */
			grid_put_cell(g, y, x, ' ', 1, look);
		col += (int)w;
	}
	return col > skip ? col - skip : 0;
}

int grid_text_n(struct grid *g, int y, int x, int width, int skip, const char *s, size_t n, struct look look)
{
	return put_text(g, y, x, width, skip, s, n, &(struct looks){ .all = look });
}

int grid_text_kinds(struct grid *g, int y, int x, int width, int skip, const char *s, const char *kinds,
		    struct look (*look)(char kind))
{
	return put_text(g, y, x, width, skip, s, strlen(s), &(struct looks){ .kinds = kinds, .of = look });
}

int grid_text(struct grid *g, int y, int x, int width, int skip, const char *s, struct look look)
{
	return grid_text_n(g, y, x, width, skip, s, strlen(s), look);
}

void grid_tint(struct grid *g, int y, int x, int width, struct look look, bool fg)
{
	struct gcell *c;
	int i;

	for (i = 0; y >= 0 && y < g->rows && i < width && x + i < g->cols; i++) {
		c = &g->now[y * g->cols + x + i];
		c->look.bg = look.bg;
		c->look.attr |= look.attr;
		if (fg)
			c->look.fg = look.fg;
	}
}
