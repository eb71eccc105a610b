/* SPDX-License-Identifier: BSD-3-Clause */
/* Types the filter of a pane: rows change with each letter.  Leaves no row out itself. */
#include "config.h"
#include "ui/tui/filter.h"
#include <stdlib.h>
#include <string.h>
#include "ui/tui/tui.h"
#include "ui/tui/typed.h"

void tui_filter_start(struct tui *t, const char *text)
{
	struct pane *p = t->panes.focus;
	struct filter *f = &t->filter;

	if (*text) {
		pane_set_filter(p, text, pane_number(p));
		return;
	}
	f->in = p;
	free(f->before);
	f->before = p->filter.text ? mem_str(p->filter.text) : NULL;
	f->from = pane_number(p);
	buf_reset(&f->typed);
	t->prompt.kind = PROMPT_FILTER;
	t->screen.dirty = true;
}

void tui_filter_end(struct tui *t)
{
	if (t->prompt.kind == PROMPT_FILTER)
		t->prompt.kind = PROMPT_COMMAND;
	t->screen.dirty = true;
}

void tui_filter_key(struct tui *t, const struct key *k)
{
	struct filter *f = &t->filter;
	struct pane *p = f->in;

	if (!strcmp(k->name, "Esc") || k->c == 3) {
		tui_filter_end(t);
		pane_set_filter(p, f->before ? f->before : "", f->from);
	} else if (!strcmp(k->name, "Enter")) {
		tui_filter_end(t);
		if (!f->typed.len)
			pane_set_filter(p, "", pane_number(p));
	} else if (!strcmp(k->name, "Down") || !strcmp(k->name, "Up")) {
		pane_move(p, *k->name == 'D' ? 1 : -1);
	} else if (typed_key(&f->typed, k)) {
		pane_set_filter(p, buf_str(&f->typed), f->from);
	}
}

void tui_filter_release(struct tui *t)
{
	buf_release(&t->filter.typed);
	free(t->filter.before);
	t->filter.before = NULL;
}
