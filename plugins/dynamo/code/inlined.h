/* SPDX-License-Identifier: BSD-3-Clause */
/* A function that was inlined into an entry: its lines, its call, and the remark of a breakpoint in it. */
#ifndef DYNAMO_CODE_INLINED_H
#define DYNAMO_CODE_INLINED_H
#include "torch/cdbg_host.h"

struct entry;
struct source_line;

/* Does this line belong to the function with this code? */
bool inlined_line_of(struct code *c, const struct source_line *s);
/* Where a breakpoint in the function of this code stops in the entry, and where its own code would run: owned by the
   caller. */
char *inlined_note(struct entry *e, struct code *c, const struct region *r);

#endif
