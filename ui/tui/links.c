/* SPDX-License-Identifier: BSD-3-Clause */
/* Links of the selected row: asks the stopped thread for them whenever another row is selected.  Knows no kind of
   row; a view names its rows. */
#include "config.h"
#include <stdlib.h>
#include <string.h>
#include "base/val.h"
#include "ui/tui/tui.h"

/* The name to ask with for the row of the cursor; NULL: it has none. */
static const char *name_here(const struct tui *t)
{
	const struct pane *p = t->panes.focus;
	const char *name;
	long i;

	if (!p || p->kind != PANE_VIEW || !p->shown || p->error)
		return NULL;
	i = pane_index(p, p->cursor);
	name = i >= 0 ? pane_about(p, (size_t)i) : "";
	return *name ? name : NULL;
}

static bool links_are_same(const struct tui *t, const char *name)
{
	return name ? t->links.row && !strcmp(t->links.row, name) && !t->links.stale : !t->links.row;
}

static void links_forget(struct tui *t, const char *name)
{
	free(t->links.row);
	t->links.row = name ? mem_str(name) : NULL;
	t->links.stale = false;
	if (name)
		return; /* the marks stay until the answer arrives */
	val_free(t->links.list);
	t->links.list = NULL;
}

bool tui_links_wanted(const struct tui *t)
{
	return t->links.asked || !links_are_same(t, name_here(t));
}

bool tui_links_ask(struct tui *t)
{
	const char *name = name_here(t);
	struct ask a = { .type = ASK_LINKS };

	if (links_are_same(t, name) || t->links.asked)
		return false;
	if (!name) {
		links_forget(t, NULL);
		t->screen.dirty = true;
		return false;
	}
	a.text = mem_str(name);
	if (!channel_post(&a)) {
		ask_release(&a);
		return false;
	}
	links_forget(t, name);
	if (!t->program.working) /* the screen is drawn when they have arrived, unless that takes long */
		clock_gettime(CLOCK_MONOTONIC, &t->program.since);
	return t->links.asked = true;
}

void tui_links_take(struct tui *t, struct answer *a)
{
	t->links.asked = false;
	if (!t->links.row || strcmp(t->links.row, a->line))
		return;
	val_free(t->links.list);
	t->links.list = a->list;
	a->list = NULL;
}
