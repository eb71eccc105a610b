/* SPDX-License-Identifier: BSD-3-Clause */
/* Answers that are longer than the room for messages, over the panes.  Only overlay.c writes it. */
#ifndef CDBG_TUI_OVERLAY_H
#define CDBG_TUI_OVERLAY_H
#include <stdbool.h>
#include <stddef.h>
#include "ui/line/input.h"
#include "ui/term/grid.h"

struct answer;
struct err;
struct pane;
struct tui;

enum { ANSWERS_KEPT = 10 };

struct long_answer {
	char *line, *text;
	bool table; /* its lines are not wrapped */
};

struct overlay {
	struct pane *pane; /* owned, no member of the panes; NULL before the first */
	bool open;
	struct pane *from;			 /* what had the focus before; NULL: the command line */
	struct long_answer answer[ANSWERS_KEPT]; /* oldest first */
	int n, at;				 /* at: the one that is open */
	int wrapped;				 /* the screen's columns when it was wrapped */
	bool card;				 /* it describes a stop and is below the panes */
	int kept;				 /* panes made of answers */
};

/* Shows the answer of a command: over the panes if it is longer than the room for messages. */
void tui_answer(struct tui *t, const struct answer *a);			  /* copies its line and text */
void tui_overlay_row(struct tui *t, const char *title, const char *text); /* all of a row of a pane */
void tui_overlay_card(struct tui *t, const char *text);			  /* a stop's card; the focus does not change */
int tui_overlay_card_rows(struct tui *t, int rows);		/* of so many rows, those below the panes for a card */
int tui_overlay_again(struct tui *t, struct err *err);		/* the last one; when one is open, the one before */
int tui_overlay_keep(struct tui *t, struct err *err);		/* the open one becomes a pane */
void tui_overlay_close(struct tui *t);				/* closes it and restores the focus */
void tui_overlay_leave(struct tui *t);				/* closes it when something else gets the focus */
bool tui_overlay_key(struct tui *t, const struct key *k);	/* true: it has handled the key */
void tui_overlay_typed(struct tui *t, const char *s, size_t n); /* n bytes of input wait: are they a command? */
void tui_overlay_draw(struct tui *t);
void tui_overlay_release(struct tui *t);

#endif
