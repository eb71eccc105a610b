/* SPDX-License-Identifier: BSD-3-Clause */
/* What Enter and Space on rows of panes stand for, where several views have it in common. */
#ifndef DYNAMO_SHOW_FOLLOW_H
#define DYNAMO_SHOW_FOLLOW_H
#include "torch/host.h"

void follow_line(const struct rows *r, size_t row, enum row_action what, struct buf *line);
void follow_entry(const struct rows *r, size_t row, enum row_action what, struct buf *line);
void follow_entries(const struct rows *r, size_t row, enum row_action what, struct buf *line);
void follow_graph(const struct rows *r, size_t row, enum row_action what, struct buf *line);
void follow_override(const struct rows *r, size_t row, enum row_action what, struct buf *line);

#endif
