/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows of values, each with what is in it below it where the user opened it.  The words of the request say what is
   open ("fold:KEY,...") and in which form a value is shown ("format:KEY=hex,..."): the tree keeps no state.  Only the
   rows of the window are made.  Knows no view. */
#ifndef CDBG_TREE_H
#define CDBG_TREE_H
#include "view/view.h"

struct py_obj;

/* What all rows of one fill() have in common. */
struct tree {
	struct session *s;
	const struct view_req *req;
	struct rows *out;
};

struct tree_row {
	const char *name, *kind;
	const char *path; /* an expression for the value; NULL: there is none */
	const char *key;  /* what the tree calls it; no two rows have the same */
	const char *text; /* in place of the value's summary; NULL: that */
	struct py_obj *v; /* borrowed, a reference is taken while it is needed; NULL: text says all */
	unsigned marks;	  /* enum row_mark */
	int depth;
};

/* The columns of a view of such rows, for its table: after these come its own. */
#define TREE_COLS \
	{ .name = "name", .help = "as in the code; of a part: how an expression reaches it", .tree = true }, \
		{ .name = "value", .help = "a summary", .wide = true }, \
	{ \
		.name = "type", .help = "its class", .drop = 1 \
	}

#define TREE_HIDDEN_COLS \
	{ .name = "path", .help = "an expression for it; null: there is none", .machine_only = true }, \
		{ .name = "parts", .help = "it has some: 'info locals PATH' lists them", .machine_only = true }, \
		{ .name = "items", \
		  .help = "of a container: how many; 'info locals PATH[FROM:TO]' lists some", \
		  .machine_only = true }, \
		{ .name = "depth", .screen = true, .machine_only = true }, \
		{ .name = "fold", .screen = true, .machine_only = true }, \
		{ .name = "key", .screen = true, .machine_only = true }, \
	{ \
		.name = "formats", .screen = true, .machine_only = true \
	}

/* A row, and in a pane the rows below it if it is open. */
void tree_put(struct tree *t, const struct tree_row *row);
/* The rows of what is in a value, from number `from` up to `to`; the number of all. */
size_t tree_put_parts(struct tree *t, struct py_obj *v, const char *path, size_t from, size_t to);
/* The key of a row for a variable of this name; owned by the caller. */
char *tree_key(const char *name);
/* The bytes of the request's words that are not the tree's. */
size_t tree_words(const struct view_req *req);
/* The line for an action on a row; empty: none. */
void tree_action(const struct rows *r, size_t row, enum row_action what, struct buf *line);

#endif
