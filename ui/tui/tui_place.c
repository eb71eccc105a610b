/* SPDX-License-Identifier: BSD-3-Clause */
/* Which rectangle each pane gets, and how many rows the messages and the hints.  Draws nothing. */
#include "config.h"
#include <limits.h>
#include <string.h>
#include "ui/output/console.h"
#include "ui/output/progtty.h"
#include "ui/tui/pane_columns.h"
#include "ui/tui/tui.h"

enum { HEADS_ROWS = 4, LEAST_ROWS = 10, LEAST_COLS = 30 };

bool tui_small(const struct tui *t)
{
	return t->screen.rows < LEAST_ROWS || t->screen.cols < LEAST_COLS;
}

bool tui_small_screen(const struct tui *t)
{
	return t->screen.rows < 30 || t->screen.cols < 100;
}

int tui_hint_rows(const struct tui *t)
{
	return t->screen.hints && t->screen.rows >= 16 ? 1 : 0;
}

int tui_line_rows(const struct tui *t)
{
	int n = layouts_line_rows();

	if (!n)
		n = t->screen.rows >= 60 ? 8 :
		    t->screen.rows >= 36 ? 5 :
		    t->screen.rows >= 24 ? 3 :
		    t->screen.rows >= 16 ? 2 :
					   1;
	if (n > t->screen.rows - 6)
		n = t->screen.rows - 6;
	return n > 0 ? n : 1;
}

const char *tui_past(const struct tui *t)
{
	const char *past = t->program.status ? val_text(t->program.status, "past") : "";

	return *past ? past : NULL;
}

/* A table has a row of column names; lines of a file or of prose have none. */
static bool has_heads(const struct view_ops *v)
{
	return v && !v->wraps && strcmp(v->cols[0].name, "line");
}

static void place_pane(const struct tui *t, struct pane *p, struct rect r)
{
	int had = pane_height(p);

	p->shown = true;
	if (p->rect.w != r.w) /* rows of another size need no room any more */
		memset(p->width, 0, sizeof(p->width));
	p->rect = r;
	p->past = p->kind == PANE_VIEW && r.h >= HEADS_ROWS && tui_past(t);
	p->heads = p->kind == PANE_VIEW && r.h >= HEADS_ROWS + p->past && has_heads(p->view);
	if (pane_height(p) != had && p->kind == PANE_VIEW)
		pane_follow(p);
}

static void place_one(void *arg, struct layout *l)
{
	struct tui *t = arg;
	struct pane *p = l->slot && t->panes.slot ? t->panes.slot : tui_pane(t, l->name);

	if (!p || !l->shown)
		return;
	place_pane(t, p, l->rect);
	p->number = ++t->panes.numbered;
}

/* A view in the free place is not shown in another one, too. */
static void choose_slot(struct tui *t)
{
	struct layout *slot = layout_slot(t->layouts.current);

	if (!slot) {
		t->panes.slot = NULL;
		return;
	}
	if (!t->panes.slot || (layout_find(t->layouts.current, t->panes.slot->name) &&
			       layout_find(t->layouts.current, t->panes.slot->name) != slot))
		t->panes.slot = tui_pane(t, slot->name);
}

/* The output pane has one row while there is no new output. */
static bool output_short(const struct tui *t)
{
	return t->panes.focus != t->panes.output && console_total() == t->panes.output_then;
}

/* The pane in this place of the layout. */
static const struct pane *pane_in(const struct tui *t, const char *name)
{
	const struct layout *slot = layout_slot(t->layouts.current);
	int i;

	if (slot && t->panes.slot && !strcmp(slot->name, name))
		return t->panes.slot;
	for (i = 0; i < t->panes.n && strcmp(t->panes.all[i]->name, name); i++)
		;
	return i < t->panes.n ? t->panes.all[i] : NULL;
}

static int place_needs(const void *arg, const char *name)
{
	const struct pane *p = pane_in(arg, name);

	return !p ? 0 : p->needs ? p->needs : pane_columns_needed(p, INT_MAX);
}

/* The place of a pane whose rows ask for room, or NULL. */
static void note_wide(void *arg, struct layout *l)
{
	struct placing *placing = arg;
	const struct pane *p = pane_in(placing->arg, l->name);

	if (p && p->needs && !placing->hidden(l->name))
		placing->wide = l->name;
}

static void place_layout(struct tui *t, struct rect all)
{
	struct placing p = { .hidden = layouts_is_hidden, .needs = place_needs, .arg = t };

	choose_slot(t);
	t->panes.output_short = output_short(t);
	p.one_row = t->panes.output_short ? "output" : NULL;
	layout_each(t->layouts.current, note_wide, &p);
	layout_place(t->layouts.current, all, &p);
	layout_each(t->layouts.current, place_one, t);
}

void tui_place(struct tui *t)
{
	struct rect all = { 0, 0, t->screen.rows - tui_line_rows(t) - tui_hint_rows(t) - 1, t->screen.cols };
	int i;

	for (i = 0; i < t->panes.n; i++) {
		t->panes.all[i]->shown = false;
		t->panes.all[i]->number = 0;
	}
	t->panes.numbered = 0;
	t->layouts.area = all;
	t->screen.dirty = true;
	if (tui_small(t))
		return;
	all.h -= tui_overlay_card_rows(t, all.h);
	if (t->panes.help_open) {
		place_pane(t, t->panes.help, all);
	} else if (t->panes.zoom) {
		place_pane(t, t->panes.zoom, all);
	} else if (t->layouts.current) {
		place_layout(t, all);
	}
	if (t->panes.output && t->panes.output->shown && pane_height(t->panes.output) > 0)
		progtty_size(pane_height(t->panes.output), t->panes.output->rect.w);
	else if (!t->panes.output_short)
		progtty_size(24, t->screen.cols);
}

/* The height of the output pane depends on what the program wrote since the last stop. */
void tui_place_output(struct tui *t)
{
	if (t->layouts.current && !t->panes.zoom && !t->panes.help_open && !tui_small(t) &&
	    t->panes.output_short != output_short(t))
		tui_place(t);
}
