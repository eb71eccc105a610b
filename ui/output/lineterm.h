/* SPDX-License-Identifier: BSD-3-Clause */
/* The line that the program is writing, as a terminal of one line shows it: escape sequences move, erase and colour.
   Knows neither the lines before it nor a screen. */
#ifndef CDBG_LINETERM_H
#define CDBG_LINETERM_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "ui/term/grid.h"

/* One byte of output; ended() gets each line that it ends, as lineterm_text() gives it. */
void lineterm_byte(unsigned char c, void (*ended)(const char *s, size_t n));
void lineterm_columns(int columns);   /* of the terminal that the program sees: the cursor is moved within them */
bool lineterm_empty(void);	      /* nothing written, nothing begun, no colour set */
const char *lineterm_text(size_t *n); /* with its colours as SGR sequences; borrowed until the next call */
int lineterm_len(void);
int lineterm_column(void);     /* of the cursor */
uint32_t lineterm_char(int i); /* async-signal-safe */
void lineterm_clear(void);
void lineterm_release(void);
/* Apply the parameters of ESC [ ... m. */
void lineterm_sgr(struct look *l, const char *s);

#endif
