/* SPDX-License-Identifier: BSD-3-Clause */
/* Searching in a pane: at once where all rows are at hand, by the stopped thread where they are not. */
#include "config.h"
#include <stdlib.h>
#include <string.h>
#include "ui/tui/tui.h"

static bool at_hand(const struct pane *p, size_t row)
{
	return p->kind != PANE_VIEW || pane_index(p, row) >= 0;
}

void tui_found(struct tui *t, long row)
{
	struct pane *p = t->focus;

	if (!p || row < 0) {
		tui_last(t, true, "'%s' is nowhere here", t->match ? t->match : "");
		return;
	}
	pane_move(p, row - (long)p->cursor);
	p->free = true;
	tui_last(t, false, "/%s", t->match ? t->match : "");
}

void tui_find(struct tui *t, bool backward)
{
	struct pane *p = t->focus;
	size_t total = p ? pane_total(p) : 0, i, row;
	struct ask a = { .type = ASK_FIND };
	struct buf b = { 0 };
	bool all = true;

	if (!p || !t->match)
		return;
	for (i = 1; i <= total; i++) {
		row = (p->cursor + (backward ? total - i : i)) % total;
		if (!at_hand(p, row)) {
			all = false;
			break;
		}
		pane_row_text(p, row, &b);
		if (strstr(buf_str(&b), t->match)) {
			tui_found(t, (long)row);
			buf_release(&b);
			return;
		}
	}
	buf_release(&b);
	if (all) {
		tui_found(t, -1);
		return;
	}
	a.text = mem_str(t->match);
	a.view = p->view;
	a.words = mem_fmt("%s%s%s", p->words ? p->words : "", p->folds.len ? " fold:" : "", buf_str(&p->folds));
	a.first = p->cursor;
	a.backward = backward;
	a.serial = p->serial;
	if (!channel_post(&a)) {
		tui_last(t, true, "only what is loaded can be searched while it runs");
		ask_release(&a);
	}
}
