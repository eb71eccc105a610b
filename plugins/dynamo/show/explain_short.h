/* SPDX-License-Identifier: BSD-3-Clause */
/* `explain` of more than a person reads: causes of graph breaks and of compiles first, equal ones once.  Knows no
   Python. */
#ifndef DYNAMO_SHOW_EXPLAIN_SHORT_H
#define DYNAMO_SHOW_EXPLAIN_SHORT_H
#include "torch/cdbg_host.h"

struct func;

enum { EXPLAIN_LINES = 200 };

/* At most EXPLAIN_LINES lines about these functions, with commands that show the rest. */
void explain_short(struct buf *out, struct func *const *f, size_t n);

#endif
