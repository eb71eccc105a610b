/* SPDX-License-Identifier: BSD-3-Clause */
/* The commands for Enter and Space on rows of panes that several views share. */
#include "show/dynamo_show.h"
#include <string.h>

static const struct val *follow_cell(const struct rows *r, size_t row, const char *col, enum val_type type)
{
	const struct val *v = host->rows.cell(r, row, col);

	return v && v->type == type ? v : NULL;
}

void row_action_line(const struct rows *r, size_t row, enum row_action what, struct buf *line)
{
	const struct val *file = follow_cell(r, row, "file", VAL_STR), *at = follow_cell(r, row, "line", VAL_INT);

	if (what == ACTION_ENTER && file && at)
		buf_addf(line, "tui show source %s:%lld", file->u.s, at->u.i);
}

static void row_action_entry(const struct rows *r, size_t row, enum row_action what, struct buf *line)
{
	const struct val *entry = follow_cell(r, row, "entry", VAL_STR);

	if (what == ACTION_ENTER && entry)
		buf_addf(line, "tui show asm %s", entry->u.s);
}

/* Space on an entry: disables it, or enables it again. */
void row_action_entries(const struct rows *r, size_t row, enum row_action what, struct buf *line)
{
	const struct val *entry = follow_cell(r, row, "entry", VAL_STR), *state = follow_cell(r, row, "state", VAL_STR);

	if (what == ACTION_TOGGLE && entry && state && !strcmp(state->u.s, "live"))
		buf_addf(line, "entry disable %s", entry->u.s);
	else if (what == ACTION_TOGGLE && entry && state && !strcmp(state->u.s, "disabled"))
		buf_addf(line, "entry enable %s", entry->u.s);
	else
		row_action_entry(r, row, what, line);
}

void row_action_graph(const struct rows *r, size_t row, enum row_action what, struct buf *line)
{
	const struct val *graph = follow_cell(r, row, "graph", VAL_STR);

	if (what == ACTION_ENTER && graph)
		buf_addf(line, "tui show graph %s", graph->u.s);
}

void row_action_override(const struct rows *r, size_t row, enum row_action what, struct buf *line)
{
	const struct val *number = follow_cell(r, row, "override", VAL_INT),
			 *state = follow_cell(r, row, "state", VAL_STR);

	if (what == ACTION_TOGGLE && number && state && !strcmp(state->u.s, "on"))
		buf_addf(line, "undo %lld", number->u.i);
	else
		row_action_entry(r, row, what, line);
}
