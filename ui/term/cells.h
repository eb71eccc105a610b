/* SPDX-License-Identifier: BSD-3-Clause */
/* Cells passed to curses, for terminal.c only, which has set curses' screen and holds the section. */
#ifndef CDBG_CELLS_H
#define CDBG_CELLS_H
#include "ui/term/grid.h"

void cells_begin(int colours); /* a new screen, with that many colours */
/* Send what differs from what the terminal shows, or all of it; cursor at y, x. */
void cells_send(struct grid *g, int y, int x, bool all);

#endif
