/* SPDX-License-Identifier: BSD-3-Clause */
/* The menu of completions at the prompt, with descriptions where there are any.  A candidate is "text" or
   "text<Tab>description".  Changes the editor's line; posts no request. */
#include "config.h"
#include "ui/tui/menu.h"
#include <stdlib.h>
#include <string.h>
#include "base/val.h"
#include "ui/line/editor.h"
#include "ui/tui/popup.h"
#include "ui/tui/tui.h"

static const char *candidate(const struct menu *m, size_t i)
{
	return m->list->u.list.item[i]->u.s;
}

static size_t text_len(const char *s)
{
	return strcspn(s, "\t");
}

static size_t common_prefix_of(const struct val *list)
{
	const char *first = list->u.list.item[0]->u.s;
	size_t i, n = text_len(first), k;

	for (i = 1; i < list->u.list.n; i++) {
		const char *s = list->u.list.item[i]->u.s;

		for (k = 0; k < n && s[k] != '\t' && s[k] == first[k]; k++)
			;
		n = k;
	}
	return n;
}

/* Adds a space after a complete word, but not after "f.py:". */
static void end_word(struct tui *t, const char *s)
{
	size_t n = text_len(s);

	if (n && !strchr(":@.", s[n - 1]))
		editor_insert(t->prompt.editor, " ", 1);
}

static void tui_menu_close(struct tui *t)
{
	struct menu *m = &t->menu;

	val_free(m->list);
	m->list = NULL;
	free(m->before);
	m->before = NULL;
	t->screen.dirty = true;
}

void tui_menu_ask(struct tui *t, char *line)
{
	tui_menu_close(t);
	free(t->menu.line);
	t->menu.line = line;
}

/* How many bytes of the candidate the line already ends with. */
static size_t present(const char *line, const char *s, size_t n)
{
	size_t cursor = strlen(line), have;

	for (have = n < cursor ? n : cursor; have > 0; have--)
		if (!strncmp(line + cursor - have, s, have) &&
		    (have == cursor || strchr(" ,(=:@", line[cursor - have - 1])))
			break;
	return have;
}

void tui_menu_take(struct tui *t, struct answer *a)
{
	struct menu *m = &t->menu;
	struct val *list = a->list;
	const char *first;
	size_t cursor, n;

	editor_show(t->prompt.editor, &t->prompt.line, &cursor, &t->prompt.label);
	if (!list || !m->line || cursor != strlen(m->line) || strncmp(buf_str(&t->prompt.line), m->line, cursor))
		return;
	if (!list->u.list.n) {
		tui_last(t, true, "%s", a->text ? a->text : "nothing completes this");
		return;
	}
	n = common_prefix_of(list);
	first = list->u.list.item[0]->u.s;
	m->have = present(m->line, first, n);
	if (list->u.list.n > 1)
		m->before = mem_str(buf_str(&t->prompt.line));
	editor_insert(t->prompt.editor, first + m->have, n - m->have);
	m->have = n;
	if (list->u.list.n == 1) {
		end_word(t, first);
		return;
	}
	m->list = list;
	a->list = NULL;
	m->chosen = -1;
	m->top = 0;
}

static void menu_choose(struct menu *m, long by)
{
	long n = (long)m->list->u.list.n;

	m->chosen = m->chosen < 0 ? (by > 0 ? 0 : n - 1) : ((m->chosen + by) % n + n) % n;
}

static void accept(struct tui *t)
{
	struct menu *m = &t->menu;
	const char *s = candidate(m, (size_t)m->chosen);

	editor_insert(t->prompt.editor, s + m->have, text_len(s) - m->have);
	end_word(t, s);
	tui_menu_close(t);
}

bool tui_menu_key(struct tui *t, const struct key *k)
{
	struct menu *m = &t->menu;

	if (!m->list)
		return false;
	if (!strcmp(k->name, "Tab") || !strcmp(k->name, "Down"))
		menu_choose(m, 1);
	else if (!strcmp(k->name, "S-Tab") || !strcmp(k->name, "Up"))
		menu_choose(m, -1);
	else if (!strcmp(k->name, "PageDown") || !strcmp(k->name, "PageUp"))
		menu_choose(m, *k->name == 'P' && k->name[4] == 'D' ? (m->chosen < 0 ? 1 : POPUP_ROWS) : -POPUP_ROWS);
	else if (!strcmp(k->name, "Enter") && m->chosen >= 0)
		accept(t);
	else if (!strcmp(k->name, "Esc")) {
		editor_set(t->prompt.editor, m->before);
		tui_menu_close(t);
	} else {
		tui_menu_close(t);
		return false;
	}
	t->screen.dirty = true;
	return true;
}

void tui_menu_draw(struct tui *t, int bottom, int x)
{
	if (t->menu.list)
		popup_draw(&t->screen.grid, t->menu.list, t->menu.chosen, &t->menu.top, bottom, x);
}

void tui_menu_release(struct tui *t)
{
	tui_menu_close(t);
	free(t->menu.line);
}
