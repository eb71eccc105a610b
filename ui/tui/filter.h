/* SPDX-License-Identifier: BSD-3-Clause */
/* Typing the filter of a pane: only rows with a text are shown.  pane.c keeps it, tui_serve.c leaves rows out. */
#ifndef CDBG_TUI_FILTER_H
#define CDBG_TUI_FILTER_H
#include <stddef.h>
#include "base/buf.h"
#include "ui/line/input.h"

struct pane;
struct tui;

/* While it is typed. */
struct filter {
	struct pane *in;
	struct buf typed;
	char *before; /* the pane's filter before; NULL: none */
	size_t from;  /* the row that was selected, counted without filters */
};

/* Of the pane with the focus.  "": asks for the text. */
void tui_filter_start(struct tui *t, const char *text);
void tui_filter_key(struct tui *t, const struct key *k);
void tui_filter_end(struct tui *t); /* typing ends; what was typed counts */
void tui_filter_release(struct tui *t);

#endif
