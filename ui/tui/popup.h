/* SPDX-License-Identifier: BSD-3-Clause */
/* A popup of rows "text" or "text<Tab>description" above the bottom line, one of them chosen.  Knows no key. */
#ifndef CDBG_TUI_POPUP_H
#define CDBG_TUI_POPUP_H
#include "ui/term/grid.h"

struct val;

enum { POPUP_ROWS = 12 }; /* it has no more */

/* Draws it above row `bottom`, from column x on; the chosen row (-1: none) stays in sight: *top is the first that is.
   A chosen row that is cut is above the popup in full.  Returns the number of its rows. */
int popup_draw(struct grid *g, const struct val *list, long chosen, long *top, int bottom, int x);

#endif
