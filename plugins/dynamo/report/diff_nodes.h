/* SPDX-License-Identifier: BSD-3-Clause */
/* What changed among the nodes of a stage, from one report's entry to that of another, in words. */
#ifndef DYNAMO_REPORT_DIFF_NODES_H
#define DYNAMO_REPORT_DIFF_NODES_H
#include "torch/cdbg_host.h"

/* Where two graphs of as many nodes differ first: what it is, and what it was.  Owned by the caller; NULL: nowhere. */
char *diff_node(const struct val *a, const struct val *b, const char *stage);
/* Operators that there are more of, and fewer of.  Owned by the caller; NULL: as many of each. */
char *diff_operators(const struct val *a, const struct val *b, const char *stage);

#endif
