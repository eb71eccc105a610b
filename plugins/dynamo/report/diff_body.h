/* SPDX-License-Identifier: BSD-3-Clause */
/* Source of functions, so that a function can be found again under another name and at other lines.  Knows the data
   tree only. */
#ifndef DYNAMO_REPORT_DIFF_BODY_H
#define DYNAMO_REPORT_DIFF_BODY_H
#include <stdint.h>
#include "torch/cdbg_host.h"

/* Its lines from 'def' on, without indentation, empty lines and lines that are comments, each as a hash.  The
   function's own name counts as any other function's own name. */
struct body {
	uint64_t *line, *sorted; /* owned */
	size_t n;		 /* 0: there is no source */
};

void body_read(const struct val *function, struct body *b);
void body_release(struct body *b);
/* Lines that both have, in the same order.  0, too, if that would be less than a given number. */
size_t body_same(const struct body *a, const struct body *b, size_t least);

/* The hash of one line of a function's source, by its number in the file; 0: there is no such line. */
uint64_t body_line(const struct val *function, long long line);

#endif
