/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes the list of actions from the table of keys, the selected row's view and the tables of commands.  Draws
   nothing. */
#include "config.h"
#include "ui/tui/actions.h"
#include <stdlib.h>
#include <string.h>
#include "base/buf.h"
#include "base/val.h"
#include "cmd/cmd.h"
#include "engine/keys.h"
#include "ui/tui/tui.h"

/* ---- what a command line does -------------------------------------------------------------------- */

/* "guard drop 0/0 5": the command and its subcommand; "break f.py:3": a breakpoint. */
static char *label_of(const char *line)
{
	size_t n = strcspn(line, " "), k;

	if (!strncmp(line, "tui fold ", 9))
		return mem_str("fold");
	if (!strncmp(line, "break ", 6) || !strncmp(line, "delete ", 7))
		return mem_str("breakpoint");
	if (!strncmp(line, "tui show ", 9))
		line += 4, n = strcspn(line, " ");
	k = line[n] ? strspn(line + n + 1, "abcdefghijklmnopqrstuvwxyz") : 0;
	if (k && (!line[n + 1 + k] || line[n + 1 + k] == ' '))
		n += 1 + k;
	return mem_strn(line, n);
}

static bool begins_with_word(const char *s, const char *word)
{
	size_t n = strlen(word);

	return !strncmp(s, word, n) && (!s[n] || s[n] == ' ');
}

/* What the tables of commands and of the screen's verbs say of a line. */
static char *about_line(const char *line)
{
	const struct cmd_def *c = NULL;
	const struct cmd_sub *sub;
	const char *args = line + strcspn(line, " ");
	char *word = mem_strn(line, (size_t)(args - line));

	args += strspn(args, " ");
	c = cmd_exact(word);
	free(word);
	if (!c)
		return mem_str("");
	if (!strcmp(c->name, "tui") && !strncmp(args, "show ", 5))
		return mem_fmt("show it in the pane %.*s", (int)strcspn(args + 5, " "), args + 5);
	if (!strcmp(c->name, "tui") && !strncmp(args, "fold ", 5))
		return mem_str("fold or unfold the rows below it");
	for (sub = c->subs; sub && sub->name; sub++)
		if (begins_with_word(args, sub->name))
			return mem_str(sub->help);
	return mem_str(c->help);
}

/* ---- lines of keys -------------------------------------------------------------------------------- */

/* does this line act on the selected row? */
static bool tui_row_action(const char *line, enum row_action *what)
{
	static const struct {
		const char *line;
		enum row_action what;
	} lines[] = {
		{ "tui follow", ACTION_ENTER }, { "tui toggle", ACTION_TOGGLE }, { "tui edit", ACTION_EDIT },
		{ "tui break", ACTION_BREAK },	{ "tui run-to", ACTION_RUN_TO },
	};
	size_t i;

	for (i = 0; i < sizeof(lines) / sizeof(*lines); i++)
		if (!strcmp(lines[i].line, line)) {
			*what = lines[i].what;
			return true;
		}
	return false;
}

bool tui_runs_line(const char *line)
{
	static const char *const lines[] = { "step",   "next", "stepi", "nexti",      "continue",
					     "finish", "up",   "down",	"tui run-to", NULL };
	int i;

	for (i = 0; line && lines[i]; i++)
		if (!strcmp(line, lines[i]))
			return true;
	return false;
}

/* ---- the list ------------------------------------------------------------------------------------ */

static struct action *action_add(struct actions *out, const char *key, const char *line)
{
	struct action *a;

	out->item = mem_grow(out->item, &out->cap, out->n + 1, sizeof(*out->item));
	a = &out->item[out->n++];
	memset(a, 0, sizeof(*a));
	a->key = mem_str(key);
	a->line = mem_str(line);
	a->bound = mem_str(line);
	return a;
}

void actions_row_line(const struct pane *p, enum row_action what, struct buf *line)
{
	long i = pane_selected(p);

	if (i >= 0 && p->view && p->view->action)
		p->view->action(p->rows, (size_t)i, what, line);
}

/* Another key for the same, which comes later in the table. */
static bool is_second(const struct actions *all, const struct key_binding *k, const char *line, int rank)
{
	size_t i;

	for (i = 0; !rank && *k->line && i < all->n; i++)
		if (!strcmp(all->item[i].bound, k->line) || !strcmp(all->item[i].line, line))
			return true;
	return false;
}

/* A key that acts on the selected row, if it does so on this one. */
static void add_row_key(const struct pane *p, const struct key_binding *k, enum row_action what, struct actions *out)
{
	struct buf line = { 0 };
	struct action *a;

	actions_row_line(p, what, &line);
	if (line.len && !is_second(out, k, line.s, k->pane_rank)) {
		a = action_add(out, k->key, line.s);
		free(a->bound);
		a->bound = mem_str(k->line);
		a->on_row = true;
		a->what = what;
		a->about = about_line(line.s);
		a->label = k->label ? mem_str(k->label) : label_of(line.s);
		a->rank = k->pane_rank;
	}
	buf_release(&line);
}

/* Adds the text of the cell that a template names in braces; false: there is none. */
static bool add_named_cell(const struct rows *r, size_t row, const char *name, size_t n, struct buf *out)
{
	const struct val *v = NULL;
	int c;

	for (c = 0; c < r->ncols; c++)
		if (strlen(r->ops->cols[c].name) == n && !strncmp(r->ops->cols[c].name, name, n))
			v = r->cell[row * (size_t)r->ncols + (size_t)c].v;
	if (v && v->type == VAL_STR && *v->u.s)
		buf_adds(out, v->u.s);
	else if (v && v->type == VAL_INT)
		buf_addf(out, "%lld", v->u.i);
	else
		return false;
	return true;
}

/* The command line that a template stands for on this row; false: the row has none. */
static bool expand_template(const struct rows *r, size_t row, const char *s, struct buf *out)
{
	const char *open;

	buf_reset(out);
	for (; (open = strchr(s, '{')); s = open + 2 + strcspn(open + 1, "}")) {
		buf_add(out, s, (size_t)(open - s));
		if (!add_named_cell(r, row, open + 1, strcspn(open + 1, "}"), out))
			return false;
	}
	buf_adds(out, s);
	return true;
}

/* What the view offers besides. */
static void add_more(const struct pane *p, struct actions *out)
{
	long i = pane_selected(p);
	const char *const *more = i >= 0 && p->view ? p->view->more : NULL;
	struct buf line = { 0 };
	struct action *a;

	for (; more && *more; more++) {
		if (!expand_template(p->rows, (size_t)i, *more, &line))
			continue;
		a = action_add(out, "", line.s);
		a->about = about_line(line.s);
		a->label = mem_str("");
	}
	buf_release(&line);
}

/* The line of a key that runs the program, which must be stopped for it. */
static bool not_possible(const struct tui *t, const char *line)
{
	return t->program.life != LIFE_STOPPED && tui_runs_line(line);
}

static void add_other_key(const struct tui *t, const struct key_binding *k, bool line, struct actions *out)
{
	bool region = k->label && !k->user && !strcmp(k->label, "step") && *val_text(t->program.status, "entry");
	int rank = line ? k->line_rank : k->pane_rank;
	struct action *a;

	if (is_second(out, k, k->line, rank))
		return;
	a = action_add(out, k->key, k->line);
	a->about = k->help ? mem_str(k->help) : about_line(k->line);
	a->label = mem_str(k->user ? k->line : region ? "region" : k->label ? k->label : "");
	a->rank = rank;
}

/* Of one key the binding of the pane, or of the command line, counts before that for everywhere. */
static bool counts_here(const struct key_binding *k, bool line)
{
	const char *found;

	if (k->where != KEYS_ALL && (k->where == KEYS_LINE) != line)
		return false;
	if (!*k->line) /* the line editor's own */
		return line && !k->user;
	found = keys_find(k->key, line);
	return found && !strcmp(found, k->line);
}

void actions_find(const struct tui *t, const struct pane *p, struct actions *out)
{
	struct key_binding k;
	enum row_action what, first;
	size_t i;

	for (first = ACTION_ENTER; p && first <= ACTION_RUN_TO; first++) /* what runs the program last */
		for (i = 0; keys_at(i, &k); i++)
			if (tui_row_action(k.line, &what) && what == first && counts_here(&k, false) &&
			    !not_possible(t, k.line))
				add_row_key(p, &k, what, out);
	add_more(p, out);
	for (i = 0; keys_at(i, &k); i++)
		if (counts_here(&k, !p) && !(p && tui_row_action(k.line, &what)) && !not_possible(t, k.line))
			add_other_key(t, &k, !p, out);
}

void action_free(struct action *a)
{
	free(a->key);
	free(a->line);
	free(a->bound);
	free(a->about);
	free(a->label);
}

void actions_release(struct actions *a)
{
	while (a->n)
		action_free(&a->item[--a->n]);
	free(a->item);
	memset(a, 0, sizeof(*a));
}
