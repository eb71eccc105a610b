/* SPDX-License-Identifier: BSD-3-Clause */
/* The menu of completions beside the prompt.  Only menu.c writes it. */
#ifndef CDBG_TUI_MENU_H
#define CDBG_TUI_MENU_H
#include <stdbool.h>
#include <stddef.h>
#include "ui/line/input.h"

struct answer;
struct val;
struct tui;

struct menu {
	struct val *list; /* NULL: closed */
	char *line;	  /* the line that they are asked for */
	char *before;	  /* ... as it was before the menu opened */
	size_t have;	  /* bytes of each candidate that the line has already */
	long chosen, top; /* chosen -1: none yet */
};

void tui_menu_ask(struct tui *t, char *line); /* takes line: completions of it were asked for */
void tui_menu_take(struct tui *t, struct answer *a);
bool tui_menu_key(struct tui *t, const struct key *k); /* true: the key was for the menu */
void tui_menu_draw(struct tui *t, int bottom, int x);
void tui_menu_release(struct tui *t);

#endif
