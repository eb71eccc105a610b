/* SPDX-License-Identifier: BSD-3-Clause */
/* The cells that differ from what the terminal shows, as bytes.  Knows no descriptor, and of the terminal only what
   codes.h says.  curses has no part in it: it takes three times as long for the same bytes. */
#include "config.h"
#include "ui/term/cells.h"
#include <string.h>
#include "ui/term/codes.h"

enum {
	GAP = 4,	/* so many cells that did not change are written again: moving takes more bytes */
	ERASE_MIN = 12, /* spaces; fewer are written */
	REPEAT_MIN = 8, /* equal characters */
	LINE_MIN = 4,	/* spaces at the end of a row */
};

/* The cursor of the terminal, and the current look. */
struct pen {
	struct buf *out;
	struct look look;
	int y, x;	/* y < 0: unknown */
	bool loose;	/* after a character that a terminal may draw in another width */
	bool contested; /* terminals do differ in it, so that its right neighbour is always placed */
};

static const struct codes_can *can;
static int cursor_y = -1, cursor_x;

int cells_begin(void)
{
	can = codes_begin();
	cursor_y = -1;
	return can->colours;
}

/* Nothing is seen but the background. */
static bool cell_is_blank(const struct gcell *c)
{
	return c->c == ' ' && !c->mark && !(c->look.attr & (LOOK_REVERSE | LOOK_UNDERLINE));
}

static bool same(const struct gcell *a, const struct gcell *b)
{
	return !memcmp(a, b, sizeof(*a)) || (cell_is_blank(a) && cell_is_blank(b) && a->look.bg == b->look.bg);
}

static bool erasable(const struct gcell *c)
{
	return cell_is_blank(c) && (!c->look.bg || can->erases_coloured);
}

static void set_look(struct pen *p, struct look l)
{
	if (!memcmp(&p->look, &l, sizeof(l)))
		return;
	codes_look(p->out, p->look, l);
	p->look = l;
}

/* A space needs its background only: the rest of the look stays as it is where it does not show. */
static void look_for(struct pen *p, const struct gcell *c)
{
	struct look l = p->look;

	if (cell_is_blank(c) && !(l.attr & (LOOK_REVERSE | LOOK_UNDERLINE))) {
		l.bg = c->look.bg;
		set_look(p, l);
	} else {
		set_look(p, c->look);
	}
}

/* Parts of flags are one or two columns wide, and joined emoji are one character on some terminals. */
static bool is_contested(const struct gcell *c)
{
	return (c->c >= 0x1f1e6 && c->c <= 0x1f1ff) || c->mark == 0x200d || c->mark == 0xfe0f;
}

static void write_cell(struct pen *p, const struct gcell *c)
{
	char text[8];
	size_t n;

	look_for(p, c);
	if (c->c >= ' ' && c->c < 0x7f && !c->mark) {
		buf_addc(p->out, (char)c->c);
		p->x++;
		p->contested = false;
		return;
	}
	if (is_contested(c) && c->width > 1 &&
	    can->move_coloured) { /* a terminal that draws it in one column leaves the other */
		buf_adds(p->out, "  ");
		codes_move(p->out, p->y, p->x);
	}
	n = text_encode(text, c->c ? c->c : ' ');
	if (c->mark)
		n += text_encode(text + n, c->mark);
	buf_add(p->out, text, n);
	p->x += c->width;
	p->loose = c->width > 1 || c->mark || is_contested(c);
	p->contested = is_contested(c);
}

/* Cells x to `to` of the row can be written again for less than it takes to move over them. */
static bool is_cheap(const struct pen *p, const struct gcell *row, int to)
{
	int x;

	if (p->loose || to - p->x > GAP)
		return false;
	for (x = p->x; x < to; x++)
		if (row[x].c < ' ' || row[x].c > 0x7e || row[x].mark || memcmp(&row[x].look, &p->look, sizeof(p->look)))
			return false;
	return true;
}

static void move_to(struct pen *p, const struct gcell *row, int y, int x)
{
	bool wide = row[x].width > 1 || row[x].mark;

	if (p->y == y && p->x == x && !p->contested && (!p->loose || wide))
		return;
	if (p->y == y && p->x < x && is_cheap(p, row, x)) {
		while (p->x < x)
			write_cell(p, &row[p->x]);
		return;
	}
	if (!can->move_coloured)
		set_look(p, (struct look){ 0 });
	if (p->y == y && p->x < x && !p->loose && can->erases)
		codes_right(p->out, x - p->x);
	else
		codes_move(p->out, y, x);
	p->y = y;
	p->x = x;
	p->loose = p->contested = false;
}

/* Write the cell at x, and those after it that are the same; how many. */
static int write_run(struct pen *p, const struct gcell *row, int y, int x, int end)
{
	const struct gcell *c = &row[x];
	int n = 1, i;

	while (x + n < end && c->width == 1 && same(c, &c[n]))
		n++;
	move_to(p, row, y, x);
	if (n >= ERASE_MIN && can->erases && erasable(c)) {
		look_for(p, c);
		codes_erase_chars(p->out, n);
		return n;
	}
	if (n >= REPEAT_MIN && can->repeats && c->c >= ' ' && c->c < 0x7f && !c->mark) {
		look_for(p, c);
		codes_repeat(p->out, (char)c->c, n);
		p->x += n;
		return n;
	}
	for (i = 0; i < n; i++)
		write_cell(p, c);
	return c->width > 1 ? 2 : n;
}

static void send_row(struct pen *p, const struct grid *g, int y)
{
	const struct gcell *now = &g->now[y * g->cols], *sent = &g->sent[y * g->cols];
	int from = 0, to = g->cols, tail = g->cols, x, end;

	while (from < to && same(&now[from], &sent[from]))
		from++;
	while (to > from && same(&now[to - 1], &sent[to - 1]))
		to--;
	if (from == to)
		return;
	if (erasable(&now[g->cols - 1]))
		while (tail > from && same(&now[tail - 1], &now[g->cols - 1]))
			tail--;
	end = to - tail >= LINE_MIN ? tail : to;
	if (end == to && to == g->cols && y == g->rows - 1 && can->scrolls_at_end)
		end--;
	for (x = from; x < end;) {
		if (same(&now[x], &sent[x]) && now[x].width) {
			x++;
			continue;
		}
		if (!now[x].width && x > 0) /* the right half alone: both are written */
			x--;
		x += write_run(p, now, y, x, end);
		if (p->x >= g->cols)
			p->y = -1; /* terminals differ in where that is */
	}
	if (to - tail >= LINE_MIN) {
		move_to(p, now, y, end);
		look_for(p, &now[end]);
		codes_erase_line(p->out);
	}
}

/* What the terminal shows is unknown. */
static void begin_all(struct grid *g, struct pen *p)
{
	const struct gcell blank = { .c = ' ', .width = 1 };
	size_t n = (size_t)g->rows * (size_t)g->cols, i;

	codes_look(p->out, (struct look){ .attr = 0xffff }, (struct look){ 0 });
	codes_clear(p->out, g->rows);
	for (i = 0; i < n; i++)
		g->sent[i] = blank;
	cursor_y = -1;
}

void cells_send(struct grid *g, int y, int x, bool all, struct buf *out)
{
	struct pen pen = { .out = out, .y = -1 };
	size_t bytes = (size_t)g->cols * sizeof(*g->now), before = out->len;
	int row;

	if (all)
		begin_all(g, &pen);
	for (row = 0; row < g->rows; row++) {
		if (!memcmp(&g->now[row * g->cols], &g->sent[row * g->cols], bytes))
			continue;
		send_row(&pen, g, row);
		memcpy(&g->sent[row * g->cols], &g->now[row * g->cols], bytes);
	}
	y = y < g->rows ? y : g->rows - 1;
	x = x < g->cols ? x : g->cols - 1;
	set_look(&pen, (struct look){ 0 });
	if (out->len == before && y == cursor_y && x == cursor_x)
		return;
	codes_move(out, y, x);
	cursor_y = y;
	cursor_x = x;
}
