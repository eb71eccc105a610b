/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the lines are now that a text of torch's cache names.  The text is of an earlier compile, maybe of another file
   or before an edit: its key is what the graph computes.  Knows text and the model only. */
#ifndef DYNAMO_OBSERVE_MOVED_LINES_H
#define DYNAMO_OBSERVE_MOVED_LINES_H
#include <stddef.h>

struct nodes;
struct source_line;
struct moved_lines;

/* Of the lines that the text names in comments.  now: the captured graph, which has the same nodes on the lines of this
   process; NULL: it was not kept.  The caller's. */
struct moved_lines *moved_lines_new(const struct nodes *now, const char *text);
/* The line for a comment of n bytes, "# File: F:L in NAME, code: TEXT".  NULL: the comment names none, or it is not
   certain where that line is now. */
const struct source_line *moved_lines_find(const struct moved_lines *m, const char *comment, size_t n);
void moved_lines_free(struct moved_lines *m);

#endif
