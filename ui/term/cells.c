/* SPDX-License-Identifier: BSD-3-Clause */
/* Cells passed to curses: those that differ from what the terminal shows, and colour pairs.  Knows no descriptor. */
#include "config.h"
#define NCURSES_WIDECHAR 1
#include "ui/term/cells.h"
#include <curses.h>
#include <stdlib.h>
#include <string.h>
#include "base/buf.h"

enum { PAIRS = 1024 };

static struct {
	int colours;
	unsigned npairs;
	struct {
		uint16_t fg, bg;
	} pair[PAIRS];
} cells;

void cells_begin(int colours)
{
	cells.colours = colours;
	cells.npairs = 0;
}

static short pair_of(uint16_t fg, uint16_t bg)
{
	unsigned i, max = PAIRS;

	if (!cells.colours || (!fg && !bg))
		return 0;
	for (i = 0; i < cells.npairs; i++)
		if (cells.pair[i].fg == fg && cells.pair[i].bg == bg)
			return (short)(i + 1);
	if (COLOR_PAIRS > 0 && (unsigned)COLOR_PAIRS - 1 < max)
		max = (unsigned)COLOR_PAIRS - 1;
	if (i >= max)
		return 0;
	cells.pair[i].fg = fg;
	cells.pair[i].bg = bg;
	cells.npairs++;
	init_pair((short)(i + 1), (short)(fg - 1), (short)(bg - 1));
	return (short)(i + 1);
}

static void cell_to(cchar_t *out, const struct gcell *c)
{
	wchar_t w[3] = { c->c ? (wchar_t)c->c : L' ', (wchar_t)c->mark, 0 };
	attr_t a = 0;

	if (c->look.attr & LOOK_BOLD)
		a |= A_BOLD;
	if (c->look.attr & LOOK_DIM)
		a |= A_DIM;
	if (c->look.attr & LOOK_REVERSE)
		a |= A_REVERSE;
	if (c->look.attr & LOOK_UNDERLINE)
		a |= A_UNDERLINE;
	if (c->look.attr & LOOK_ITALIC)
		a |= A_ITALIC;
	setcchar(out, w, a, pair_of(c->look.fg, c->look.bg), NULL);
}

/* Hand the span of a row that differs to curses. */
static void send_row(struct grid *g, int y, cchar_t *line)
{
	const struct gcell *now = &g->now[y * g->cols], *sent = &g->sent[y * g->cols];
	const struct gcell *last = NULL;
	int from = 0, to = g->cols, x, n = 0;

	if (!memcmp(now, sent, (size_t)g->cols * sizeof(*now)))
		return;
	while (from < to && !memcmp(&now[from], &sent[from], sizeof(*now)))
		from++;
	if (from == to)
		return;
	while (!memcmp(&now[to - 1], &sent[to - 1], sizeof(*now)))
		to--;
	while (from > 0 && !now[from].width)
		from--;
	for (x = from; x < to; x++) {
		if (!now[x].width)
			continue;
		/* most cells look like the one before them: only the character is another one */
		if (last && now[x].c && !now[x].mark && !last->mark && last->c &&
		    !memcmp(&now[x].look, &last->look, sizeof(last->look))) {
			line[n] = line[n - 1];
			line[n].chars[0] = (wchar_t)now[x].c;
		} else {
			cell_to(&line[n], &now[x]);
		}
		last = &now[x];
		n++;
	}
	mvwadd_wchnstr(stdscr, y, from, line, n);
}

void cells_send(struct grid *g, int y, int x, bool all)
{
	cchar_t *line = mem_alloc((size_t)(g->cols + 1) * sizeof(*line));
	size_t n = (size_t)g->rows * (size_t)g->cols;
	int row;

	if (all) {
		clearok(curscr, TRUE);
		memset(g->sent, 0xff, n * sizeof(*g->sent));
	}
	for (row = 0; row < g->rows; row++)
		send_row(g, row, line);
	memcpy(g->sent, g->now, n * sizeof(*g->now));
	wmove(stdscr, y < g->rows ? y : g->rows - 1, x < g->cols ? x : g->cols - 1);
	wnoutrefresh(stdscr);
	doupdate();
	free(line);
}
