/* SPDX-License-Identifier: BSD-3-Clause */
/* Cells as bytes for the terminal, for terminal.c only, which has set curses' terminal, sends them, and holds the
   section. */
#ifndef CDBG_CELLS_H
#define CDBG_CELLS_H
#include "base/buf.h"
#include "ui/term/grid.h"

int cells_begin(void); /* a new screen: read its description; the number of its colours */
/* Append what changes the terminal from g->sent, or from anything (`all`), to g->now; the cursor at y, x.  The cells
   count as sent then. */
void cells_send(struct grid *g, int y, int x, bool all, struct buf *out);

#endif
