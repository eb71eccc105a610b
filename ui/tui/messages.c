/* SPDX-License-Identifier: BSD-3-Clause */
/* The command area: lines that were typed, answers and notes.  Long lines are wrapped. */
#include "config.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "ui/tui/tui.h"
#include "ui/tui/wrap.h"

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
	if ((int)text_width(text) > t->screen.cols - 2) /* no row of the screen has it whole */
		tui_say(t, failed ? STYLE_ERROR : STYLE_NOTE, text);
	t->screen.dirty = true;
}

/* Draws the rows of a wrapped line upwards, the last one at y - 1, without the last *skip rows; the y of its first. */
static int draw_said(struct tui *t, const char *s, enum style style, struct rect r, int y, size_t *skip)
{
	struct buf b = { 0 };
	size_t end, from;

	wrap_line(s, strlen(s), r.w, false, &b);
	for (end = b.len; end; end = from) {
		for (from = --end; from && b.s[from - 1] != '\n'; from--)
			;
		if (*skip)
			--*skip;
		else if (--y >= r.y)
			grid_text_n(&t->screen.grid, y, r.x, r.w, 0, b.s + from, end - from, theme_look(style));
	}
	buf_release(&b);
	return y;
}

void tui_said_draw(struct tui *t, struct rect r)
{
	size_t i, back = t->messages.back;
	int y = r.y + r.h;

	if (r.w < 1)
		return;
	for (i = t->messages.n; i > 0 && y > r.y;) {
		const struct said_line *l = &t->messages.line[--i];

		y = draw_said(t, l->text, l->style, r, y, &back);
	}
	if (y <= r.y || !t->messages.back)
		return;
	/* scrolled further than there are rows: the first row at the top */
	back += (size_t)(y - r.y);
	t->messages.back = t->messages.back > back ? t->messages.back - back : 0;
	grid_fill(&t->screen.grid, r, ' ', (struct look){ 0 });
	tui_said_draw(t, r);
}
