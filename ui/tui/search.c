/* SPDX-License-Identifier: BSD-3-Clause */
/* Searching the focused pane: while the text is typed, and from match to match.  Loaded rows are searched at once, the
   others by the stopped thread, which also counts. */
#include "config.h"
#include "ui/tui/search.h"
#include <stdlib.h>
#include <string.h>
#include "ui/tui/tui.h"
#include "ui/tui/typed.h"

enum { COUNT_ROWS = 20000 }; /* more rows than this are searched, not counted */

/* All rows are in this thread's memory. */
static bool at_hand(const struct pane *p)
{
	return p->kind != PANE_VIEW || (p->rows && !p->rows->first && p->rows->n == p->rows->total);
}

static void say_found(struct tui *t, size_t at, size_t of, bool wrapped)
{
	const char *how = !wrapped ? "" : t->search.backward ? ", wrapped to the end" : ", wrapped to the start";

	if (of)
		tui_last(t, false, "/%s  %zu/%zu%s", t->search.match, at, of, how);
	else
		tui_last(t, false, "/%s%s", t->search.match, how);
}

static void go_to(struct tui *t, size_t row)
{
	struct pane *p = t->panes.focus;

	pane_move(p, (long)row - (long)p->cursor);
	p->free = true;
}

/* Searches loaded rows. from: the first row to search, or the last one when backward. */
static void find_here(struct tui *t, size_t from, bool backward)
{
	struct pane *p = t->panes.focus;
	size_t total = pane_total(p), i, row, at = 0, of = 0, found = total;
	bool count = total <= COUNT_ROWS;
	struct buf b = { 0 };

	for (i = 0; i < total && (count || found == total); i++) {
		row = (from + (backward ? total - i : i)) % total;
		pane_row_text(p, row, &b);
		if (!strstr(buf_str(&b), t->search.match))
			continue;
		of++;
		found = found == total ? row : found;
	}
	buf_release(&b);
	if (found == total) {
		tui_last(t, true, "no match for '%s' in %s", t->search.match, p->name);
		return;
	}
	for (i = 0; count && i <= found; i++) {
		pane_row_text(p, i, &b);
		at += strstr(buf_str(&b), t->search.match) != NULL;
	}
	buf_release(&b);
	say_found(t, at, count ? of : 0, backward ? found > from : found < from);
	go_to(t, found);
}

static void search_find(struct tui *t, size_t from, bool backward)
{
	struct pane *p = t->panes.focus;

	if (!p || !t->search.match)
		return;
	t->search.backward = backward;
	t->search.steps = 0;
	if (!pane_total(p)) {
		tui_last(t, true, "no match for '%s' in %s", t->search.match, p->name);
		return;
	}
	if (at_hand(p)) {
		find_here(t, from % pane_total(p), backward);
		return;
	}
	t->search.first = from % pane_total(p);
	t->search.in = p;
	t->search.wanted = true;
	if (t->program.life == LIFE_RUNS) {
		t->search.wanted = false;
		tui_last(t, true, "the program runs: only rows that are loaded can be searched");
	}
}

bool tui_search_ask(struct tui *t)
{
	struct pane *p = t->panes.focus;
	struct ask a = { .type = ASK_FIND };

	if (!t->search.wanted || t->search.asked)
		return false;
	if (p != t->search.in || !p || !p->view || !t->search.match) {
		t->search.wanted = false;
		return false;
	}
	a.text = mem_str(t->search.match);
	a.view = p->view;
	a.filter = p->filter.text ? mem_str(p->filter.text) : NULL;
	a.words = pane_request_words(p);
	a.first = t->search.first;
	a.backward = t->search.backward;
	a.width = p->request.width;
	a.serial = p->request.serial;
	t->search.asked = channel_post(&a);
	t->search.wanted = !t->search.asked;
	ask_release(&a);
	return t->search.asked;
}

void tui_search_again(struct tui *t)
{
	t->search.wanted |= t->search.asked;
	t->search.asked = false;
}

bool tui_search_waits(const struct tui *t)
{
	return t->search.wanted || t->search.asked;
}

void tui_search_step(struct tui *t, bool backward)
{
	struct pane *p = t->panes.focus;

	if (p && tui_search_waits(t))
		t->search.steps += backward ? -1 : 1;
	else if (p)
		search_find(t, p->cursor + (backward ? pane_total(p) - 1 : 1), backward);
}

void tui_search_take(struct tui *t, const struct answer *a)
{
	long steps = t->search.steps;

	t->search.asked = false;
	if (t->search.wanted || !t->panes.focus || t->panes.focus != t->search.in || !t->search.match ||
	    strcmp(t->search.match, a->line))
		return;
	t->search.steps = 0;
	if (a->found < 0) {
		tui_last(t, true, "no match for '%s' in %s", t->search.match, t->panes.focus->name);
		return;
	}
	say_found(t, a->at, a->of, a->wrapped);
	go_to(t, (size_t)a->found);
	if (!steps)
		return;
	tui_search_step(t, steps < 0);
	t->search.steps = steps < 0 ? steps + 1 : steps - 1;
}

void tui_search_end(struct tui *t)
{
	free(t->search.match);
	t->search.match = NULL;
	t->search.wanted = false;
	t->search.steps = 0;
	t->screen.dirty = true;
}

void tui_search_leave(struct tui *t)
{
	if (t->prompt.kind == PROMPT_SEARCH)
		t->prompt.kind = PROMPT_COMMAND;
	tui_search_end(t);
}

void tui_search_release(struct tui *t)
{
	buf_release(&t->search.typed);
	free(t->search.match);
	t->search.match = NULL;
}

static void set_match(struct tui *t)
{
	free(t->search.match);
	t->search.match = mem_str(buf_str(&t->search.typed));
}

void tui_search_start(struct tui *t, const char *text)
{
	if (!t->panes.focus)
		return;
	t->search.from = t->panes.focus->cursor;
	t->search.from_top = t->panes.focus->top;
	buf_reset(&t->search.typed);
	buf_adds(&t->search.typed, text);
	if (*text) {
		set_match(t);
		tui_search_step(t, false);
	} else {
		t->prompt.kind = PROMPT_SEARCH;
	}
	t->screen.dirty = true;
}

/* The text has changed: goes to the first match after the row where the search began. */
static void typed(struct tui *t)
{
	set_match(t);
	if (t->search.typed.len) {
		search_find(t, t->search.from, false);
	} else {
		tui_search_end(t);
		go_to(t, t->search.from);
	}
}

void tui_search_key(struct tui *t, const struct key *k)
{
	struct buf *b = &t->search.typed;

	if (!strcmp(k->name, "Esc") || k->c == 3) {
		t->prompt.kind = PROMPT_COMMAND;
		tui_search_end(t);
		if (t->panes.focus) {
			go_to(t, t->search.from);
			pane_scroll(t->panes.focus, (long)t->search.from_top - (long)t->panes.focus->top);
		}
	} else if (!strcmp(k->name, "Enter")) {
		t->prompt.kind = PROMPT_COMMAND;
		if (!b->len)
			tui_search_end(t);
	} else if (!strcmp(k->name, "C-n") || !strcmp(k->name, "Down")) {
		tui_search_step(t, false);
	} else if (!strcmp(k->name, "C-p") || !strcmp(k->name, "Up")) {
		tui_search_step(t, true);
	} else if (typed_key(&t->search.typed, k)) {
		typed(t);
	}
}
