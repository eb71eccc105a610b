/* SPDX-License-Identifier: BSD-3-Clause */
/* The row of hints: the keys of the focused pane, most important first, from the table of keys, and what Space,
   Enter and e do with the selected row.  Cut at the end of the screen.  Changes nothing. */
#include "config.h"
#include <stdio.h>
#include <string.h>
#include "base/val.h"
#include "engine/keys.h"
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

/* "guard drop 0/0 5": the command and its subcommand; "break f.py:3": a breakpoint. */
static void label_of(const char *line, char *out, size_t size)
{
	size_t n = strcspn(line, " "), k;

	if (!strncmp(line, "tui fold ", 9)) {
		snprintf(out, size, "fold");
		return;
	}
	if (!strncmp(line, "break ", 6) || !strncmp(line, "delete ", 7)) {
		snprintf(out, size, "breakpoint");
		return;
	}
	if (!strncmp(line, "tui show ", 9))
		line += 4, n = strcspn(line, " ");
	k = line[n] ? strspn(line + n + 1, "abcdefghijklmnopqrstuvwxyz") : 0;
	if (k && (!line[n + 1 + k] || line[n + 1 + k] == ' '))
		n += 1 + k;
	snprintf(out, size, "%.*s", (int)n, line);
}

static const char *action_label(const struct pane *p, enum row_action what, char *room, size_t size)
{
	struct buf line = { 0 };
	long i = pane_index(p, p->cursor);

	*room = '\0';
	if (i >= 0 && p->kind == PANE_VIEW && p->view && p->view->action && !p->error)
		p->view->action(p->rows, (size_t)i, what, &line);
	if (line.len)
		label_of(line.s, room, size);
	buf_release(&line);
	return room;
}

bool tui_runs_line(const char *line)
{
	static const char *const lines[] = { "step",   "next", "stepi", "nexti",      "continue",
					     "finish", "up",   "down",	"tui run-to", NULL };
	int i;

	for (i = 0; line && lines[i]; i++)
		if (!strcmp(line, lines[i]))
			return true;
	return false;
}

static bool needs_stop(const struct key_hint *h)
{
	return tui_runs_line(keys_find(h->key, h->where == KEYS_LINE));
}

/* NULL label: the row's own. */
static void add_hint(struct hint_row *r, const struct key_hint *h)
{
	const struct pane *p = r->t->panes.focus;
	enum row_action what = !strcmp(h->key, "Enter") ? ACTION_ENTER :
			       !strcmp(h->key, "Space") ? ACTION_TOGGLE :
							  ACTION_EDIT;
	char room[40];

	if (r->t->program.life != LIFE_STOPPED && needs_stop(h))
		return;
	if (h->label)
		hint_add(r, h->key,
			 !strcmp(h->label, "step") && *val_text(r->t->program.status, "entry") ? "region" : h->label);
	else if (p)
		hint_add(r, h->key, action_label(p, what, room, sizeof(room)));
}

static void add_table(struct hint_row *r, enum key_where where, bool rows_first)
{
	struct key_hint h;
	size_t i;

	for (i = 0; rows_first && keys_hint(i, &h); i++)
		if (h.where == where && !h.label)
			add_hint(r, &h);
	for (i = 0; keys_hint(i, &h); i++)
		if (h.where == where && (h.label || !rows_first))
			add_hint(r, &h);
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
		add_table(&r, p ? KEYS_PANE : KEYS_LINE, false);
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
		add_table(&r, KEYS_PANE, !*action_label(p, ACTION_RUN_TO, room, sizeof(room)));
	} else if (t->program.life == LIFE_EXITED) {
		hint_add(&r, "restart", "runs it again");
		hint_add(&r, "quit", "leaves");
		hint_add(&r, "S-Tab", "panes");
		hint_add(&r, "Tab", "complete");
	} else {
		add_table(&r, KEYS_LINE, false);
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
