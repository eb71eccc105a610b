/* SPDX-License-Identifier: BSD-3-Clause */
/* What belongs with the row of the cursor: asked of the stopped thread whenever that row is another one.  Knows no kind
   of row: a view says what its rows are called. */
#include "config.h"
#include <stdlib.h>
#include <string.h>
#include "base/val.h"
#include "ui/tui/tui.h"

/* The name of the row of the cursor; NULL: it has none. */
static const char *name_here(const struct tui *t)
{
	const struct pane *p = t->focus;
	const char *name;
	long i;

	if (!p || p->kind != PANE_VIEW || !p->shown || p->error)
		return NULL;
	i = pane_index(p, p->cursor);
	name = i >= 0 ? pane_name_of(p, (size_t)i) : "";
	return *name ? name : NULL;
}

static bool links_are_same(const struct tui *t, const char *name)
{
	return name ? t->link_of && !strcmp(t->link_of, name) && !t->links_stale : !t->link_of;
}

static void links_forget(struct tui *t, const char *name)
{
	free(t->link_of);
	t->link_of = name ? mem_str(name) : NULL;
	t->links_stale = false;
	if (name)
		return; /* what was marked stays until the answer comes */
	val_free(t->links);
	t->links = NULL;
}

bool tui_links_wanted(const struct tui *t)
{
	return t->links_asked || !links_are_same(t, name_here(t));
}

bool tui_links_ask(struct tui *t)
{
	const char *name = name_here(t);
	struct ask a = { .type = ASK_LINKS };

	if (links_are_same(t, name) || t->links_asked)
		return false;
	if (!name) {
		links_forget(t, NULL);
		t->dirty = true;
		return false;
	}
	a.text = mem_str(name);
	if (!channel_post(&a)) {
		ask_release(&a);
		return false;
	}
	links_forget(t, name);
	if (!t->working) /* drawn when they are there, unless that takes long */
		clock_gettime(CLOCK_MONOTONIC, &t->since);
	return t->links_asked = true;
}

void tui_links_take(struct tui *t, struct answer *a)
{
	t->links_asked = false;
	if (!t->link_of || strcmp(t->link_of, a->line))
		return;
	val_free(t->links);
	t->links = a->list;
	a->list = NULL;
}
