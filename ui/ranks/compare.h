/* SPDX-License-Identifier: BSD-3-Clause */
/* `compare [RANKS] VIEW [ARGUMENTS]`: the rows of a view that some ranks have and others do not.  The ranks make texts
   of their rows (row_texts()); here they are counted.  Knows no view. */
#ifndef CDBG_COMPARE_H
#define CDBG_COMPARE_H

struct buf;
struct controller;
struct err;

/*
 * A command of the controller: see struct ranks_command.  Ranks with equal rows, in any order, are a group; the largest
 * group, of several the one with the lowest rank, is what the others are compared with:
 *
 *     compared with 0-2: 19 rows
 *     only 3: entry 0/1, source x, kind TENSOR_MATCH, expected f32[9] cpu
 *     missing in 3: ...
 */
int compare_run(struct controller *c, const char *args, struct buf *out, struct err *err);

#endif
