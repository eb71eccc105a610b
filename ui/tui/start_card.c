/* SPDX-License-Identifier: BSD-3-Clause */
/* The start card: before the first stop in compiled code, panes that have nothing to show name six tasks and their
   commands.  Changes nothing. */
#include "config.h"
#include "base/val.h"
#include "ui/tui/tui.h"

static const struct {
	const char *task, *command;
} tasks[] = {
	{ "Type, then F5:", "" },
	{ "Find graph breaks", "catch graph-break" },
	{ "Find recompiles", "catch recompile" },
	{ "Find the first NaN", "catch nan" },
	{ "Step compiled code", "break FUNC, then F7" },
	{ "Find a wrong node", "graph compare" },
	{ "Edit a guard", "focus guards, Space" },
};
enum { TASKS = sizeof(tasks) / sizeof(*tasks), INDENT = 1, COMMANDS = 19, LEAST_COLS = 36 };

static bool takes_card(const struct pane *p)
{
	bool empty = p->error || (p->rows && !p->rows->n && !p->filter.text);

	return p->shown && p->kind == PANE_VIEW && p->view && empty && !p->view->needs_stop &&
	       p->rect.w >= LEAST_COLS && p->rect.h > 1;
}

bool tui_card_shown(const struct tui *t)
{
	return !t->program.compiled && t->program.life != LIFE_EXITED && !t->panes.zoom && !t->panes.help_open;
}

/* Draws as many tasks as fit; returns the number of the first one that did not. */
static int draw(struct tui *t, const struct pane *p, int first)
{
	int y = p->rect.y + 1, end = p->rect.y + p->rect.h, x = p->rect.x + INDENT, w = p->rect.w - INDENT;

	grid_fill(&t->screen.grid, (struct rect){ y, p->rect.x, end - y, p->rect.w }, ' ', (struct look){ 0 });
	for (; first < TASKS && y < end; first++, y++) {
		grid_text(&t->screen.grid, y, x, w, 0, tasks[first].task, theme_look(STYLE_TEXT));
		grid_text(&t->screen.grid, y, x + COMMANDS, w - COMMANDS, 0, tasks[first].command,
			  theme_look(STYLE_NAME));
	}
	return first;
}

void tui_card_draw(struct tui *t)
{
	int i, first = 0;

	if (!tui_card_shown(t))
		return;
	for (i = 0; i < t->panes.n && first < TASKS; i++)
		if (t->panes.all[i]->number && takes_card(t->panes.all[i]))
			first = draw(t, t->panes.all[i], first);
}
