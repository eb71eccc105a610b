/* SPDX-License-Identifier: BSD-3-Clause */
/* Screen commands about layouts and the sizes of panes.  Runs on the UI thread. */
#include "config.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/err.h"
#include "base/pick.h"
#include "ui/tui/tui.h"

static const char *rest_of(const char *args, char *word, size_t size)
{
	size_t n = strcspn(args, " \t");

	snprintf(word, size, "%.*s", (int)n, args);
	return args + n + strspn(args + n, " \t");
}

static void remember_layout(struct tui *t)
{
	struct err err;

	if (t->layouts.file && layouts_save(t->layouts.file, &err) < 0)
		tui_sayf(t, STYLE_NOTE, "note: %s", err.text);
}

static const char *pane_name_at(const void *arg, int i)
{
	const struct tui *t = arg;

	return i < t->panes.n ? t->panes.all[i]->name : NULL;
}

/* A pane's name, or the one with the focus; NULL with err. */
struct pane *tui_pane_arg(struct tui *t, const char *name, struct err *err)
{
	const struct pick names = {
		.what = "pane", .list = "'layout' alone lists the panes", .at = pane_name_at, .arg = t
	};
	struct pane *p = *name ? tui_pane(t, name) : t->panes.focus ? t->panes.focus : t->panes.last_focus;

	if (p && p != t->over.pane)
		return p;
	if (p)
		err_set(err, "an answer has no place in the layout: M-k keeps it as a pane");
	else if (*name)
		pick_name(&names, name, err);
	else
		err_set(err, "no pane has the focus: name one");
	return NULL;
}

static int save_layout(struct tui *t, const char *name, struct err *err)
{
	struct buf b = { 0 };
	size_t i;

	for (i = 0; name[i]; i++)
		if (!isalnum((unsigned char)name[i]) && !strchr("-_.", name[i]))
			return err_set(err, "invalid layout name '%s': expected letters, digits, - and _", name);
	if (!*name || i >= LAYOUT_NAME)
		return err_set(err, "missing name: 'layout save NAME'");
	layout_print(t->layouts.current, &b);
	layouts_add(name, buf_str(&b));
	buf_release(&b);
	snprintf(t->layouts.name, sizeof(t->layouts.name), "%.*s", LAYOUT_NAME - 1, name);
	layouts_use(name);
	remember_layout(t);
	tui_last(t, false, "layout %s is saved", name);
	return 0;
}

/* typed_default: 'layout default', which resets sizes from any layout. */
static int use_layout(struct tui *t, const char *name, bool typed_default, struct err *err)
{
	if (!strcmp(name, t->layouts.name) ||
	    typed_default) { /* if it is chosen again, it is shown as it was defined */
		layouts_resized(name, t->screen.rows, t->screen.cols, NULL);
		layouts_set_line_rows(0);
	}
	if (layouts_spec(name, t->screen.rows, t->screen.cols))
		t->panes.slot = NULL; /* chosen again, it shows what it was made for */
	if (tui_layout(t, name, err) < 0)
		return -1;
	t->panes.zoom = NULL;
	t->panes.help_open = false;
	layouts_show_all();
	layouts_use(t->layouts.name);
	tui_place(t);
	if (t->panes.focus && !t->panes.focus->shown)
		tui_focus(t, NULL);
	remember_layout(t);
	tui_last(t, false, "layout %s, also next time", t->layouts.name);
	return 0;
}

static const char *layout_name_at(const void *arg, int i)
{
	static const char *const words[] = { "next", "prev", "save" };
	const int n = sizeof(words) / sizeof(*words);

	(void)arg;
	return i < n ? words[i] : layouts_name(i - n);
}

static int verb_layout(struct tui *t, const char *args, struct buf *out, struct err *err)
{
	const struct pick names = { .what = "layout",
				    .list = "'layout' alone lists the layouts",
				    .at = layout_name_at };
	char word[64], name[64];
	const char *rest = rest_of(args, word, sizeof(word)), *s;
	int i, n, at = 0;

	if (!*word) {
		for (i = 0; (s = layouts_name(i)); i++)
			buf_addf(out, "%s %s\n", strcmp(s, t->layouts.name) ? " " : "*", s);
		buf_adds(out, "panes:");
		for (i = 0; i < t->panes.n; i++)
			if (t->panes.all[i]->kind != PANE_TEXT)
				buf_addf(out, " %s", t->panes.all[i]->name);
		buf_addc(out, '\n');
		return 0;
	}
	if (!layouts_spec(word, t->screen.rows, t->screen.cols)) {
		i = pick_name(&names, word, err);
		if (i < 0)
			return -1;
		snprintf(word, sizeof(word), "%s", layout_name_at(NULL, i));
	}
	if (!strcmp(word, "save")) {
		rest_of(rest, name, sizeof(name));
		return save_layout(t, name, err);
	}
	for (n = 0; (s = layouts_name(n)); n++)
		at = strcmp(s, t->layouts.name) ? at : n;
	if (!strcmp(word, "next") || !strcmp(word, "prev"))
		return use_layout(t, layouts_name((at + (*word == 'n' ? 1 : n - 1)) % n), false, err);
	return use_layout(t, word, !strcmp(word, "default"), err);
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
		return err_set(err, "layout name '%s' is too long", name);
	layouts_add(name, spec);
	return use_layout(t, name, false, err);
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
		tui_focus(t, NULL);
		return 0;
	}
	if (!*args)
		return err_set(err, "missing pane: 'focus PANE', 'focus cmd' or 'focus next'");
	p = tui_pane_arg(t, args, err);
	if (!p)
		return -1;
	tui_focus(t, p);
	return 0;
}

/* The pane with this number in its title. */
static int verb_pane(struct tui *t, const char *args, struct buf *out, struct err *err)
{
	int i, n = text_number(&args, 99);

	(void)out;
	for (i = 0; i < t->panes.n; i++)
		if (n > 0 && t->panes.all[i]->shown && t->panes.all[i]->number == n) {
			tui_focus(t, t->panes.all[i]);
			return 0;
		}
	return err_set(err, "no pane has the number %d", n);
}

void tui_layout_changed(struct tui *t)
{
	struct buf spec = { 0 };

	layout_print(t->layouts.current, &spec);
	layouts_resized(t->layouts.name, t->screen.rows, t->screen.cols, buf_str(&spec));
	buf_release(&spec);
	remember_layout(t);
}

/* A size that is kept is easily forgotten. */
static void tell_sized(struct tui *t)
{
	tui_last(t, false, "sized, also next time: 'layout %s' resets it", t->layouts.name);
}

static int resize(struct tui *t, const char *args, bool horizontal, struct err *err)
{
	enum { ROWS_MAX = 100000 };
	char word[64];
	const char *rest = args;
	struct pane *p = NULL;
	long n;

	if (*args && !strchr("+-0123456789", *args)) {
		rest = rest_of(args, word, sizeof(word));
		if ((!strcmp(word, "cmd") || !strcmp(word, "command")) && !horizontal) {
			if (!text_is_number(rest, -99, 99, &n) || tui_line_rows(t) + n < 1)
				return err_set(err, "missing number of rows: 'winheight cmd N', +N or -N");
			layouts_set_line_rows((int)(strchr("+-", *rest) ? tui_line_rows(t) + n : n));
			remember_layout(t);
			tell_sized(t);
			tui_place(t);
			return 0;
		}
		p = tui_pane_arg(t, word, err);
	} else {
		p = tui_pane_arg(t, "", err);
	}
	if (!p)
		return -1;
	if (!text_is_number(rest, -ROWS_MAX, ROWS_MAX, &n))
		return err_set(err, "missing number: '%s [PANE] N', +N or -N", horizontal ? "winwidth" : "winheight");
	if (!strchr("+-", *rest))
		n -= horizontal ? p->rect.w : p->rect.h;
	if (!p->shown || t->panes.zoom ||
	    layout_resize(t->layouts.current, p == t->panes.slot ? layout_slot(t->layouts.current)->name : p->name,
			  horizontal, (int)n) < 0)
		return err_set(err, "no room to make '%s' that %s", p->name, horizontal ? "wide" : "high");
	tui_layout_changed(t);
	tell_sized(t);
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
	if (t->panes.zoom && !*args) {
		t->panes.zoom = NULL;
		tui_place(t);
		if (t->panes.focus && !t->panes.focus->shown)
			tui_focus(t, NULL);
		return 0;
	}
	p = tui_pane_arg(t, args, err);
	if (!p)
		return -1;
	layouts_hide(p->name, false);
	if (t->panes.focus) /* typed on the command line, that keeps the keys */
		tui_focus(t, p);
	t->panes.zoom = p;
	t->panes.help_open = false;
	tui_place(t);
	return 0;
}

static int verb_hide(struct tui *t, const char *args, struct buf *out, struct err *err)
{
	struct pane *p = tui_pane_arg(t, args, err);

	(void)out;
	if (!p)
		return -1;
	if (p == t->panes.help) {
		tui_help_close(t);
		return 0;
	}
	if (!p->shown)
		return err_set(err, "'%s' is not shown", p->name);
	layouts_hide(p->name, true);
	t->panes.zoom = NULL;
	tui_place(t);
	if (t->panes.focus == p)
		tui_focus_step(t, 1);
	remember_layout(t);
	tui_last(t, false, "%s is hidden: 'focus %s' shows it again", p->name, p->name);
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
		p = tui_pane_arg(t, args, err);
		if (!p)
			return -1;
		layouts_hide(p->name, false);
		tui_place(t);
	}
	remember_layout(t);
	return 0;
}

const struct verb layout_verbs[] = {
	{ "layout", verb_layout, "choose a layout" },
	{ "new-layout", verb_new_layout, "define a layout" },
	{ "focus", verb_focus, "move the focus to a pane" },
	{ "pane", verb_pane, "move the focus to the pane with that number" },
	{ "winheight", verb_winheight, "change the height of a pane" },
	{ "winwidth", verb_winwidth, "change the width of a pane" },
	{ "zoom", verb_zoom, "show one pane alone, or all again" },
	{ "hide", verb_hide, "hide a pane" },
	{ "unhide", verb_unhide, "show hidden panes again" },
	{ NULL, NULL, NULL },
};
