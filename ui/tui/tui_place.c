/* SPDX-License-Identifier: BSD-3-Clause */
/* Which rectangle each pane gets, and how many rows the messages and the hints.  Draws nothing. */
#include "config.h"
#include <string.h>
#include "ui/output/console.h"
#include "ui/output/progtty.h"
#include "ui/tui/tui.h"

enum { HEADS_ROWS = 7, LEAST_ROWS = 10, LEAST_COLS = 30 };

bool tui_small(const struct tui *t)
{
	return t->rows < LEAST_ROWS || t->cols < LEAST_COLS;
}

bool tui_small_screen(const struct tui *t)
{
	return t->rows < 30 || t->cols < 100;
}

int tui_hint_rows(const struct tui *t)
{
	return t->hints && t->rows >= 16 ? 1 : 0;
}

int tui_line_rows(const struct tui *t)
{
	int n = layouts_line_rows();

	if (!n)
		n = t->rows >= 60 ? 8 : t->rows >= 36 ? 5 : t->rows >= 24 ? 3 : t->rows >= 16 ? 2 : 1;
	if (n > t->rows - 6)
		n = t->rows - 6;
	return n > 0 ? n : 1;
}

/* Column names help where there are several, and no headings of the view's own. */
static bool has_heads(const struct view_ops *v)
{
	const struct view_col *c;
	int n = 0;

	for (c = v ? v->cols : NULL; c && c->name; c++) {
		n += !c->machine_only && !c->screen;
		if (c->heading)
			return false;
	}
	return n > 3;
}

static void place_one(void *arg, struct layout *l)
{
	struct tui *t = arg;
	struct pane *p = l->slot && t->slot ? t->slot : tui_pane(t, l->name);

	if (!p || !l->shown)
		return;
	p->shown = true;
	p->rect = l->rect;
	p->number = ++t->numbered;
	p->heads = l->rect.h >= HEADS_ROWS && has_heads(p->view);
}

/* A view in the free place cannot be in another place too. */
static void choose_slot(struct tui *t)
{
	struct layout *slot = layout_slot(t->layout);

	if (!slot) {
		t->slot = NULL;
		return;
	}
	if (!t->slot || (layout_find(t->layout, t->slot->name) && layout_find(t->layout, t->slot->name) != slot))
		t->slot = tui_pane(t, slot->name);
}

/* On a small screen the program's output takes one row where it has nothing new. */
static bool output_short(const struct tui *t)
{
	return tui_small_screen(t) && t->focus != t->output && console_total() == t->output_then;
}

void tui_place(struct tui *t)
{
	struct rect all = { 0, 0, t->rows - tui_line_rows(t) - tui_hint_rows(t) - 1, t->cols };
	int i;

	for (i = 0; i < t->npanes; i++) {
		t->pane[i]->shown = t->pane[i]->heads = false;
		t->pane[i]->number = 0;
	}
	t->numbered = 0;
	t->area = all;
	t->dirty = true;
	if (tui_small(t))
		return;
	if (t->help_open) {
		t->help->rect = all;
		t->help->shown = true;
	} else if (t->zoom) {
		t->zoom->rect = all;
		t->zoom->shown = true;
		t->zoom->heads = all.h > 8 && has_heads(t->zoom->view);
	} else if (t->layout) {
		choose_slot(t);
		t->output_short = output_short(t);
		layout_place(t->layout, all, layouts_is_hidden, t->output_short ? "output" : NULL);
		layout_each(t->layout, place_one, t);
	}
	if (t->output && t->output->shown && pane_height(t->output) > 0)
		progtty_size(pane_height(t->output), t->output->rect.w);
	else if (!t->output_short)
		progtty_size(24, t->cols);
}

/* What the program wrote since the last stop decides how high its pane is on a small screen. */
void tui_place_output(struct tui *t)
{
	if (t->layout && !t->zoom && !t->help_open && !tui_small(t) && t->output_short != output_short(t))
		tui_place(t);
}
