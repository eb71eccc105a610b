/* SPDX-License-Identifier: BSD-3-Clause */
/* The menu of actions above the bottom line, where the text is typed that narrows it down.  Makes no list of its own:
   see actions.c. */
#include "config.h"
#include "ui/tui/action_menu.h"
#include <stdlib.h>
#include <string.h>
#include "base/val.h"
#include "ui/tui/popup.h"
#include "ui/tui/tui.h"
#include "ui/tui/typed.h"

enum { KEY_WIDTH = 6 };

static bool word_in(const char *s, const char *word, size_t n)
{
	for (; *s; s++)
		if (!strncasecmp(s, word, n))
			return true;
	return false;
}

/* Are all words of the text in the action's key, line or description? */
static bool action_matches(const struct action *a, const char *text)
{
	size_t n;

	for (; *text; text += n) {
		text += strspn(text, " ");
		n = strcspn(text, " ");
		if (n && !(n == strlen(a->key) && !strncmp(a->key, text, n)) && !word_in(a->line, text, n) &&
		    !word_in(a->about, text, n))
			return false;
	}
	return true;
}

/* The line as the menu shows it: files without their folders, which rarely matter and take the room. */
static void add_shown_line(const char *line, struct buf *out)
{
	const char *s, *end, *name;

	for (s = line; *s; s = end) {
		end = s + strspn(s, " ");
		buf_add(out, s, (size_t)(end - s));
		s = end;
		end = s + strcspn(s, " ");
		for (name = end; *s == '/' && name[-1] != '/'; name--)
			;
		buf_add(out, *s == '/' ? name : s, (size_t)(end - (*s == '/' ? name : s)));
	}
	if (s > line && s[-1] == ' ')
		buf_adds(out, "...");
}

static void narrow_down(struct action_menu *m)
{
	size_t i, n = 0;

	val_free(m->list);
	m->list = val_list();
	free(m->index);
	m->index = mem_alloc((m->all.n + 1) * sizeof(*m->index));
	for (i = 0; i < m->all.n; i++) {
		const struct action *a = &m->all.item[i];
		struct buf text = { 0 };

		/* help lists the keys that move in a pane */
		if (!*a->line || !strncmp(a->line, "tui scroll", 10) || !action_matches(a, buf_str(&m->typed)))
			continue;
		buf_addf(&text, "%-*s ", KEY_WIDTH, a->key);
		add_shown_line(a->line, &text);
		buf_addf(&text, "\t%s", a->about);
		val_push(m->list, val_str(text.s));
		buf_release(&text);
		m->index[n++] = i;
	}
	m->chosen = m->top = 0;
}

void tui_actions_open(struct tui *t, const char *typed)
{
	struct action_menu *m = &t->actions;

	tui_actions_close(t);
	actions_find(t, t->panes.focus, &m->all);
	buf_reset(&m->typed);
	buf_adds(&m->typed, typed);
	narrow_down(m);
	t->prompt.kind = PROMPT_ACTION;
	t->screen.dirty = true;
}

void tui_actions_close(struct tui *t)
{
	struct action_menu *m = &t->actions;

	if (t->prompt.kind == PROMPT_ACTION)
		t->prompt.kind = PROMPT_COMMAND;
	val_free(m->list);
	m->list = NULL;
	actions_release(&m->all);
	t->screen.dirty = true;
}

static void choose_action(struct action_menu *m, long by)
{
	long n = (long)m->list->u.list.n;

	if (n)
		m->chosen = (by > 1 || by < -1) && m->chosen + by >= n ? n - 1 :
			    (by > 1 || by < -1) && m->chosen + by < 0  ? 0 :
									 ((m->chosen + by) % n + n) % n;
}

static bool choose_it(struct tui *t)
{
	struct action_menu *m = &t->actions;

	if (!m->list->u.list.n)
		tui_last(t, true, "no action matches '%s'", buf_str(&m->typed));
	return m->list->u.list.n > 0;
}

/* A click chooses, another one on the same row runs; elsewhere it closes the menu. */
static bool click_action(struct tui *t, const struct key *k)
{
	struct action_menu *m = &t->actions;
	long row = m->top + k->row - m->row;

	if (!k->press || k->button > 65)
		return false;
	if (k->button >= 64) {
		choose_action(m, k->button == 64 ? -1 : 1);
	} else if (k->row < m->row || k->row >= m->row + m->rows) {
		tui_actions_close(t);
	} else if (row == m->chosen) {
		return choose_it(t);
	} else {
		m->chosen = row;
	}
	return false;
}

bool tui_actions_key(struct tui *t, const struct key *k)
{
	struct action_menu *m = &t->actions;
	const char *name = k->name;

	t->screen.dirty = true;
	if (k->type == KEY_MOUSE)
		return click_action(t, k);
	if (!strcmp(name, "Enter"))
		return choose_it(t);
	if (!strcmp(name, "Esc") || k->c == 3)
		tui_actions_close(t);
	else if (!strcmp(name, "Down") || !strcmp(name, "Tab") || !strcmp(name, "C-n"))
		choose_action(m, 1);
	else if (!strcmp(name, "Up") || !strcmp(name, "S-Tab") || !strcmp(name, "C-p"))
		choose_action(m, -1);
	else if (!strcmp(name, "PageDown"))
		choose_action(m, m->rows > 2 ? m->rows : 2);
	else if (!strcmp(name, "PageUp"))
		choose_action(m, m->rows > 2 ? -m->rows : -2);
	else if (typed_key(&m->typed, k))
		narrow_down(m);
	return false;
}

void tui_actions_take(struct tui *t, struct action *out)
{
	struct action_menu *m = &t->actions;
	struct action *a = &m->all.item[m->index[m->chosen]], none = { 0 };

	*out = *a;
	*a = none;
	tui_actions_close(t);
}

void tui_actions_draw(struct tui *t, int bottom)
{
	struct action_menu *m = &t->actions;

	if (m->list && m->list->u.list.n)
		m->rows = popup_draw(&t->screen.grid, m->list, m->chosen, &m->top, bottom, 0);
	m->row = bottom - m->rows;
}

void tui_actions_release(struct tui *t)
{
	tui_actions_close(t);
	buf_release(&t->actions.typed);
	free(t->actions.index);
	t->actions.index = NULL;
}
