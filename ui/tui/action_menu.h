/* SPDX-License-Identifier: BSD-3-Clause */
/* The menu of actions: those on the selected row, then all others, narrowed down by what is typed.  Only action_menu.c
   writes it. */
#ifndef CDBG_TUI_ACTION_MENU_H
#define CDBG_TUI_ACTION_MENU_H
#include <stdbool.h>
#include "base/buf.h"
#include "ui/line/input.h"
#include "ui/tui/actions.h"

struct tui;
struct val;

struct action_menu {
	struct actions all; /* as they were when it was opened */
	struct val *list;   /* those that match, as a popup shows them; NULL: it is closed */
	size_t *index;	    /* of each of these in all */
	struct buf typed;
	long chosen, top;
	int row, rows; /* where it was drawn */
};

void tui_actions_open(struct tui *t, const char *typed);  /* of the pane with the focus, or of the command line */
bool tui_actions_key(struct tui *t, const struct key *k); /* true: the chosen action is to be run */
void tui_actions_take(struct tui *t, struct action *out); /* closes the menu; the chosen action is the caller's */
void tui_actions_close(struct tui *t);
void tui_actions_draw(struct tui *t, int bottom);
void tui_actions_release(struct tui *t);

#endif
