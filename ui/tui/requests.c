/* SPDX-License-Identifier: BSD-3-Clause */
/* Requests to the stopped thread: first queued command lines, then rows of panes, then links. */
#include "config.h"
#include <stdlib.h>
#include <string.h>
#include "base/err.h"
#include "base/val.h"
#include "ui/tui/tui.h"

enum { PANES_MAX = 64 };

static bool ask_line(struct tui *t)
{
	struct ask a = { .type = ASK_LINE };

	if (!t->program.nqueue)
		return false;
	a.text = t->program.queue[0].line;
	a.quiet = t->program.queue[0].quiet;
	free(t->program.working_line);
	t->program.working_line = mem_str(a.text);
	if (!channel_post(&a))
		return false;
	t->program.nqueue--;
	memmove(t->program.queue, t->program.queue + 1, (size_t)t->program.nqueue * sizeof(*t->program.queue));
	t->program.working = true;
	clock_gettime(CLOCK_MONOTONIC, &t->program.since);
	return true;
}

/* The request of pane i, if it has one. */
static bool want_rows(struct tui *t, int i, struct ask *a)
{
	struct pane *p = t->panes.all[i];

	memset(a, 0, sizeof(*a));
	if (!pane_wants(p, &a->first, &a->count, &a->follow) || (p->request.asked && !p->request.stale))
		return false;
	a->type = ASK_ROWS;
	a->pane = i;
	a->view = p->view;
	a->serial = p->request.serial + 1;
	a->width = pane_columns(p);
	a->filter = p->filter.text ? mem_str(p->filter.text) : NULL;
	a->keep = p->filter.keep;
	a->left = p->view->scrolls ? p->left : 0;
	a->words = pane_request_words(p);
	return true;
}

static void rows_are_asked(struct pane *p, const struct ask *a)
{
	p->request.serial++;
	p->request.first = a->first;
	p->request.count = a->count;
	p->request.width = a->width;
	p->request.left = a->left;
	p->request.stale = false;
	p->request.asked = true;
}

/* Requests the rows of all panes that need some, at once. */
static bool ask_rows(struct tui *t)
{
	struct ask a = { .type = ASK_NONE }, one, **end = &a.next;
	int i, n = 0, wants[PANES_MAX];
	struct ask windows[PANES_MAX];

	for (i = 0; i < t->panes.n && n < PANES_MAX; i++) {
		if (!want_rows(t, i, &one))
			continue;
		windows[n] = one;
		wants[n++] = i;
		if (n == 1) {
			a = one;
			end = &a.next;
		} else {
			*end = mem_alloc(sizeof(**end));
			**end = one;
			end = &(*end)->next;
		}
	}
	if (!n)
		return false;
	if (!channel_post(&a)) {
		ask_release(&a);
		return false;
	}
	for (i = 0; i < n; i++)
		rows_are_asked(t->panes.all[wants[i]], &windows[i]);
	return true;
}

void tui_ask(struct tui *t)
{
	if ((t->program.life != LIFE_STOPPED && t->program.life != LIFE_EXITED) || t->prompt.kind == PROMPT_QUESTION ||
	    ask_line(t))
		return;
	if (!ask_rows(t) && !tui_search_ask(t))
		tui_links_ask(t);
}

bool tui_awaits_rows(const struct tui *t)
{
	size_t first, count;
	bool follow;
	int i;

	if (t->program.life != LIFE_STOPPED && t->program.life != LIFE_EXITED)
		return false;
	for (i = 0; i < t->panes.n; i++)
		if (t->panes.all[i]->request.asked || pane_wants(t->panes.all[i], &first, &count, &follow))
			return true;
	return tui_links_wanted(t);
}

/* Links of the selected row: asks the stopped thread for them whenever another row is selected.  Knows no kind of
   row; a view names its rows. */

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
