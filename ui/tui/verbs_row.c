/* SPDX-License-Identifier: BSD-3-Clause */
/* Acts on the selected row: its view gives the command line.  Runs on the UI thread. */
#include "config.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/err.h"
#include "ui/line/editor.h"
#include "ui/tui/tui.h"

static void run_row_line(struct tui *t, enum row_action what, const char *line)
{
	if (what == ACTION_EDIT) {
		editor_set(t->prompt.editor, line);
		tui_focus(t, NULL);
		if (line[strlen(line) - 1] == ' ')
			tui_complete(t); /* the old value */
		return;
	}
	free(t->program.row_line);
	t->program.row_line = mem_str(line);
	tui_command(t, line, true);
}

void tui_run_action(struct tui *t, const struct action *a)
{
	size_t n = strlen(a->line);

	if (a->on_row) {
		run_row_line(t, a->what, a->line);
	} else if (n && a->line[n - 1] == ' ') {
		editor_set(t->prompt.editor, a->line);
		tui_focus(t, NULL);
	} else {
		tui_command(t, a->line, *a->key != '\0');
	}
}

static int act(struct tui *t, enum row_action what, struct err *err)
{
	struct pane *p = t->panes.focus ? t->panes.focus : tui_pane(t, "source");
	struct buf line = { 0 };
	int ret = 0;

	actions_row_line(p, what, &line);
	if (!line.len && what == ACTION_EDIT)
		ret = err_set(err, "this row of '%s' has no value to edit", p ? p->name : "");
	else if (!line.len)
		ret = err_set(err, "there is nothing to do with this row of '%s'", p ? p->name : "");
	else
		run_row_line(t, what, line.s);
	buf_release(&line);
	return ret;
}

static int verb_follow(struct tui *t, const char *args, struct buf *out, struct err *err)
{
	(void)args;
	(void)out;
	return act(t, ACTION_ENTER, err);
}

static int verb_toggle(struct tui *t, const char *args, struct buf *out, struct err *err)
{
	(void)args;
	(void)out;
	return act(t, ACTION_TOGGLE, err);
}

static int verb_edit(struct tui *t, const char *args, struct buf *out, struct err *err)
{
	(void)args;
	(void)out;
	return act(t, ACTION_EDIT, err);
}

static int verb_break(struct tui *t, const char *args, struct buf *out, struct err *err)
{
	(void)args;
	(void)out;
	return act(t, ACTION_BREAK, err);
}

static int verb_run_to(struct tui *t, const char *args, struct buf *out, struct err *err)
{
	(void)args;
	(void)out;
	return act(t, ACTION_RUN_TO, err);
}

/* Adds KEY to the list, or removes it. */
static int verb_fold(struct tui *t, const char *args, struct buf *out, struct err *err)
{
	struct pane *p = t->panes.focus;
	struct buf b = { 0 };
	const char *s, *end;
	bool was = false;

	(void)out;
	if (!p || p->kind != PANE_VIEW)
		return err_set(err, "no pane with folds has the focus");
	for (s = buf_str(&p->folds); *s; s = end + (*end == ',')) {
		end = s + strcspn(s, ",");
		if ((size_t)(end - s) == strlen(args) && !strncmp(s, args, strlen(args))) {
			was = true;
			continue;
		}
		if (b.len)
			buf_addc(&b, ',');
		buf_add(&b, s, (size_t)(end - s));
	}
	if (!was)
		buf_addf(&b, "%s%s", b.len ? "," : "", args);
	buf_release(&p->folds);
	p->folds = b;
	p->request.stale = true;
	p->request.asked = false;
	p->free = true;
	return 0;
}

/* "PANE WORDS": the view of other things than the current ones, until the next stop or `.`. */
static int verb_show(struct tui *t, const char *args, struct buf *out, struct err *err)
{
	size_t n = strcspn(args, " \t");
	char *name = mem_strn(args, n);
	struct pane *p = tui_pane(t, name);

	(void)out;
	free(name);
	if (!p || p->kind != PANE_VIEW)
		return err_set(err, "missing words: 'tui show PANE WORDS', with the words that follow 'info PANE'");
	pane_set_filter(p, "", 0); /* it could hide what is to be shown */
	pane_set_words(p, args + n + strspn(args + n, " \t"));
	if (t->panes.focus) /* typed on the command line, that keeps the keys */
		tui_focus(t, p);
	return 0;
}

/* The selected row in full, over the panes. */
static int verb_row(struct tui *t, const char *args, struct buf *out, struct err *err)
{
	struct pane *p = t->panes.focus;
	struct buf b = { 0 };
	char title[80];

	(void)args;
	(void)out;
	tui_row_text(p, &b);
	if (!b.len)
		return err_set(err, "no row of a pane is selected: S-Tab goes to the panes");
	snprintf(title, sizeof(title), "row %zu of %s", p->cursor + 1, p->name);
	tui_overlay_row(t, title, b.s);
	buf_release(&b);
	return 0;
}

static int verb_menu(struct tui *t, const char *args, struct buf *out, struct err *err)
{
	struct pane *p = t->panes.focus ? t->panes.focus : t->panes.last_focus;

	(void)out;
	if (t->prompt.kind != PROMPT_COMMAND)
		return err_set(err, "a question or a text at the prompt comes first: Esc ends it");
	if (p && p->shown && p != t->panes.focus && !t->over.open)
		tui_focus(t, p);
	tui_actions_open(t, args);
	return 0;
}

const struct verb row_verbs[] = {
	{ "menu", verb_menu, "open the menu of actions on the selected row" },
	{ "follow", verb_follow, "follow the selected row" },
	{ "toggle", verb_toggle, "fold a region, toggle a breakpoint, or drop a guard" },
	{ "edit", verb_edit, "edit the value of the selected row" },
	{ "break", verb_break, "set or delete a breakpoint at the selected row" },
	{ "run-to", verb_run_to, "run to the selected row" },
	{ "fold", verb_fold, "fold or unfold a group of rows" },
	{ "show", verb_show, "show a view with other words in its pane" },
	{ "row", verb_row, "show the selected row in full" },
	{ NULL, NULL, NULL },
};
