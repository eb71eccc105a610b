/* SPDX-License-Identifier: BSD-3-Clause */
/* What the screen asks of the stopped thread: queued command lines first, then rows of panes, then links. */
#include "config.h"
#include <stdlib.h>
#include <string.h>
#include "base/err.h"
#include "ui/tui/tui.h"

enum { PANES_MAX = 64 };

static bool ask_line(struct tui *t)
{
	struct ask a = { .type = ASK_LINE };

	if (!t->nqueue)
		return false;
	a.text = t->queue[0].line;
	a.quiet = t->queue[0].quiet;
	free(t->working_line);
	t->working_line = mem_str(a.text);
	if (!channel_post(&a))
		return false;
	t->nqueue--;
	memmove(t->queue, t->queue + 1, (size_t)t->nqueue * sizeof(*t->queue));
	t->working = true;
	clock_gettime(CLOCK_MONOTONIC, &t->since);
	return true;
}

/* The request of pane i, if it has one. */
static bool want_rows(struct tui *t, int i, struct ask *a)
{
	struct pane *p = t->pane[i];

	memset(a, 0, sizeof(*a));
	if (!pane_wants(p, &a->first, &a->count, &a->follow) || (p->asked && !p->stale))
		return false;
	a->type = ASK_ROWS;
	a->pane = i;
	a->view = p->view;
	a->serial = p->serial + 1;
	a->words = mem_fmt("%s%s%s", p->words ? p->words : "", p->folds.len ? " fold:" : "", buf_str(&p->folds));
	return true;
}

static void rows_are_asked(struct pane *p, const struct ask *a)
{
	p->serial++;
	p->asked_first = a->first;
	p->asked_count = a->count;
	p->stale = false;
	p->asked = true;
}

/* All that the panes want, in one request. */
static bool ask_rows(struct tui *t)
{
	struct ask a = { .type = ASK_NONE }, one, **end = &a.next;
	int i, n = 0, wants[PANES_MAX];
	struct ask windows[PANES_MAX];

	for (i = 0; i < t->npanes && n < PANES_MAX; i++) {
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
		rows_are_asked(t->pane[wants[i]], &windows[i]);
	return true;
}

void tui_ask(struct tui *t)
{
	if ((t->life != LIFE_STOPPED && t->life != LIFE_EXITED) || t->prompt == PROMPT_QUESTION || ask_line(t))
		return;
	if (!ask_rows(t))
		tui_links_ask(t);
}

bool tui_awaits_rows(const struct tui *t)
{
	size_t first, count;
	bool follow;
	int i;

	if (t->life != LIFE_STOPPED && t->life != LIFE_EXITED)
		return false;
	for (i = 0; i < t->npanes; i++)
		if (t->pane[i]->asked || pane_wants(t->pane[i], &first, &count, &follow))
			return true;
	return tui_links_wanted(t);
}
