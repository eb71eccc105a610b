/* SPDX-License-Identifier: BSD-3-Clause */
/* Which panes there are (one for every view), which layout shows them, which one has the focus.  Draws nothing. */
#include "config.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/err.h"
#include "base/pick.h"
#include "ui/tui/tui.h"

void tui_add_pane(struct tui *t, struct pane *p)
{
	size_t cap = (size_t)t->panes.n;

	t->panes.all = mem_grow(t->panes.all, &cap, (size_t)t->panes.n + 1, sizeof(*t->panes.all));
	t->panes.all[t->panes.n++] = p;
}

static struct pane *exact(struct tui *t, const char *name)
{
	int i;

	for (i = 0; i < t->panes.n; i++)
		if (!strcmp(t->panes.all[i]->name, name))
			return t->panes.all[i];
	return NULL;
}

struct pane *tui_pane(struct tui *t, const char *name)
{
	static const char *const short_names[][2] = { { "src", "source" }, { "code", "code" }, { "regs", "stack" } };
	struct pane *p = exact(t, name);
	size_t k;
	int i, hits = 0;

	for (k = 0; !p && k < sizeof(short_names) / sizeof(*short_names); k++)
		if (!strcmp(short_names[k][0], name))
			return exact(t, short_names[k][1]);
	for (i = 0; !p && *name && i < t->panes.n; i++)
		hits += !strncmp(t->panes.all[i]->name, name, strlen(name));
	for (i = 0; !p && hits == 1 && i < t->panes.n; i++)
		if (!strncmp(t->panes.all[i]->name, name, strlen(name)))
			return t->panes.all[i];
	return p;
}

/* A pane that a layout names but that has no view shows that. */
static void name_panes(void *arg, struct layout *l)
{
	struct tui *t = arg;

	if (!exact(t, l->name))
		tui_add_pane(t, pane_new(l->name, PANE_VIEW, NULL));
}

void tui_views(struct tui *t, const struct view_ops **views)
{
	struct pane *p;
	int i;

	if (!t->panes.output) {
		t->panes.output = pane_new("output", PANE_OUTPUT, NULL);
		t->panes.help = pane_new("help", PANE_TEXT, NULL);
		tui_add_pane(t, t->panes.output);
		tui_add_pane(t, t->panes.help);
	}
	t->panes.told |= views != NULL;
	for (i = 0; views && views[i]; i++) {
		p = exact(t, views[i]->name);
		if (!p)
			tui_add_pane(t, pane_new(views[i]->name, PANE_VIEW, views[i]));
		else if (p->kind == PANE_VIEW)
			p->view = views[i];
	}
}

static const char *layout_at(const void *arg, int i)
{
	(void)arg;
	return layouts_name(i);
}

int tui_layout(struct tui *t, const char *name, struct err *err)
{
	static const struct pick names = { .what = "layout", .at = layout_at };
	const char *spec = layouts_spec(name, t->screen.rows, t->screen.cols), *near;
	struct layout *l;

	if (!spec) {
		near = pick_nearest(&names, name);
		return near ? err_set(err, "unknown layout '%s'; did you mean '%s'?", name, near) :
			      err_set(err, "unknown layout '%s'; 'layout' alone lists the layouts", name);
	}
	l = layout_parse(spec, err);
	if (!l)
		return -1;
	layout_free(t->layouts.current);
	t->mouse.border.split = NULL;
	t->layouts.current = l;
	if (name != t->layouts.name)
		snprintf(t->layouts.name, sizeof(t->layouts.name), "%.*s", LAYOUT_NAME - 1, name);
	layout_each(l, name_panes, t);
	tui_place(t);
	return 0;
}

/* A pane without a place gets the free one, or the screen while it has the focus. */
static void make_seen(struct tui *t, struct pane *p)
{
	struct layout *l;

	if (p == t->over.pane || p == t->panes.help) /* they cover others: without a place, the screen is too small */
		return;
	layouts_hide(p->name, false);
	if (t->panes.zoom)
		t->panes.zoom = p;
	l = layout_find(t->layouts.current, p->name);
	if (!t->panes.zoom && (!l || (l->slot && t->panes.slot != p)) && layout_slot(t->layouts.current)) {
		tui_last(t, false, "%s is shown in the place of %s", p->name,
			 t->panes.slot ? t->panes.slot->name : "another pane");
		t->panes.slot = p;
	}
	tui_place(t);
	if (!p->shown && !tui_small(t)) {
		t->panes.zoom = p;
		tui_place(t);
		tui_last(t, false, "%s is shown alone: layout %s has no place for it", p->name, t->layouts.name);
	}
}

void tui_focus(struct tui *t, struct pane *p)
{
	if (p && p == t->over.pane && !t->over.open) /* it was closed meanwhile */
		p = t->over.from;
	if (t->over.open && p != t->over.pane)
		tui_overlay_leave(t);
	if (t->panes.help_open && p != t->panes.help) {
		t->panes.help_open = false;
		tui_place(t);
	}
	if (t->panes.focus && t->panes.focus != t->panes.help && t->panes.focus != t->over.pane)
		t->panes.last_focus = t->panes.focus;
	t->panes.focus = p;
	tui_search_leave(t);
	tui_actions_close(t);
	tui_filter_end(t);
	if (p && !p->shown)
		make_seen(t, p);
	else if (p && t->panes.zoom && t->panes.zoom != p) {
		t->panes.zoom = p;
		tui_place(t);
	}
}

struct order {
	struct tui *t;
	struct pane *pane[64];
	int n;
};

static void in_order(void *arg, struct layout *l)
{
	struct order *o = arg;
	struct pane *p = l->slot && o->t->panes.slot ? o->t->panes.slot : exact(o->t, l->name);

	if (p && o->n < 63 && (p->shown || (o->t->panes.zoom && !layouts_is_hidden(p->name))))
		o->pane[o->n++] = p;
}

void tui_help_close(struct tui *t)
{
	tui_focus(t, t->panes.help_from);
}

void tui_focus_step(struct tui *t, int by)
{
	struct order o = { .t = t };
	int i, at;

	if (t->panes.help_open) {
		tui_help_close(t);
		return;
	}
	tui_overlay_close(t);
	if (!t->panes.focus && by < 0 && t->panes.last_focus && t->panes.last_focus->shown &&
	    t->panes.last_focus != t->panes.output) {
		tui_focus(t, t->panes.last_focus); /* return to the former pane */
		return;
	}
	layout_each(t->layouts.current, in_order, &o);
	if (!t->panes.focus && by < 0 && o.n) {
		tui_focus(t, o.pane[0]);
		return;
	}
	o.pane[o.n++] = NULL; /* the command line */
	for (at = 0; at < o.n && o.pane[at] != t->panes.focus; at++)
		;
	i = at == o.n ? (by > 0 ? 0 : o.n - 1) : (at + by + o.n) % o.n;
	tui_focus(t, o.pane[i]);
}

void tui_slot_step(struct tui *t, int by)
{
	struct pane *was = t->panes.slot;
	int at, i;

	if (!was)
		return;
	for (at = 0; t->panes.all[at] != was; at++)
		;
	for (i = (at + by + t->panes.n) % t->panes.n; i != at; i = (i + by + t->panes.n) % t->panes.n)
		if (t->panes.all[i]->kind == PANE_VIEW && t->panes.all[i]->view && !t->panes.all[i]->shown &&
		    !layouts_is_hidden(t->panes.all[i]->name))
			break;
	t->panes.slot = t->panes.all[i];
	if (t->panes.focus == was)
		t->panes.focus = t->panes.slot;
	tui_place(t);
}

void tui_follow(struct tui *t)
{
	int i;

	for (i = 0; i < t->panes.n; i++)
		if (t->panes.all[i]->kind == PANE_VIEW)
			t->panes.all[i]->free = false;
}

void tui_stale(struct tui *t, bool stop)
{
	int i;

	t->links.stale = true;
	t->links.asked = false;
	if (stop)
		tui_search_again(t);
	for (i = 0; i < t->panes.n; i++) {
		t->panes.all[i]->request.stale = true;
		t->panes.all[i]->request.asked = false;
		if (!stop || t->panes.all[i]->kind != PANE_VIEW)
			continue;
		t->panes.all[i]->free = false;
		if (t->panes.all[i]->words)
			pane_set_words(t->panes.all[i], "");
	}
}
