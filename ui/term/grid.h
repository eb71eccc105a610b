/* SPDX-License-Identifier: BSD-3-Clause */
/* The screen as cells: the new contents, and those that the terminal shows.  Knows no terminal and no pane. */
#ifndef CDBG_GRID_H
#define CDBG_GRID_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum look_attr {
	LOOK_BOLD = 1 << 0,
	LOOK_DIM = 1 << 1,
	LOOK_REVERSE = 1 << 2,
	LOOK_UNDERLINE = 1 << 3,
	LOOK_ITALIC = 1 << 4,
};

/* Colours: 0 is the terminal's own, n is colour n - 1 of 256. */
struct look {
	uint16_t fg, bg;
	uint16_t attr; /* enum look_attr */
};

/* No padding: cells are compared as bytes.  width 0: the right half of a wide character. */
struct gcell {
	uint32_t c, mark; /* character, and one that combines with it or 0 */
	struct look look;
	uint16_t width;
};

struct grid {
	int rows, cols;
	struct gcell *now, *sent; /* rows * cols each, owned */
	bool ascii;		  /* the terminal takes nothing else */
};

/* One rectangle of the screen. */
struct rect {
	int y, x, h, w;
};

/* Empties both; the caller repaints all. */
void grid_resize(struct grid *g, int rows, int cols);
void grid_release(struct grid *g);
void grid_fill(struct grid *g, struct rect r, uint32_t c, struct look look);
/*
 * Text in one line, cut at `width` columns, never in a character; tabs to the next 8th column of the text, control
 * characters visible.  Skips the first `skip` columns of it.  Returns the columns used.
 */
int grid_text(struct grid *g, int y, int x, int width, int skip, const char *s, struct look look);
/* Columns that the first n bytes of s take. */
size_t grid_text_width(const char *s, size_t n);
/* The same for at most n bytes. */
int grid_text_n(struct grid *g, int y, int x, int width, int skip, const char *s, size_t n, struct look look);
/* The same, each character with the look of the letter that kinds, as long as s, has for its first byte. */
int grid_text_kinds(struct grid *g, int y, int x, int width, int skip, const char *s, const char *kinds,
		    struct look (*look)(char kind));
/* Change the look of cells that are drawn already: background and attributes, foreground only where `fg` says. */
void grid_tint(struct grid *g, int y, int x, int width, struct look look, bool fg);
/* Row y as UTF-8 text without trailing spaces, for tests: at most size bytes. */

#endif
