/* SPDX-License-Identifier: BSD-3-Clause */
/* Text in cells that shows where it is cut.  Knows no pane. */
#ifndef CDBG_CUT_TEXT_H
#define CDBG_CUT_TEXT_H
#include "ui/term/grid.h"

/* Like grid_text(), but a text wider than the room ends with the sign of more text.  Returns the columns used. */
int cut_text(struct grid *g, int y, int x, int width, int skip, const char *s, struct look look);

#endif
