/* SPDX-License-Identifier: BSD-3-Clause */
/* Layouts: the places of panes, as trees of splits, written as {-horizontal source 5 asm 5} 3 *stack 1 output 1 (panes
   and groups with weights, from top to bottom; a group in braces is from left to right).  A * marks the one place for
   any pane that has no place of its own; a = before a weight, that the user gave this size.  Knows names and
   rectangles, no pane. */
#ifndef CDBG_LAYOUT_H
#define CDBG_LAYOUT_H
#include <stdbool.h>
#include "base/buf.h"
#include "ui/term/grid.h"

struct err;

enum { LAYOUT_NAME = 32, LAYOUT_MIN_H = 2, LAYOUT_MIN_W = 12 };

struct layout {
	struct layout **child; /* a split */
	int n;
	bool horizontal;
	char name[LAYOUT_NAME]; /* a pane */
	bool slot;
	bool sized; /* by hand */
	int weight;
	struct rect rect;
	bool shown;
};

struct layout *layout_parse(const char *spec, struct err *err);
void layout_free(struct layout *l);
void layout_print(const struct layout *l, struct buf *out);
/* How a layout is placed.  Panes for which hidden(name) is true, and panes that do not fit, get no rectangle. */
struct placing {
	bool (*hidden)(const char *name);
	const char *one_row; /* this pane gets only its title, unless it was sized by hand; NULL: none */
	/* The columns that a pane needs.  What is beside the pane `wide` lends it what it can spare, the widest first,
	   unless it was sized by hand. */
	int (*needs)(const void *arg, const char *name);
	const void *arg;
	const char *wide; /* NULL: none */
};

/* Computes the rectangles of all panes. */
void layout_place(struct layout *l, struct rect r, const struct placing *p);
/* The pane of this name; the slot when no other. NULL: it has no place here. */
struct layout *layout_find(struct layout *l, const char *name);
struct layout *layout_slot(struct layout *l);
/* Make a shown pane that many rows (columns) bigger, at the cost of its neighbours.  -1: there is no room. */
int layout_resize(struct layout *l, const char *name, bool horizontal, int by);
/* The line between two panes or groups at this place; false: there is none. */
struct border {
	struct layout *split, *first, *second; /* those beside it, and what holds both */
};
bool layout_border(struct layout *l, int y, int x, struct border *out);
int layout_move(const struct border *b, int y, int x); /* moves it there, as far as possible; -1: not at all */
void layout_each(struct layout *l, void (*each)(void *arg, struct layout *pane), void *arg);

/* ---- the layouts of the user: built in, and kept in a file --------------------------------------------------- */

/* The text of layout NAME for a screen of this size, or NULL; "default" is always there. */
const char *layouts_spec(const char *name, int rows, int cols);
/* The layout in use was resized by hand on a screen of this size; spec NULL: as it was made. */
void layouts_resized(const char *name, int rows, int cols, const char *spec);
const char *layouts_name(int i);		      /* NULL past the last */
void layouts_add(const char *name, const char *spec); /* replaces; kept until layouts_release() */
/* What is remembered: layouts of the user, the last one in use, what was hidden.  -1: err says what was wrong with the
   file; what could be read of it counts. */
int layouts_load(const char *file, struct err *err);
int layouts_save(const char *file, struct err *err);
const char *layouts_last(void); /* name of the one in use, never NULL */
void layouts_use(const char *name);
bool layouts_is_hidden(const char *pane);
void layouts_hide(const char *pane, bool hide);
void layouts_show_all(void);
int layouts_line_rows(void); /* the command area's height as the user set it, 0: not */
void layouts_set_line_rows(int n);
void layouts_release(void);

#endif
