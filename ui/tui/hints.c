/* SPDX-License-Identifier: BSD-3-Clause */
/* The row of hints: the actions that are possible now, most important first, as the menu of actions lists them.  Cut at
   the end of the screen.  Changes nothing. */
#include "config.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "engine/keys.h"
#include "ui/tui/actions.h"
#include "ui/tui/tui.h"

struct hint_row {
	struct tui *t;
	int y, x;
};

static void hint_add(struct hint_row *r, const char *key, const char *label)
{
	struct grid *g = &r->t->screen.grid;
	int w = (int)text_width(key) + 1 + (int)text_width(label), left = r->t->screen.cols - r->x;

	if (!*label || (r->x > 1 && w > left)) {
		r->x = *label ? r->t->screen.cols : r->x;
		return;
	}
	if (r->t->mouse.nhints < HINTS_MAX && strlen(key) < sizeof(r->t->mouse.hint[0].key)) {
		struct hint *h = &r->t->mouse.hint[r->t->mouse.nhints++];

		snprintf(h->key, sizeof(h->key), "%s", key);
		h->from = r->x;
		h->to = r->x + w;
	}
	r->x += grid_text(g, r->y, r->x, r->t->screen.cols - r->x, 0, key, theme_look(STYLE_NAME)) + 1;
	r->x += grid_text(g, r->y, r->x, r->t->screen.cols - r->x, 0, label, theme_look(STYLE_DIM)) + 2;
}

static int compare_ranks(const void *a, const void *b)
{
	return ((const struct action *)a)->rank - ((const struct action *)b)->rank;
}

/* The actions of the pane with the focus, or of the command line, by their rank; where the program cannot run to the
   selected row, those on the row come first. */
static void add_actions(struct hint_row *r, const struct pane *p)
{
	struct actions all = { 0 };
	bool runs_to = false;
	size_t i;
	int pass;

	actions_find(r->t, p, &all);
	if (all.n)
		qsort(all.item, all.n, sizeof(*all.item), compare_ranks);
	for (i = 0; i < all.n; i++)
		runs_to |= all.item[i].on_row && all.item[i].what == ACTION_RUN_TO;
	for (pass = 0; pass < 2; pass++)
		for (i = 0; i < all.n; i++)
			if (all.item[i].rank && pass == (runs_to || !all.item[i].on_row))
				hint_add(r, all.item[i].key, all.item[i].label);
	actions_release(&all);
}

/* After a search: the keys to its other matches. */
static void hint_matches(struct hint_row *r)
{
	if (!r->t->search.match)
		return;
	hint_add(r, keys_of("tui match next"), "next match");
	hint_add(r, keys_of("tui match previous"), "match before");
}

void tui_hints_draw(struct tui *t, int y)
{
	struct hint_row r = { .t = t, .y = y, .x = 1 };
	const struct pane *p = t->panes.focus;
	char room[40];
	long more;

	t->mouse.nhints = 0;
	if (t->prompt.kind == PROMPT_QUESTION) {
		if (t->prompt.answer.len)
			hint_add(&r, "Enter", "answer");
		else
			hint_add(&r, "y", "then Enter: yes");
		hint_add(&r, "Esc", "no");
	} else if (t->prompt.kind == PROMPT_SEARCH) {
		hint_add(&r, "Enter", "stay here");
		hint_add(&r, "C-n", "next match");
		hint_add(&r, "C-p", "match before");
		hint_add(&r, "Esc", "back to where it began");
	} else if (t->prompt.kind == PROMPT_FILTER) {
		hint_add(&r, "Enter", t->filter.typed.len ? "show only these rows" : "show all rows");
		hint_add(&r, "Down", "next row");
		hint_add(&r, "Esc", "back to what was shown");
	} else if (t->prompt.kind == PROMPT_ACTION) {
		hint_add(&r, "Enter", "run it");
		hint_add(&r, "Down", "next");
		hint_add(&r, "Esc", "close");
		hint_add(&r, "letters narrow it down", " ");
	} else if (p == t->panes.output && p) {
		hint_add(&r, "keys go to the program", " ");
		hint_add(&r, "S-Tab", "leaves");
		hint_add(&r, "Esc", "prompt");
		hint_add(&r, "C-c", "stops the program");
	} else if (t->menu.list) {
		hint_add(&r, "Tab", "next");
		hint_add(&r, "Enter", t->menu.chosen < 0 ? "run the line" : "accept");
		hint_add(&r, "Esc", "close");
	} else if (t->over.open && t->over.card) {
		more = (long)pane_total(t->over.pane) - (long)t->over.pane->top - pane_height(t->over.pane);
		snprintf(room, sizeof(room), more > 1 ? "%ld more lines" : "%ld more line", more);
		hint_add(&r, "Esc", "close the card");
		if (more > 0)
			hint_add(&r, "PageDown", room);
		hint_add(&r, "M-a", more > 0 ? "open it whole" : "open it again");
		add_actions(&r, p);
	} else if (t->over.open) {
		hint_add(&r, "q", "close");
		hint_add(&r, "/", "find");
		hint_matches(&r);
		hint_add(&r, "Space", "page");
		hint_add(&r, "Down", "line");
		hint_add(&r, "M-k", "keep as a pane");
		hint_add(&r, "M-a", "the answer before");
	} else if (p == t->panes.help && p) {
		hint_add(&r, "q", "close");
		hint_add(&r, "/", "find");
		hint_matches(&r);
		hint_add(&r, "PageDown", "further");
		hint_add(&r, "Esc", "prompt");
	} else if (p) {
		hint_matches(&r);
		add_actions(&r, p);
	} else if (t->program.life == LIFE_EXITED) {
		hint_add(&r, "restart", "runs it again");
		hint_add(&r, "quit", "leaves");
		hint_add(&r, "S-Tab", "panes");
		hint_add(&r, "Tab", "complete");
	} else {
		add_actions(&r, NULL);
	}
}

/* Makes the key that the terminal would send for this name; false: the name is a command. */
static bool key_named(const char *name, char *bytes, struct key *k)
{
	static const struct {
		const char *name;
		char c;
	} chars[] = {
		{ "Space", ' ' },
		{ "Enter", '\r' },
		{ "Esc", 27 },
		{ "Tab", '\t' },
	};
	size_t i, n = strlen(name);

	memset(k, 0, sizeof(*k));
	k->type = KEY_CHAR;
	snprintf(k->name, sizeof(k->name), "%s", name);
	for (i = 0; i < sizeof(chars) / sizeof(*chars); i++)
		if (!strcmp(chars[i].name, name))
			k->c = (uint32_t)chars[i].c;
	if (n == 1)
		k->c = (uint32_t)*name;
	else if (n == 3 && !strncmp(name, "C-", 2))
		k->c = (uint32_t)(name[2] & 31);
	else if (!k->c)
		k->type = KEY_NAMED;
	if (k->type == KEY_NAMED && name[0] >= 'a' && name[0] <= 'z')
		return false;
	if (!strcmp(name, "Up")) /* the editor knows it by its bytes */
		memcpy(bytes, "\033[A", 4);
	else
		bytes[0] = (char)k->c, bytes[1] = '\0';
	k->bytes = bytes;
	k->nbytes = strlen(bytes);
	return true;
}

const char *tui_hint_at(const struct tui *t, int col, char *bytes, struct key *k)
{
	int i;

	for (i = 0; i < t->mouse.nhints; i++)
		if (col >= t->mouse.hint[i].from && col < t->mouse.hint[i].to)
			return key_named(t->mouse.hint[i].key, bytes, k) ? "" : t->mouse.hint[i].key;
	return NULL;
}
