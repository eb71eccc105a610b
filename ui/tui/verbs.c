/* SPDX-License-Identifier: BSD-3-Clause */
/* What commands do with the screen: verbs, each a function.  Runs on the UI thread, whoever asked. */
#include "config.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/err.h"
#include "ui/output/console.h"
#include "ui/line/editor.h"
#include "ui/term/terminal.h"
#include "ui/tui/tui.h"

static void verb_list(struct buf *out);

static const char *rest_of(const char *args, char *word, size_t size)
{
	size_t n = strcspn(args, " \t");

	snprintf(word, size, "%.*s", (int)n, args);
	return args + n + strspn(args + n, " \t");
}

static void remember(struct tui *t)
{
	struct err err;

	if (t->layouts_file && layouts_save(t->layouts_file, &err) < 0)
		tui_sayf(t, STYLE_NOTE, "note: %s", err.text);
}

/* ---- layouts ------------------------------------------------------------------------------------ */

static int save_layout(struct tui *t, const char *name, struct err *err)
{
	struct buf b = { 0 };
	size_t i;

	for (i = 0; name[i]; i++)
		if (!isalnum((unsigned char)name[i]) && !strchr("-_.", name[i]))
			return err_set(err, "'%s' is no name for a layout: letters, digits, - and _", name);
	if (!*name || i >= LAYOUT_NAME)
		return err_set(err, "a name is missing: 'layout save NAME'");
	layout_print(t->layout, &b);
	layouts_add(name, buf_str(&b));
	buf_release(&b);
	snprintf(t->layout_name, sizeof(t->layout_name), "%.*s", LAYOUT_NAME - 1, name);
	layouts_use(name);
	remember(t);
	return 0;
}

static int use_layout(struct tui *t, const char *name, struct err *err)
{
	if (!strcmp(name, t->layout_name))           /* chosen again: as it was made */
		layouts_resized(name, t->rows, t->cols, NULL);
	if (tui_layout(t, name, err) < 0)
		return -1;
	t->zoom = NULL;
	t->help_open = false;
	layouts_show_all();
	layouts_use(t->layout_name);
	tui_place(t);
	if (t->focus && !t->focus->shown)
		tui_focus(t, NULL);
	remember(t);
	return 0;
}

static int verb_layout(struct tui *t, const char *args, struct buf *out, struct err *err)
{
	char word[64], name[64];
	const char *rest = rest_of(args, word, sizeof(word)), *s;
	int i, n, at = 0;

	if (!*word) {
		for (i = 0; (s = layouts_name(i)); i++)
			buf_addf(out, "%s %s\n", strcmp(s, t->layout_name) ? " " : "*", s);
		buf_adds(out, "panes:");
		for (i = 0; i < t->npanes; i++)
			if (t->pane[i]->kind != PANE_TEXT)
				buf_addf(out, " %s", t->pane[i]->name);
		buf_addc(out, '\n');
		return 0;
	}
	if (!strcmp(word, "save")) {
		rest_of(rest, name, sizeof(name));
		return save_layout(t, name, err);
	}
	for (n = 0; (s = layouts_name(n)); n++)
		at = strcmp(s, t->layout_name) ? at : n;
	if (!strcmp(word, "next") || !strcmp(word, "prev"))
		return use_layout(t, layouts_name((at + (*word == 'n' ? 1 : n - 1)) % n), err);
	if (!layouts_spec(word, t->rows, t->cols))
		for (i = 0; (s = layouts_name(i)); i++)
			if (!strncmp(s, word, strlen(word)))
				return use_layout(t, s, err);
	return use_layout(t, word, err);
}

static int verb_new_layout(struct tui *t, const char *args, struct buf *out, struct err *err)
{
	char name[LAYOUT_NAME + 1];
	const char *spec = rest_of(args, name, sizeof(name));
	struct layout *l = layout_parse(spec, err);

	(void)out;
	if (!l)
		return -1;
	layout_free(l);
	if (strlen(name) >= LAYOUT_NAME)
		return err_set(err, "'%s' is too long a name for a layout", name);
	layouts_add(name, spec);
	return use_layout(t, name, err);
}

/* A pane's name, or the one with the focus; NULL with err. */
static struct pane *pane_arg(struct tui *t, const char *name, struct err *err)
{
	struct pane *p = *name ? tui_pane(t, name) : t->focus ? t->focus : t->last_focus;

	if (!p)
		err_set(err, *name ? "no pane '%s': 'layout' alone lists them" :
			"no pane has the focus%s: name one", name);
	return p;
}

static int verb_focus(struct tui *t, const char *args, struct buf *out, struct err *err)
{
	struct pane *p;

	(void)out;
	if (!strcmp(args, "next") || !strcmp(args, "prev")) {
		tui_focus_step(t, *args == 'n' ? 1 : -1);
		return 0;
	}
	if (!strcmp(args, "cmd") || !strcmp(args, "command")) {
		if (t->match) {
			free(t->match);
			t->match = NULL;
			return 0;
		}
		if (t->help_open)
			tui_help_close(t);
		else
			tui_focus(t, NULL);
		return 0;
	}
	if (!*args)
		return err_set(err, "what shall have the focus? 'focus PANE', 'focus cmd', 'focus next'");
	p = pane_arg(t, args, err);
	if (!p)
		return -1;
	tui_focus(t, p);
	return 0;
}

static int resize(struct tui *t, const char *args, bool horizontal, struct err *err)
{
	enum { ROWS_MAX = 100000 };
	char word[64];
	const char *rest = args;
	struct buf spec = { 0 };
	struct pane *p = NULL;
	char *end;
	long n;

	if (*args && !strchr("+-0123456789", *args)) {
		rest = rest_of(args, word, sizeof(word));
		if ((!strcmp(word, "cmd") || !strcmp(word, "command")) && !horizontal) {
			n = strtol(rest, &end, 10);
			if (end == rest || n < -99 || n > 99 || tui_line_rows(t) + n < 1)
				return err_set(err, "how many rows? 'winheight cmd N', +N or -N");
			layouts_set_line_rows((int)(strchr("+-", *rest) ? tui_line_rows(t) + n : n));
			remember(t);
			tui_place(t);
			return 0;
		}
		p = pane_arg(t, word, err);
	} else {
		p = pane_arg(t, "", err);
	}
	if (!p)
		return -1;
	n = strtol(rest, &end, 10);
	if (end == rest || *end || n < -ROWS_MAX || n > ROWS_MAX)
		return err_set(err, "how many? '%s [PANE] N', +N or -N", horizontal ? "winwidth" : "winheight");
	if (!strchr("+-", *rest))
		n -= horizontal ? p->rect.w : p->rect.h;
	if (!p->shown || t->zoom || layout_resize(t->layout, p == t->slot ? layout_slot(t->layout)->name : p->name,
						  horizontal, (int)n) < 0)
		return err_set(err, "no room to make '%s' that %s", p->name, horizontal ? "wide" : "high");
	layout_print(t->layout, &spec);
	layouts_resized(t->layout_name, t->rows, t->cols, buf_str(&spec));
	buf_release(&spec);
	remember(t);
	tui_place(t);
	return 0;
}

static int verb_winheight(struct tui *t, const char *args, struct buf *out, struct err *err)
{
	(void)out;
	return resize(t, args, false, err);
}

static int verb_winwidth(struct tui *t, const char *args, struct buf *out, struct err *err)
{
	(void)out;
	return resize(t, args, true, err);
}

static int verb_zoom(struct tui *t, const char *args, struct buf *out, struct err *err)
{
	struct pane *p;

	(void)out;
	if (t->zoom && !*args) {
		t->zoom = NULL;
		tui_place(t);
		if (t->focus && !t->focus->shown)
			t->focus = NULL;
		return 0;
	}
	p = pane_arg(t, args, err);
	if (!p)
		return -1;
	layouts_hide(p->name, false);
	if (t->focus)                        /* typed on the command line, that keeps the keys */
		tui_focus(t, p);
	t->zoom = p;
	t->help_open = false;
	tui_place(t);
	return 0;
}

static int verb_hide(struct tui *t, const char *args, struct buf *out, struct err *err)
{
	struct pane *p = pane_arg(t, args, err);

	(void)out;
	if (!p)
		return -1;
	if (p == t->help) {
		tui_help_close(t);
		return 0;
	}
	if (!p->shown)
		return err_set(err, "'%s' is not shown", p->name);
	layouts_hide(p->name, true);
	t->zoom = NULL;
	tui_place(t);
	if (t->focus == p)
		tui_focus_step(t, 1);
	remember(t);
	return 0;
}

static int verb_unhide(struct tui *t, const char *args, struct buf *out, struct err *err)
{
	struct pane *p;

	(void)out;
	if (!*args) {
		layouts_show_all();
		tui_place(t);
	} else {
		p = pane_arg(t, args, err);
		if (!p)
			return -1;
		layouts_hide(p->name, false);
		tui_place(t);
	}
	remember(t);
	return 0;
}

static int verb_refresh(struct tui *t, const char *args, struct buf *out, struct err *err)
{
	(void)args;
	(void)out;
	(void)err;
	t->repaint = t->dirty = true;
	return 0;
}

/* ---- moving ------------------------------------------------------------------------------------- */

static int scroll_said(struct tui *t, const char *where)
{
	size_t page = (size_t)tui_line_rows(t);

	if (!strcmp(where, "pageup"))
		t->said_back += page;
	else if (!strcmp(where, "pagedown"))
		t->said_back = t->said_back > page ? t->said_back - page : 0;
	return 0;
}

static int verb_scroll(struct tui *t, const char *args, struct buf *out, struct err *err)
{
	struct pane *p = t->focus;
	long h;

	(void)out;
	t->dirty = true;
	if (!p)
		return scroll_said(t, args);
	h = pane_height(p) > 0 ? pane_height(p) : 1;
	if (!strcmp(args, "down"))
		pane_move(p, 1);
	else if (!strcmp(args, "up"))
		pane_move(p, -1);
	else if (!strcmp(args, "pagedown"))
		pane_scroll(p, h - (h > 2));
	else if (!strcmp(args, "pageup"))
		pane_scroll(p, -(h - (h > 2)));
	else if (!strcmp(args, "halfdown"))
		pane_scroll(p, (h + 1) / 2);
	else if (!strcmp(args, "halfup"))
		pane_scroll(p, -((h + 1) / 2));
	else if (!strcmp(args, "top"))
		pane_move(p, -(long)pane_total(p));
	else if (!strcmp(args, "bottom"))
		pane_move(p, (long)pane_total(p));
	else if (!strcmp(args, "left"))
		p->left -= p->left >= 4 ? 4 : p->left;
	else if (!strcmp(args, "right"))
		p->left += p->left < 2000 ? 4 : 0;
	else if (!strcmp(args, "current")) {
		if (p->words)
			pane_set_words(p, "");
		p->free = false;
		p->stale = true;
	} else
		return err_set(err, "'%s' is no way to scroll: up, down, left, right, pageup, pagedown, halfup, "
			       "halfdown, top, bottom, current", args);
	return 0;
}

static int verb_search(struct tui *t, const char *args, struct buf *out, struct err *err)
{
	(void)out;
	(void)err;
	if (!t->focus)
		tui_focus_step(t, 1);
	t->match_back = false;
	if (!*args) {
		buf_reset(&t->search);
		t->prompt = PROMPT_SEARCH;
	} else {
		free(t->match);
		t->match = mem_str(args);
		tui_find(t, false);
	}
	t->dirty = true;
	return 0;
}

static int verb_match(struct tui *t, const char *args, struct buf *out, struct err *err)
{
	(void)out;
	if (!t->match)
		return err_set(err, "nothing is searched: '/' begins");
	tui_find(t, (*args == 'p') != t->match_back);
	return 0;
}

/* ---- others --------------------------------------------------------------------------------------- */

static int verb_prompt(struct tui *t, const char *args, struct buf *out, struct err *err)
{
	(void)out;
	(void)err;
	tui_focus(t, NULL);
	if (*args)
		editor_set(args);
	return 0;
}

static int verb_help(struct tui *t, const char *args, struct buf *out, struct err *err)
{
	(void)out;
	if (t->match && t->focus && !*args) {        /* a search is shown: backward */
		t->match_back = true;
		buf_reset(&t->search);
		t->prompt = PROMPT_SEARCH;
		return 0;
	}
	if (*args) {
		struct pane *p = pane_arg(t, args, err);

		if (!p)
			return -1;
		tui_help(t, p);
		return 0;
	}
	tui_help(t, t->focus);
	return 0;
}

static int verb_slot(struct tui *t, const char *args, struct buf *out, struct err *err)
{
	(void)out;
	if (!t->slot)
		return err_set(err, "this layout has no free place: 'layout' alone lists layouts");
	tui_slot_step(t, *args == 'p' ? -1 : 1);
	return 0;
}

static int verb_mouse(struct tui *t, const char *args, struct buf *out, struct err *err)
{
	(void)t;
	(void)out;
	(void)err;
	term_mouse(strcmp(args, "off") && strcmp(args, "0"));
	return 0;
}

static int verb_tty(struct tui *t, const char *args, struct buf *out, struct err *err)
{
	(void)out;
	return tui_tty(t, args, err);
}

static int verb_theme(struct tui *t, const char *args, struct buf *out, struct err *err)
{
	(void)out;
	if (theme_set(args, getenv("NO_COLOR") && *getenv("NO_COLOR") ? 0 : term_colours(), !term_utf8()) < 0)
		return err_set(err, "no theme '%s': dark, light, none", args);
	t->repaint = t->dirty = true;
	return 0;
}

static int verb_colours(struct tui *t, const char *args, struct buf *out, struct err *err)
{
	(void)out;
	(void)err;
	t->colours = strcmp(args, "off") && strcmp(args, "0");
	t->dirty = true;
	return 0;
}

static int verb_editor(struct tui *t, const char *args, struct buf *out, struct err *err)
{
	(void)t;
	(void)err;
	editor_command(args, out);
	return 0;
}

static int verb_clear(struct tui *t, const char *args, struct buf *out, struct err *err)
{
	(void)args;
	(void)out;
	(void)err;
	console_clear();
	t->output->free = false;
	t->dirty = true;
	return 0;
}

/* For completion: what may stand behind a verb. */
static int verb_names(struct tui *t, const char *args, struct buf *out, struct err *err)
{
	const char *s;
	int i;

	(void)err;
	for (i = 0; !strcmp(args, "layout") && (s = layouts_name(i)); i++)
		buf_addf(out, "%s ", s);
	for (i = 0; !strcmp(args, "pane") && i < t->npanes; i++)
		if (t->pane[i]->kind != PANE_TEXT)
			buf_addf(out, "%s ", t->pane[i]->name);
	if (!strcmp(args, "verb"))
		verb_list(out);
	return 0;
}

static int verb_history(struct tui *t, const char *args, struct buf *out, struct err *err)
{
	(void)t;
	(void)out;
	(void)err;
	editor_history_size(text_number(&args, 100000));
	return 0;
}

static const struct verb verbs[] = {
	{ "layout", verb_layout }, { "new-layout", verb_new_layout }, { "focus", verb_focus },
	{ "winheight", verb_winheight }, { "winwidth", verb_winwidth }, { "zoom", verb_zoom }, { "hide", verb_hide },
	{ "unhide", verb_unhide }, { "refresh", verb_refresh }, { "scroll", verb_scroll }, { "search", verb_search },
	{ "match", verb_match }, { "prompt", verb_prompt },
	{ "help", verb_help }, { "slot", verb_slot }, { "mouse", verb_mouse }, { "theme", verb_theme },
	{ "output-color", verb_colours }, { "editor", verb_editor }, { "clear-output", verb_clear },
	{ "names", verb_names }, { "tty", verb_tty }, { "history-size", verb_history }, { NULL, NULL }
};
static const struct verb *const verb_tables[] = { verbs, row_verbs, NULL };

static void verb_list(struct buf *out)
{
	const struct verb *const *table, *v;

	for (table = verb_tables; *table; table++)
		for (v = *table; v->name; v++)
			if (strcmp(v->name, "names"))
				buf_addf(out, "%s ", v->name);
}

int tui_verb(struct tui *t, const char *verb, const char *args, struct buf *out, struct err *err)
{
	const struct verb *const *table, *v;

	t->dirty = true;
	for (table = verb_tables; *table; table++)
		for (v = *table; v->name; v++)
			if (!strcmp(v->name, verb))
				return v->run(t, args, out, err);
	return err_set(err, "'%s' is nothing that the screen does: 'help tui' lists what it does", verb);
}
