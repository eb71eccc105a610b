/* SPDX-License-Identifier: BSD-3-Clause */
/* The command area: lines that were typed, answers and notes.  Long lines are wrapped. */
#include "config.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "ui/tui/tui.h"

static void messages_add(struct tui *t, enum style style, const char *s, size_t n)
{
	if (t->messages.n == ANSWERS_MAX) {
		size_t i, old = ANSWERS_MAX / 4;

		for (i = 0; i < old; i++)
			free(t->messages.line[i].text);
		memmove(t->messages.line, t->messages.line + old, (t->messages.n - old) * sizeof(*t->messages.line));
		t->messages.n -= old;
	}
	t->messages.line = mem_grow(t->messages.line, &t->messages.cap, t->messages.n + 1, sizeof(*t->messages.line));
	t->messages.line[t->messages.n].text = mem_strn(s, n);
	t->messages.line[t->messages.n++].style = style;
}

void tui_say(struct tui *t, enum style style, const char *text)
{
	size_t n;

	while (*text) {
		n = strcspn(text, "\n");
		messages_add(t, style, text, n);
		text += n + (text[n] == '\n');
	}
	t->messages.back = 0;
	t->screen.dirty = true;
}

void tui_echo(struct tui *t, const char *line, const char *more)
{
	tui_sayf(t, STYLE_ECHO, "(cdbg) %s%s", line, more);
}

void tui_sayf(struct tui *t, enum style style, const char *fmt, ...)
{
	va_list ap;
	char *text;

	va_start(ap, fmt);
	text = mem_vfmt(fmt, ap);
	va_end(ap);
	tui_say(t, style, text);
	free(text);
}

void tui_last(struct tui *t, bool failed, const char *fmt, ...)
{
	va_list ap;
	char *text;

	va_start(ap, fmt);
	text = mem_vfmt(fmt, ap);
	va_end(ap);
	free(t->last.text);
	t->last.text = text;
	t->last.failed = failed;
	t->last.fresh = true;
	t->screen.dirty = true;
}

/* Rows that a line takes on a screen of w columns. */
static int height(const char *s, int w)
{
	size_t n = text_width(s);

	return n ? (int)((n + (size_t)w - 1) / (size_t)w) : 1;
}

void tui_said_draw(struct tui *t, struct rect r)
{
	size_t i = t->messages.n, back;
	int y = r.y + r.h, h, k;

	if (r.w < 1)
		return;
	if (t->messages.back + (size_t)r.h > t->messages.n)
		t->messages.back = t->messages.n > (size_t)r.h ? t->messages.n - (size_t)r.h : 0;
	for (back = t->messages.back; back && i; back--)
		i--;
	while (i > 0 && y > r.y) {
		const struct said_line *l = &t->messages.line[--i];

		h = height(l->text, r.w);
		for (k = h - 1; k >= 0 && --y >= r.y; k--)
			grid_text(&t->screen.grid, y, r.x, r.w, k * r.w, l->text, theme_look(l->style));
	}
}
