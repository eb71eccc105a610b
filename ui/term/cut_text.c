/* SPDX-License-Identifier: BSD-3-Clause */
/* Text in cells that shows where it is cut.  Knows no pane. */
#include "ui/term/cut_text.h"
#include "base/buf.h"
#include "ui/term/theme.h"

int cut_text(struct grid *g, int y, int x, int width, int skip, const char *s, struct look look)
{
	int used = grid_text(g, y, x, width, skip, s, look);

	width = width < g->cols - x ? width : g->cols - x;
	if ((int)text_width(s) - skip <= width || width < 2)
		return used;
	grid_text(g, y, x + width - 1, 1, 0, theme_sign(SIGN_MORE), look);
	return width;
}
