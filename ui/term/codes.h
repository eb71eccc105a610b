/* SPDX-License-Identifier: BSD-3-Clause */
/* The bytes for a terminal, from its description: cursor, colours, attributes, clearing.  Appends to a text,
   writes nothing.  For cells.c and terminal.c, which has set curses' terminal. */
#ifndef CDBG_CODES_H
#define CDBG_CODES_H
#include <stdbool.h>
#include "base/buf.h"
#include "ui/term/grid.h"

/* What the description of this terminal has. */
struct codes_can {
	int colours;
	bool erases, repeats; /* ECH, REP */
	bool erases_coloured; /* what is erased has the background that is set */
	bool move_coloured;   /* the cursor may be moved while attributes are set */
	bool scrolls_at_end;  /* a character in the last column of the last row scrolls */
};

const struct codes_can *codes_begin(void); /* read the description of cur_term; valid until the next call */
/* So many rows of the terminal are above the screen, and somebody else's; for all that follows. */
void codes_leave_rows(int rows);
int codes_rows_above(void);
void codes_clear(struct buf *out, int rows);
void codes_move(struct buf *out, int y, int x);
void codes_right(struct buf *out, int n); /* n > 0 */
void codes_erase_line(struct buf *out);	  /* from the cursor to the end of the row */
void codes_erase_chars(struct buf *out, int n);
void codes_repeat(struct buf *out, char c, int n); /* c is written n > 1 times */
/* Change the look of what is written next. */
void codes_look(struct buf *out, struct look from, struct look to);

#endif
