/* SPDX-License-Identifier: BSD-3-Clause */
/* What compiling made of each source line of a function, its resume functions and the functions inlined in them.  The
   source pane and the report take it from here.  Knows neither. */
#ifndef DYNAMO_CODE_LINE_MARKS_H
#define DYNAMO_CODE_LINE_MARKS_H
#include "torch/cdbg_host.h"

struct entry;
struct func;

enum line_what { LINE_NODE, LINE_EVALUATED, LINE_MISSED, LINE_BREAK, LINE_RESUME };

/* What each line is reported with: once for each node, break and resume function of it, and once if it was evaluated,
   or has code of the function which was not.  The file's name is valid for good. */
typedef void line_each(void *arg, const char *file, int line, enum line_what what);

/* What to call, and for which lines of any file; there may be calls for others, too. */
struct line_asked {
	line_each *each;
	void *arg;
	int first, last;
};

/* Of a function and all that was compiled for it. */
void line_marks_func(const struct func *root, const struct line_asked *asked);
/* Of this entry (NULL: the function's last one), and of those that it continues or that continue it; then of what is
   being compiled now. */
void line_marks_entry(const struct entry *e, const struct func *f, const struct line_asked *asked);

#endif
