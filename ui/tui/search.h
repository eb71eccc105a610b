/* SPDX-License-Identifier: BSD-3-Clause */
/* A search in the focused pane.  Only search.c writes it. */
#ifndef CDBG_TUI_SEARCH_H
#define CDBG_TUI_SEARCH_H
#include <stdbool.h>
#include <stddef.h>
#include "base/buf.h"
#include "ui/line/input.h"

struct answer;
struct tui;

struct search {
	struct buf typed; /* while it is typed */
	char *match;	  /* the one that is shown, or NULL */
	bool backward;	  /* the direction of the request that waits or is on its way */
	bool wanted;	  /* a request waits until the stopped thread takes one */
	bool asked;	  /* one is on its way */
	size_t first;	  /* the row where it begins */
	struct pane *in;  /* the pane that it searches */
	long steps;	  /* to be done after it: matches further on, or back */
	size_t from;	  /* the row where it began: typing more starts there again */
	size_t from_top;
};

void tui_search_start(struct tui *t, const char *text);	 /* in the focused pane; "": asks for it */
void tui_search_key(struct tui *t, const struct key *k); /* while it is typed */
void tui_search_end(struct tui *t);			 /* removes the marks of matches */
void tui_search_leave(struct tui *t);			 /* the same, and typing ends: another pane gets the focus */
/* The next row with a match, or the one before; asks the stopped thread if it is not loaded. */
void tui_search_step(struct tui *t, bool backward);
/* Posts the request that waits; false: none does, or the slot is full. */
bool tui_search_ask(struct tui *t);
void tui_search_again(struct tui *t);	    /* the program stopped again: an answer to the request will not come */
bool tui_search_waits(const struct tui *t); /* a match is looked for */
void tui_search_take(struct tui *t, const struct answer *a);
void tui_search_release(struct tui *t);

#endif
