/* SPDX-License-Identifier: BSD-3-Clause */
/* Keys: who gets one (question, search, popup, program, pane, command line), and the command lines they stand for. */
#include "config.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/err.h"
#include "cmd/cmd.h"
#include "ui/line/editor.h"
#include "ui/line/libedit.h"
#include "ui/line/prompt.h"
#include "engine/keys.h"
#include "ui/output/progtty.h"
#include "py/hook/hook.h"
#include "ui/term/terminal.h"
#include "ui/tui/tui.h"
#include "ui/tui/typed.h"

/* ---- command lines ------------------------------------------------------------------------------ */

/* The first word of a text; the text after it. */
static const char *first_word(const char *text, char *word, size_t size)
{
	size_t n = strcspn(text, " \t");

	snprintf(word, size, "%.*s", (int)n, text);
	return text + n + strspn(text + n, " \t");
}

/* Is this command line one of the screen's own?  Then verb and args. */
static bool tui_own_line(const char *line, const char **verb, const char **args)
{
	static char word[32];
	const struct cmd_def *c;

	*args = first_word(line + strspn(line, " \t"), word, sizeof(word));
	c = cmd_exact(word);
	if (!c || !(c->flags & CMD_SCREEN))
		return false;
	*verb = c->name;
	if (strcmp(c->name, "tui"))
		return true;
	/* the screen's verbs; the session turns it on and off, and asks for another rank's */
	*args = first_word(*args, word, sizeof(word));
	*verb = word;
	return *word && strncmp(word, "enable", strlen(word)) != 0 && strncmp(word, "disable", strlen(word)) != 0 &&
	       strcmp(word, "rank") != 0;
}

static void run_own(struct tui *t, const char *line, const char *verb, const char *args, bool quiet)
{
	struct buf out = { 0 };
	struct err err;

	if (!quiet)
		tui_echo(t, line, "");
	if (tui_verb(t, verb, args, &out, &err) < 0) {
		if (quiet)
			tui_last(t, true, "%s", err.text);
		else
			tui_sayf(t, STYLE_ERROR, "%s", err.text);
	} else if (out.len) {
		tui_answer(t, &(struct answer){ .line = (char *)line, .text = out.s });
	}
	buf_release(&out);
}

void tui_command(struct tui *t, const char *line, bool quiet)
{
	const char *verb, *args;
	int i, ahead = 0;

	t->screen.dirty = true;
	line += strspn(line, ":"); /* ':' opens this prompt, and may be typed again */
	if (tui_own_line(line, &verb, &args)) {
		run_own(t, line, verb, args, quiet);
		return;
	}
	for (i = 0; i < t->program.nqueue; i++)
		ahead += t->program.queue[i].quiet;
	if (t->program.nqueue == QUEUE_MAX || (quiet && ahead >= KEYS_AHEAD)) {
		tui_last(t, true, "%s", quiet ? "busy: Ctrl-C stops it" : "too many lines wait for the next stop");
		return;
	}
	if (!quiet)
		tui_echo(t, line, t->program.life == LIFE_RUNS ? "   (waits for the next stop: Ctrl-C stops now)" : "");
	t->program.queue[t->program.nqueue].line = mem_str(line);
	t->program.queue[t->program.nqueue++].quiet = quiet;
}

static void drop_queue(struct tui *t)
{
	while (t->program.nqueue)
		free(t->program.queue[--t->program.nqueue].line);
}

static bool can_interrupt(const struct tui *t)
{
	return t->program.life == LIFE_RUNS || t->program.life == LIFE_NEW || t->program.working || t->program.queued;
}

static void tui_interrupt(struct tui *t)
{
	drop_queue(t);
	if (can_interrupt(t)) {
		hook_interrupt_typed();
		tui_last(t, false, "interrupt");
	}
	t->screen.dirty = true;
}

static void tui_suspend(struct tui *t)
{
	term_suspend();
	t->screen.repaint = t->screen.dirty = true;
}

/* ---- the command line --------------------------------------------------------------------------- */

/* The stopped thread knows the completions; there are none while it runs. */
void tui_complete(struct tui *t)
{
	struct ask a = { .type = ASK_COMPLETE };
	size_t cursor;

	tui_last(t, false, "%s", ""); /* the message about another line */
	editor_show(t->prompt.editor, &t->prompt.line, &cursor, &t->prompt.label);
	a.text = mem_strn(buf_str(&t->prompt.line), cursor);
	tui_menu_ask(t, mem_str(a.text));
	if (!channel_post(&a)) {
		tui_last(t, true, "no completion while the program runs");
		ask_release(&a);
	}
}

static void keep_typed(struct tui *t, const char *line)
{
	struct err err;

	if (libedit_remember(line, &err) < 0)
		tui_say(t, STYLE_ERROR, err.text);
}

static void edited(struct tui *t, enum editor_want want)
{
	for (; want != EDITOR_MORE; want = editor_continue(t->prompt.editor)) {
		if (want == EDITOR_COMPLETE) {
			tui_complete(t);
		} else if (want == EDITOR_LINE) {
			keep_typed(t, editor_text(t->prompt.editor));
			tui_command(t, editor_text(t->prompt.editor), false);
		} else {
			tui_command(t, "quit", false);
		}
	}
}

static void no_meaning(struct tui *t, const struct key *k)
{
	const char *way = t->panes.focus ? ", Esc goes to the prompt" : "";

	if (*k->name)
		tui_last(t, true, "the key %s has no meaning here: F1 lists keys%s", k->name, way);
	else if (k->type == KEY_PASTE)
		tui_last(t, true, "pasted text is ignored here: Esc goes to the prompt");
	else
		tui_last(t, true, "this key has no meaning here: F1 lists keys");
}

/* Escape and a letter, or the two at once. */
static bool is_meta(const struct key *k)
{
	return k->nbytes == 2 && (unsigned char)k->bytes[1] < 0x80 && !strchr("[O", k->bytes[1]);
}

static void to_editor(struct tui *t, const struct key *k)
{
	size_t i;

	if (k->type == KEY_PASTE) {
		editor_insert(t->prompt.editor, k->text, k->ntext);
	} else if (k->type == KEY_CHAR) {
		edited(t, editor_feed(t->prompt.editor, k->c));
	} else if (is_meta(k) || editor_knows(t->prompt.editor, k->bytes)) {
		for (i = 0; i < k->nbytes; i++)
			edited(t, editor_feed(t->prompt.editor, (unsigned char)k->bytes[i]));
	} else {
		no_meaning(t, k);
	}
}

/* ---- questions --------------------------------------------------------------------- */

void tui_ask_question(struct tui *t, const char *question)
{
	tui_focus(t, NULL); /* it is asked, and answered, at the prompt */
	free(t->prompt.question);
	t->prompt.question = mem_fmt("%s (y or n) ", question);
	t->prompt.kind = PROMPT_QUESTION;
	buf_reset(&t->prompt.answer);
	t->screen.dirty = true;
}

static void question_done(struct tui *t, bool yes)
{
	tui_sayf(t, STYLE_NOTE, "%s%s", t->prompt.question, yes ? "y" : "n");
	free(t->prompt.question);
	t->prompt.question = NULL;
	t->prompt.kind = PROMPT_COMMAND;
	channel_confirm_done(yes);
}

static void answer_enter(struct tui *t)
{
	const char *typed = buf_str(&t->prompt.answer);
	int yes = prompt_yes(typed);

	if (yes >= 0) {
		question_done(t, yes);
		return;
	}
	if (*typed) {
		keep_typed(t, typed);
		tui_sayf(t, STYLE_NOTE, "%s%s", t->prompt.question, typed);
		tui_last(t, true, "answer y or n: '%s' is kept in the history", typed);
	} else {
		tui_last(t, true, "answer y or n");
	}
	buf_reset(&t->prompt.answer);
}

/* An answer is a line: a letter may begin a command that was meant for the prompt. */
static void answer_question(struct tui *t, const struct key *k)
{
	if (!strcmp(k->name, "Esc") || k->c == 3)
		question_done(t, false);
	else if (!strcmp(k->name, "Enter"))
		answer_enter(t);
	else if (!typed_key(&t->prompt.answer, k) && strcmp(k->name, "Backspace"))
		tui_last(t, true, "a question waits: y or n");
}

/* ---- panes -------------------------------------------------------------------------------------- */

/* The line of a key, chords included; NULL when it has none.  *more: the key begins a chord. */
static const char *bound_line(struct tui *t, const struct key *k, bool line, bool *more)
{
	static char name[64];
	const char *found;

	*more = false;
	if (!*k->name)
		return NULL;
	if (*t->keys.chord)
		snprintf(name, sizeof(name), "%s %s", t->keys.chord, k->name);
	else
		snprintf(name, sizeof(name), "%s", k->name);
	*t->keys.chord = '\0';
	found = keys_find(name, line);
	if (!found && keys_prefix(name, line)) {
		snprintf(t->keys.chord, sizeof(t->keys.chord), "%.30s", name);
		*more = true;
	}
	return found;
}

bool tui_only_looks(const char *line)
{
	static const char *const does[] = { "tui scroll", "tui search", "tui match",	   "tui answer",
					    "tui keep",	  "tui menu",	"tui filter",	   "tui help",
					    "tui prompt", "tui pane",	"focus",	   "tui disable",
					    "layout",	  "refresh",	"tui open scroll", "tui close scroll" };
	size_t i;

	for (i = 0; i < sizeof(does) / sizeof(*does); i++)
		if (!strncmp(line, does[i], strlen(does[i])))
			return true;
	return false;
}

/* Is a part of the text out of sight, to the side or above and below? */
static bool out_of_sight(const struct pane *p, bool aside)
{
	struct buf b = { 0 };
	bool found = aside ? p->left > 0 : pane_total(p) > (size_t)pane_height(p);
	size_t i;

	for (i = 0; aside && !found && i < pane_total(p); i++) {
		pane_row_text(p, i, &b);
		found = (int)text_width(buf_str(&b)) >= p->rect.w;
	}
	buf_release(&b);
	return found;
}

/* Does the letter of this line do something with the text that is read: move in it, search it, leave it? */
static bool letter_reads(const struct pane *p, const char *line)
{
	const char *where = strncmp(line, "tui scroll ", 11) ? "" : line + 11;

	if (!*where)
		return tui_only_looks(line) && strncmp(line, "focus", 5) && strncmp(line, "tui menu", 8);
	return strcmp(where, "current") && out_of_sight(p, !strcmp(where, "left") || !strcmp(where, "right"));
}

/* A text is read, in an open answer or help: a key moves in it, searches it or leaves it.  A letter that does none of
   this begins a command, at the prompt.  True: that was done, or the key does nothing, above all not with the
   program. */
static bool reading_key(struct tui *t, const struct key *k)
{
	const char *line = keys_find(k->name, false);
	bool letter = k->type == KEY_PASTE || (k->type == KEY_CHAR && k->c > 32 && k->c != 127);

	if ((t->panes.focus != t->panes.help && t->panes.focus != t->over.pane) || *t->keys.chord ||
	    keys_prefix(k->name, false))
		return false;
	if (line && (letter ? letter_reads(t->panes.focus, line) : tui_only_looks(line)))
		return false;
	if (letter) {
		tui_focus(t, NULL);
		to_editor(t, k);
	} else if (*k->name) {
		tui_last(t, true, "the key %s does nothing in a text: q or Esc closes it", k->name);
	} else {
		no_meaning(t, k);
	}
	return true;
}

static void pane_key(struct tui *t, const struct key *k)
{
	const char *line;
	bool more;

	if (t->panes.focus == t->panes.help && !strcmp(k->name, "q")) {
		tui_help_close(t);
		return;
	}
	if (reading_key(t, k))
		return;
	line = bound_line(t, k, false, &more);
	if (line)
		tui_command(t, line, true);
	else if (!more)
		no_meaning(t, k);
}

/* While the output pane has the focus, the program gets all keys except those that leave the pane. */
static void program_key(struct tui *t, const struct key *k)
{
	const char *line;
	bool more = false;

	if (k->type == KEY_CHAR && k->c == 27) {
		tui_focus(t, NULL);
		return;
	}
	if (k->type == KEY_PASTE) {
		progtty_type(k->text, k->ntext);
		return;
	}
	line = k->type == KEY_NAMED || k->c == 12 || *t->keys.chord || k->c == 24 ? bound_line(t, k, true, &more) :
										    NULL;
	if (line)
		tui_command(t, line, true);
	else if (!more)
		progtty_type(k->bytes, k->nbytes);
}

static void line_key(struct tui *t, const struct key *k)
{
	const char *line;
	bool more;

	/* Escape alone never begins another key here: it means "leave", and text may follow at once */
	if (k->type == KEY_CHAR && k->c == 27 && editor_idle(t->prompt.editor)) {
		*t->keys.chord = '\0';
		return;
	}
	line = k->type == KEY_PASTE ? NULL : bound_line(t, k, true, &more);
	if (line)
		tui_command(t, line, true);
	else if (k->type == KEY_PASTE || !more)
		to_editor(t, k);
}

static void interrupt_key(struct tui *t)
{
	if (can_interrupt(t)) {
		tui_interrupt(t);
	} else if (!editor_empty(t->prompt.editor)) {
		editor_cancel(t->prompt.editor);
	} else {
		drop_queue(t);
		tui_last(t, false, "quit leaves the debugger");
	}
}

/* The menu or a search is in front: a key that runs the program, or sets a breakpoint, waits until it is closed. */
static bool key_waits(struct tui *t, const struct key *k)
{
	const char *line = k->type == KEY_NAMED ? keys_find(k->name, !t->panes.focus) : NULL;
	const char *front = t->menu.list		    ? "the menu" :
			    t->prompt.kind == PROMPT_ACTION ? "the menu of actions" :
			    t->prompt.kind == PROMPT_SEARCH ? "the search" :
			    t->prompt.kind == PROMPT_FILTER ? "the filter" :
							      NULL;

	if (!front || !line || tui_only_looks(line))
		return false;
	tui_last(t, true, "the key %s does nothing here: Esc closes %s", k->name, front);
	return true;
}

static void menu_action_key(struct tui *t, const struct key *k)
{
	struct action a;

	if (!tui_actions_key(t, k))
		return;
	tui_actions_take(t, &a); /* the menu is closed first: the action may open something else */
	tui_run_action(t, &a);
	action_free(&a);
}

void tui_key(struct tui *t, const struct key *k)
{
	t->screen.dirty = true;
	t->last.fresh = false;
	if (key_waits(t, k))
		return;
	if (tui_menu_key(t, k) || tui_overlay_key(t, k))
		return;
	if (t->prompt.kind == PROMPT_ACTION) {
		menu_action_key(t, k);
		return;
	}
	if (k->type == KEY_MOUSE) {
		tui_mouse(t, k);
		return;
	}
	if (t->prompt.kind == PROMPT_QUESTION) {
		answer_question(t, k);
		return;
	}
	if (t->prompt.kind == PROMPT_SEARCH) {
		tui_search_key(t, k);
		return;
	}
	if (t->prompt.kind == PROMPT_FILTER) {
		tui_filter_key(t, k);
		return;
	}
	if (k->type == KEY_CHAR && k->c == 3) {
		*t->keys.chord = '\0';
		interrupt_key(t);
	} else if (k->type == KEY_CHAR && k->c == 26) {
		tui_suspend(t);
	} else if (t->panes.focus == t->panes.output && t->panes.focus) {
		program_key(t, k);
	} else if (t->panes.focus) {
		pane_key(t, k);
	} else {
		line_key(t, k);
	}
}
