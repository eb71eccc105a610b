/* SPDX-License-Identifier: BSD-3-Clause */
/* The menu of completions at the prompt, with descriptions where there are any.  A candidate is "text" or
   "text<Tab>description".  Changes the editor's line; posts no request. */
#include "config.h"
#include "ui/tui/menu.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/val.h"
#include "ui/line/editor.h"
#include "ui/tui/tui.h"

enum { ROWS_MAX = 12, TEXT_MAX = 40, ABOVE = 4, LEAST_ROWS = 3 };

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

void tui_menu_close(struct tui *t)
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

/* Scrolls the chosen row into the rows that are drawn. */
static void scroll_to_chosen(struct menu *m, int rows)
{
	if (m->chosen >= 0 && m->chosen < m->top)
		m->top = m->chosen;
	if (m->chosen >= m->top + rows)
		m->top = m->chosen - rows + 1;
}

/* A row of the menu that is cut, in full, above the row `bottom`. */
static void draw_whole(struct tui *t, const char *s, struct rect r)
{
	struct look look = theme_look(STYLE_POPUP_ON);
	struct buf b = { 0 };
	const char *p;
	int rows = 0;
	size_t n = text_len(s);

	buf_add(&b, s, n);
	if (s[n])
		buf_addf(&b, "  %s", s + n + 1);
	for (p = buf_str(&b); *p; p += strspn(p, " "), rows++)
		p += text_break(p, strlen(p), (size_t)r.w - 2);
	rows = rows < r.y ? rows : r.y;
	for (p = buf_str(&b); *p && rows > 0; p += n, p += strspn(p, " "), rows--) {
		n = rows > 1 ? text_break(p, strlen(p), (size_t)r.w - 2) : text_fit(p, (size_t)r.w - 2);
		grid_fill(&t->screen.grid, (struct rect){ r.y - rows, r.x, 1, r.w }, ' ', look);
		grid_text_n(&t->screen.grid, r.y - rows, r.x + 1, r.w - 2, 0, p, n, look);
	}
	buf_release(&b);
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
		menu_choose(m, *k->name == 'P' && k->name[4] == 'D' ? (m->chosen < 0 ? 1 : ROWS_MAX) : -ROWS_MAX);
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

static int widest(const struct menu *m, bool text)
{
	size_t i;
	int w = 0, k;

	for (i = 0; i < m->list->u.list.n; i++) {
		const char *s = candidate(m, i);
		size_t n = text_len(s);

		k = text ? (int)grid_text_width(s, n) : s[n] ? (int)text_width(s + n + 1) : 0;
		w = k > w ? k : w;
	}
	return w;
}

void tui_menu_draw(struct tui *t, int bottom, int x)
{
	struct menu *m = &t->menu;
	int n, rows, i, w, text, about;
	bool cut = false;
	char count[32];

	if (!m->list)
		return;
	n = (int)m->list->u.list.n;
	rows = n < ROWS_MAX ? n : ROWS_MAX;
	if (rows > bottom - ABOVE) /* there the count is, and a row that is cut in full */
		rows = bottom - ABOVE < LEAST_ROWS ? LEAST_ROWS : bottom - ABOVE;
	rows = rows < n ? rows : n;
	rows = rows < bottom ? rows : bottom;
	scroll_to_chosen(m, rows);
	text = widest(m, true);
	text = text < TEXT_MAX ? text : TEXT_MAX;
	about = widest(m, false);
	w = text + 2 + (about ? about + 2 : 0);
	w = w < 12 ? 12 : w;
	w = w < t->screen.cols ? w : t->screen.cols;
	x = x + w > t->screen.cols ? t->screen.cols - w : x;
	for (i = 0; i < rows; i++) {
		int y = bottom - rows + i, at = (int)m->top + i;
		struct look look = theme_look(at == m->chosen ? STYLE_POPUP_ON : STYLE_POPUP);
		const char *s = candidate(m, (size_t)at);
		size_t len = text_len(s);

		grid_fill(&t->screen.grid, (struct rect){ y, x, 1, w }, ' ', look);
		grid_text_n(&t->screen.grid, y, x + 1, text, 0, s, len, look);
		if ((int)grid_text_width(s, len) > text)
			grid_text(&t->screen.grid, y, x + text, 1, 0, theme_sign(SIGN_MORE), look);
		if (s[len] && x + text + 3 < t->screen.cols)
			grid_text(&t->screen.grid, y, x + text + 3, w - text - 4, 0, s + len + 1, look);
		if (s[len] && (int)text_width(s + len + 1) > w - text - 4 && w > 1)
			grid_text(&t->screen.grid, y, x + w - 2, 1, 0, theme_sign(SIGN_MORE), look);
		if (at == m->chosen)
			cut = (int)grid_text_width(s, len) > text ||
			      (s[len] && (int)text_width(s + len + 1) > w - text - 4);
	}
	snprintf(count, sizeof(count), " %ld/%d ", m->chosen + 1, n);
	if (n > rows && bottom > rows)
		grid_text(&t->screen.grid, bottom - rows - 1, x + w - (int)strlen(count), (int)strlen(count), 0, count,
			  theme_look(STYLE_POPUP_ON));
	if (cut)
		draw_whole(t, candidate(m, (size_t)m->chosen), (struct rect){ bottom - rows - (n > rows), x, 0, w });
}

void tui_menu_release(struct tui *t)
{
	tui_menu_close(t);
	free(t->menu.line);
}
