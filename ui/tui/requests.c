/* SPDX-License-Identifier: BSD-3-Clause */
/* Requests to the stopped thread: first queued command lines, then rows of panes, then links. */
#include "config.h"
#include <stdlib.h>
#include <string.h>
#include "base/err.h"
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
