/* SPDX-License-Identifier: BSD-3-Clause */
/* The actions that are possible now: what the keys do, with the command lines that they stand for on the selected row,
   and what else its view offers.  The row of hints and the menu of actions show the same list. */
#ifndef CDBG_TUI_ACTIONS_H
#define CDBG_TUI_ACTIONS_H
#include <stdbool.h>
#include <stddef.h>
#include "view/view_def.h"

struct buf;
struct pane;
struct tui;

/* All text is owned. */
struct action {
	char *key;	      /* "": it has none */
	char *line;	      /* what is run; ends in a space: it is left at the prompt to be finished */
	char *bound;	      /* the line of its key */
	char *about;	      /* what it does, in words */
	char *label;	      /* ... in a word or two, for the row of hints; "": not there */
	enum row_action what; /* of the row */
	bool on_row;	      /* it acts on the selected row */
	int rank;	      /* in the row of hints, the smallest first; 0: not there */
};

struct actions {
	struct action *item;
	size_t n, cap;
};

/* For pane p, or the command line (NULL).  Those on the selected row come first. */
void actions_find(const struct tui *t, const struct pane *p, struct actions *out);
void actions_release(struct actions *a);
void action_free(struct action *a); /* what it owns */
/* The command line for an action on the selected row of a pane; empty: there is none. */
void actions_row_line(const struct pane *p, enum row_action what, struct buf *line);
bool tui_runs_line(const char *line); /* it lets a stopped program run, or selects one of its frames */

#endif
