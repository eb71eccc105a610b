/* SPDX-License-Identifier: BSD-3-Clause */
/* The commands for Enter and Space on rows of panes that several views share. */
#ifndef DYNAMO_SHOW_ROW_ACTIONS_H
#define DYNAMO_SHOW_ROW_ACTIONS_H
#include "torch/cdbg_host.h"

void row_action_line(const struct rows *r, size_t row, enum row_action what, struct buf *line);
void row_action_entry(const struct rows *r, size_t row, enum row_action what, struct buf *line);
void row_action_entries(const struct rows *r, size_t row, enum row_action what, struct buf *line);
void row_action_graph(const struct rows *r, size_t row, enum row_action what, struct buf *line);
void row_action_override(const struct rows *r, size_t row, enum row_action what, struct buf *line);

#endif
