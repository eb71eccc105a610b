/* SPDX-License-Identifier: BSD-3-Clause */
/* The mouse: clicks on rows, margins and hints, the wheel, borders that are dragged.  Draws nothing. */
#include "config.h"
#include "ui/term/codes.h"
#include <stdlib.h>
#include <string.h>
#include "ui/tui/tui.h"

enum { MARGIN = 2, DOUBLE_MS = 400, DRAGGED = 32 };

static struct pane *pane_under(struct tui *t, int y, int x)
{
	int i;

	for (i = 0; i < t->panes.n; i++) {
		const struct rect *r = &t->panes.all[i]->rect;

		if (t->panes.all[i]->shown && y >= r->y && y < r->y + r->h && x >= r->x && x < r->x + r->w)
			return t->panes.all[i];
	}
	return NULL;
}

/* Columns of the margin: the signs, and before source the numbers of the lines. */
static int margin(const struct pane *p)
{
	return p->rows && p->view && !strcmp(p->view->name, "source") && !p->error ? GUTTER + p->width[0] : MARGIN;
}

/* A click on a row selects it, one in the margin sets a breakpoint, and a double click does what Enter does. */
static void click(struct tui *t, struct pane *p, const struct key *k)
{
	struct timespec now;
	long ms;

	clock_gettime(CLOCK_MONOTONIC, &now);
	ms = (now.tv_sec - t->keys.clicked.tv_sec) * 1000 + (now.tv_nsec - t->keys.clicked.tv_nsec) / 1000000;
	pane_move(p, (long)(p->top + (size_t)(k->row - pane_y(p))) - (long)p->cursor);
	if (p->kind != PANE_VIEW)
		return;
	if (k->col < p->rect.x + margin(p)) {
		tui_command(t, "tui break", true);
	} else if (ms < DOUBLE_MS && t->keys.click_row == k->row && t->keys.click_col == k->col) {
		tui_command(t, "tui follow", true);
		now.tv_sec = 0; /* a third click does not make another double click */
	}
	t->keys.clicked = now;
	t->keys.click_row = k->row;
	t->keys.click_col = k->col;
}

/* Moves the border while the button is pressed. */
static void drag(struct tui *t, const struct key *k)
{
	struct border b = t->mouse.border;

	if (!b.split || t->panes.zoom || t->panes.help_open)
		return;
	if (layout_move(&b, k->row, k->col) < 0)
		return;
	t->mouse.dragged = true;
	tui_place(t);
}

static void mouse_release(struct tui *t)
{
	if (t->mouse.dragged)
		tui_layout_changed(t);
	t->mouse.border.split = NULL;
	t->mouse.dragged = false;
}

static void press_hint(struct tui *t, int col)
{
	char bytes[8];
	struct key k;
	const char *line = tui_hint_at(t, col, bytes, &k);

	if (line && !*line)
		tui_key(t, &k);
	else if (line && (!strcmp(line, "restart") || !strcmp(line, "quit")))
		tui_command(t, line, false);
}

static void press(struct tui *t, const struct key *k, struct pane *p)
{
	if (t->panes.zoom || t->panes.help_open || !t->layouts.current ||
	    !layout_border(t->layouts.current, k->row, k->col, &t->mouse.border))
		t->mouse.border.split = NULL;
	if (k->row == t->screen.rows - 1 && tui_hint_rows(t)) {
		press_hint(t, k->col);
		return;
	}
	if (!p && t->mouse.border.split)
		return; /* between panes: the focus stays */
	tui_focus(t, p);
	if (p && k->row >= pane_y(p) && p->kind != PANE_OUTPUT)
		click(t, p, k);
}

void tui_mouse(struct tui *t, const struct key *typed)
{
	struct key here = *typed;
	const struct key *k = &here;
	struct pane *p;

	here.row -= codes_rows_above();
	if (here.row < 0)
		return;
	p = pane_under(t, k->row, k->col);
	if (!k->press) {
		mouse_release(t);
	} else if (k->button == 64 || k->button == 65) {
		if (p)
			pane_scroll(p, k->button == 64 ? -3 : 3);
		else
			t->messages.back = k->button == 64	? t->messages.back + 3 :
					   t->messages.back > 3 ? t->messages.back - 3 :
								  0;
	} else if (k->button == DRAGGED) {
		drag(t, k);
	} else if (k->button == 0) {
		press(t, k, p);
	}
}
