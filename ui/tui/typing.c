/* SPDX-License-Identifier: BSD-3-Clause */
/* Letters that reach a pane faster than a person presses keys: a paste, or a command that is typed into the wrong pane.
   They are not executed as keys.  Knows no command. */
#include "config.h"
#include <string.h>
#include "engine/keys.h"
#include "ui/tui/actions.h"
#include "ui/tui/tui.h"

enum {
	BURST = 4,	/* more keys than anybody presses within one read */
	FAST_MS = 30,	/* nobody presses two different keys within this time */
	TEXT_MS = 300,	/* what follows within this time belongs to the same text */
	STEP_WAIT = 5,	/* a key that runs the program waits so long for the next letter: this cannot be seen */
	OTHER_WAIT = 30 /* another one that changes something */
};

/* Opens a line to type in: what follows is text. */
static bool opens_line(const char *line)
{
	return line && (!strncmp(line, "tui prompt", 10) || !strncmp(line, "tui search", 10) ||
			!strncmp(line, "tui menu", 8) || !strncmp(line, "tui filter", 10));
}

static bool is_letter(char c)
{
	return (unsigned char)c >= 32 && c != 127;
}

/* A pane gets the keys, and no key has begun another one. */
static bool in_pane(const struct tui *t)
{
	return t->panes.focus && t->panes.focus != t->panes.output && t->panes.focus != t->over.pane &&
	       t->prompt.kind == PROMPT_COMMAND && !*t->keys.chord && input_idle(&t->keys.input);
}

/* The time between letters is known. */
static bool is_timed(const struct tui *t)
{
	return !t->keys.driven && !t->keys.late;
}

/* The bytes of s that came as one text; 0: they are keys. */
static size_t in_one_read(const struct tui *t, const char *s, size_t n)
{
	char name[2] = "";
	size_t i, k, enter;

	for (i = k = 0; i < n && is_letter(s[i]); i++) {
		name[0] = s[i];
		if (opens_line(keys_find(name, false)))
			break;
		k += i && s[i] != s[0]; /* a key that is held down is one key */
	}
	enter = i < n && s[i] == '\r';
	if (!k || i < (enter || is_timed(t) ? 2 : BURST))
		return 0;
	return i + enter;
}

/* The letter came so soon after another one that both are text. */
static bool follows_fast(const struct tui *t, char c)
{
	long ms = tui_ms_since(&t->keys.letter_at) - tui_ms_since(&t->keys.typed_at);

	if (!is_timed(t) || !t->keys.letter)
		return false;
	return t->keys.text ? ms < TEXT_MS : ms < FAST_MS && c != t->keys.letter && is_letter(c);
}

size_t tui_burst(struct tui *t, const char *s, size_t n)
{
	size_t burst = in_pane(t) ? in_one_read(t, s, n) : 0;
	char name[2] = { n ? *s : '\0' };

	if (!in_pane(t) || !n || (!is_letter(*s) && *s != '\r')) {
		t->keys.letter = '\0';
		t->keys.text = false;
		return 0;
	}
	if (!burst && follows_fast(t, *s))
		burst = 1;
	t->keys.text = burst && !t->keys.driven;
	t->keys.letter = opens_line(keys_find(name, false)) && !burst ? '\0' : s[burst ? burst - 1 : 0];
	t->keys.letter_at = t->keys.typed_at;
	t->keys.ignored = burst == 1 ? t->keys.ignored + 1 : burst;
	return burst;
}

long tui_letter_wait(const struct tui *t)
{
	const char *line;
	char name[2] = "";
	long left;

	if (!is_timed(t) || t->keys.typed.len != 1 || !is_letter(*t->keys.typed.s) || !in_pane(t) ||
	    *t->keys.typed.s == t->keys.letter)
		return 0;
	name[0] = *t->keys.typed.s;
	line = keys_find(name, false);
	if (!line || tui_only_looks(line))
		return 0;
	left = (tui_runs_line(line) ? STEP_WAIT : OTHER_WAIT) - tui_ms_since(&t->keys.typed_at);
	return left > 0 ? left : 0;
}
