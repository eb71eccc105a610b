/* SPDX-License-Identifier: BSD-3-Clause */
/* View: the leaf guards of entries in Dynamo, in a tree by source, with the expected value and that in the selected
   frame. */
#ifndef DYNAMO_SHOW_VIEW_GUARDS_H
#define DYNAMO_SHOW_VIEW_GUARDS_H
#include "torch/cdbg_host.h"

struct guard;

const char *guards_cell(const struct rows *r, size_t row, const char *col); /* "" when absent or no text */
long long guards_number(const struct rows *r, size_t row, const char *col); /* 0 when absent or no number */
bool guards_is(const struct rows *r, size_t row, const char *col, bool what);
bool guards_absent(const struct rows *r, size_t row, const char *col);

/* Columns beside "line" in the views of guards, and their cells. */
#define GUARD_LINES_COLS \
	{ .name = "file", .help = "the line's file", .machine_only = true }, \
		{ .name = "function", .help = "the line's function", .machine_only = true }, \
		{ .name = "outer_file", \
		  .help = "file of the outer line: the program's for a library's line, else " \
			  "the outermost", \
		  .machine_only = true }, \
		{ .name = "outer_line", .help = "that line", .machine_only = true }, \
	{ \
		.name = "outer_function", .help = "its function", .machine_only = true \
	}

void guards_lines(struct rows *out, const struct guard *g);
extern const struct view_ops view_guards;

#endif
