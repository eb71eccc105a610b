/* SPDX-License-Identifier: BSD-3-Clause */
/* The command area: what was typed, what was answered, notes.  Long lines go on in the next row. */
#include "config.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "ui/tui/tui.h"

static void messages_add(struct tui *t, enum style style, const char *s, size_t n)
{
	if (t->nsaid == ANSWERS_MAX) {
		size_t i, old = ANSWERS_MAX / 4;

		for (i = 0; i < old; i++)
			free(t->said[i].text);
		memmove(t->said, t->said + old, (t->nsaid - old) * sizeof(*t->said));
		t->nsaid -= old;
	}
	t->said = mem_grow(t->said, &t->said_cap, t->nsaid + 1, sizeof(*t->said));
	t->said[t->nsaid].text = mem_strn(s, n);
	t->said[t->nsaid++].style = style;
}

void tui_say(struct tui *t, enum style style, const char *text)
{
	size_t n;

	while (*text) {
		n = strcspn(text, "\n");
		messages_add(t, style, text, n);
		text += n + (text[n] == '\n');
	}
	t->said_back = 0;
	t->dirty = true;
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
	free(t->last);
	t->last = text;
	t->last_failed = failed;
	t->last_new = true;
	t->dirty = true;
}

/* Rows that a line takes on a screen of w columns. */
static int height(const char *s, int w)
{
	size_t n = text_width(s);

	return n ? (int)((n + (size_t)w - 1) / (size_t)w) : 1;
}

void tui_said_draw(struct tui *t, struct rect r)
{
	size_t i = t->nsaid, back;
	int y = r.y + r.h, h, k;

	if (r.w < 1)
		return;
	if (t->said_back + (size_t)r.h > t->nsaid)
		t->said_back = t->nsaid > (size_t)r.h ? t->nsaid - (size_t)r.h : 0;
	for (back = t->said_back; back && i; back--)
		i--;
	while (i > 0 && y > r.y) {
		const struct said_line *l = &t->said[--i];

		h = height(l->text, r.w);
		for (k = h - 1; k >= 0 && --y >= r.y; k--)
			grid_text(&t->grid, y, r.x, r.w, k * r.w, l->text, theme_look(l->style));
	}
}
