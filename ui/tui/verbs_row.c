/* SPDX-License-Identifier: BSD-3-Clause */
/* Acts on the selected row: its view gives the command line.  Runs on the UI thread. */
#include "config.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/err.h"
#include "base/pick.h"
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

/* The list of KEY or KEY=TEXT without the entry of this key; true: it had one. */
static bool without_key(const struct buf *list, const char *key, struct buf *out)
{
	size_t n = strlen(key);
	const char *s, *end;
	bool was = false;

	for (s = buf_str(list); *s; s = end + (*end == ',')) {
		end = s + strcspn(s, ",");
		if ((size_t)(end - s) >= n && !strncmp(s, key, n) && (s[n] == '=' || s + n == end)) {
			was = true;
			continue;
		}
		if (out->len)
			buf_addc(out, ',');
		buf_add(out, s, (size_t)(end - s));
	}
	return was;
}

static void take_list(struct pane *p, struct buf *list, struct buf *b)
{
	buf_release(list);
	*list = *b;
	p->request.stale = true;
	p->request.asked = false;
	p->free = true;
}

/* Adds KEY to the list, or removes it. */
static int verb_fold(struct tui *t, const char *args, struct buf *out, struct err *err)
{
	struct pane *p = t->panes.focus;
	struct buf b = { 0 };

	(void)out;
	if (!p || p->kind != PANE_VIEW)
		return err_set(err, "no pane with folds has the focus");
	if (!without_key(&p->folds, args, &b))
		buf_addf(&b, "%s%s", b.len ? "," : "", args);
	take_list(p, &p->folds, &b);
	return 0;
}

static long row_depth(const struct rows *r, size_t i)
{
	int c;

	for (c = 0; c < r->ncols; c++)
		if (!strcmp(r->ops->cols[c].name, "depth"))
			return (long)rows_number(r, i, "depth", 0);
	return r->mark[i] & MARK_HEAD ? 0 : 1; /* headings fold what is below them */
}

/* Is the selected row of a pane one that folds others, and open?  1, 0; -1: it folds none. */
static int row_is_open(const struct pane *p, long i)
{
	const struct rows *r = p->rows;
	const char *fold;
	int c;

	for (c = 0; i >= 0 && c < r->ncols; c++) {
		if (strcmp(r->ops->cols[c].name, "fold"))
			continue;
		fold = rows_text(r, (size_t)i, "fold");
		return !strcmp(fold, "open") ? 1 : !strcmp(fold, "shut") ? 0 : -1;
	}
	return -1;
}

/* The nearest row above that has i below it, or -1. */
static long row_parent(const struct rows *r, long i)
{
	long depth = row_depth(r, (size_t)i);

	for (i--; depth > 0 && i >= 0; i--)
		if (row_depth(r, (size_t)i) < depth)
			return i;
	return -1;
}

/* The selected row of a pane that has rows which fold others, or -1. */
static long row_of_tree(const struct pane *p)
{
	const struct view_col *c = p && p->kind == PANE_VIEW && p->rows && !p->error ? p->rows->ops->cols : NULL;

	for (; c && c->name; c++)
		if (!strcmp(c->name, "fold"))
			return pane_selected(p);
	return -1;
}

/* "scroll right": the verb and its arguments. */
static int other_verb(struct tui *t, const char *line, struct buf *out, struct err *err)
{
	size_t n = strcspn(line, " ");
	char *verb = mem_strn(line, n);
	int ret = tui_verb(t, verb, line + n + strspn(line + n, " "), out, err);

	free(verb);
	return ret;
}

/* Opens the selected row; is it open, goes to the first row below it.  "scroll right": what a pane without such rows
   does. */
static int verb_open(struct tui *t, const char *args, struct buf *out, struct err *err)
{
	struct pane *p = t->panes.focus;
	long i = row_of_tree(p);
	int open = i >= 0 ? row_is_open(p, i) : -1;

	if (open == 0)
		return act(t, ACTION_TOGGLE, err);
	if (open == 1 && (size_t)i + 1 < p->rows->n &&
	    row_depth(p->rows, (size_t)i + 1) > row_depth(p->rows, (size_t)i)) {
		pane_move(p, 1);
		return 0;
	}
	return *args ? other_verb(t, args, out, err) :
		       err_set(err, "this row of '%s' has nothing to open", p ? p->name : "");
}

/* Closes the selected row; is it closed, goes to the row that it is below. */
static int verb_close(struct tui *t, const char *args, struct buf *out, struct err *err)
{
	struct pane *p = t->panes.focus;
	long i = row_of_tree(p), up;
	int open = i >= 0 ? row_is_open(p, i) : -1;

	if (open == 1)
		return act(t, ACTION_TOGGLE, err);
	up = i >= 0 && !p->left ? row_parent(p->rows, i) : -1;
	if (up >= 0) {
		pane_move(p, up - i);
		return 0;
	}
	return *args ? other_verb(t, args, out, err) : err_set(err, "this row of '%s' is not open", p ? p->name : "");
}

/* The form after this one, of names separated by spaces; the first after the last. */
static char *form_after(const char *names, const char *now, size_t n)
{
	const char *s, *end;
	bool next = false;

	for (s = names; *s; s = end + strspn(end, " ")) {
		end = s + strcspn(s, " ");
		if (next)
			return mem_strn(s, (size_t)(end - s));
		next = (size_t)(end - s) == n && !strncmp(s, now, n);
	}
	return mem_strn(names, strcspn(names, " "));
}

/* The form in which the selected row shows its value: "hex", or "next". */
static int verb_format(struct tui *t, const char *args, struct buf *out, struct err *err)
{
	struct pane *p = t->panes.focus;
	long i = row_of_tree(p);
	const char *key = i >= 0 && p->view && p->rows->ops->cols[0].tree ? rows_text(p->rows, (size_t)i, "key") : "";
	const char *names = *key ? rows_text(p->rows, (size_t)i, "formats") : "", *now;
	struct buf b = { 0 };
	char *form, *had;

	(void)out;
	if (!*names)
		return err_set(err, "this row of '%s' has one form only", p ? p->name : "");
	had = mem_fmt(",%s=", key);
	buf_addf(&b, ",%s", buf_str(&p->formats));
	now = strstr(b.s, had);
	now = now ? now + strlen(had) : "value";
	form = !*args || !strcmp(args, "next") ? form_after(names, now, strcspn(now, ",")) : mem_str(args);
	free(had);
	buf_reset(&b);
	if (!pick_has_word(names, form)) {
		err_set(err, "this value has no form '%s': it has %s", form, names);
		free(form);
		return -1;
	}
	without_key(&p->formats, key, &b);
	if (strcmp(form, "value"))
		buf_addf(&b, "%s%s=%s", b.len ? "," : "", key, form);
	take_list(p, &p->formats, &b);
	tui_last(t, false, "shown as %s", form);
	free(form);
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
	if (!b.len && p)
		return err_set(err, "'%s' has no more to show of this row", p->name);
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
	{ "open", verb_open, "open the selected row, or go below it" },
	{ "close", verb_close, "close the selected row, or go to the row that it is below" },
	{ "format", verb_format, "show the value of the selected row in another form" },
	{ "show", verb_show, "show a view with other words in its pane" },
	{ "row", verb_row, "show the selected row in full" },
	{ NULL, NULL, NULL },
};
