/* SPDX-License-Identifier: BSD-3-Clause */
/* The columns of a pane's rows: texts of cells, and how wide each column is.  Draws nothing. */
#ifndef CDBG_PANE_COLUMNS_H
#define CDBG_PANE_COLUMNS_H
#include "ui/tui/pane.h"

/* A cell as it is drawn; borrowed, from room or until the next visible(). */
const char *pane_columns_text(const struct rows *r, size_t row, int c, char *room, size_t size);
bool pane_columns_shown(const struct view_col *col); /* as a column of its own */
/* Adds the text of a row as it is searched: cells, each followed by a space.  Any thread. */
void pane_columns_row_text(const struct rows *r, size_t row, struct buf *out);
bool pane_columns_is_file(const struct rows *r, int c);
/* Grows the widths in p to those of the visible rows; a long name far below needs no room. */
void pane_columns_measure(struct pane *p);
/* The columns that the loaded rows need on the screen, with their signs; no cell counts as wider than `most`. */
int pane_columns_needed(const struct pane *p, int most);
/* Widths of the columns in `room` columns; one of them, the wide or the last one, takes what is left. */
void pane_columns_fit(const struct pane *p, int room, int *width, int *last);
/* The column that scrolling to the right moves: the one that is cut most; by how many columns. */
int pane_columns_cut(const struct pane *p, const int *width, int last, int *most);

#endif
