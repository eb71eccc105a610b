/* SPDX-License-Identifier: BSD-3-Clause */
/* Guards as a pane shows them: below headings, one for each entry where there are several, one for each value that
   is checked; a heading's key is the number of its first guard.  Knows no terminal. */
#ifndef DYNAMO_SHOW_GUARD_PANE_H
#define DYNAMO_SHOW_GUARD_PANE_H
#include "torch/cdbg_host.h"

int guards_pane(const struct view_req *req, struct rows *out, struct err *err);
void guards_action(const struct rows *rows, size_t row, enum row_action what, struct buf *line);

#endif
