/* SPDX-License-Identifier: BSD-3-Clause */
/* The mouse: borders that it drags, hints that it clicks. */
#ifndef CDBG_MOUSE_H
#define CDBG_MOUSE_H
#include <stdbool.h>
#include "ui/line/input.h"
#include "ui/tui/layout.h"

struct tui;

/* A key that the row of hints names: columns from..to. */
struct hint {
	char key[16];
	int from, to;
};
enum { HINTS_MAX = 24 };

struct mouse {
	struct border border; /* pressed on, split NULL: none; the layout owns it */
	bool dragged;
	struct hint hint[HINTS_MAX]; /* what the row of hints shows */
	int nhints;
};

void tui_mouse(struct tui *t, const struct key *k);
/* The hint at this column: returns "" and sets *k to its key, with its bytes (at most 8); or a command;
   NULL: no hint. */
const char *tui_hint_at(const struct tui *t, int col, char *bytes, struct key *k);

#endif
