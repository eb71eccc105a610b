/* SPDX-License-Identifier: BSD-3-Clause */
/* entry check: an entry's guards on values of the selected frame or given ones.  Changes nothing in Dynamo's cache. */
#ifndef DYNAMO_CMD_ENTRY_CHECK_H
#define DYNAMO_CMD_ENTRY_CHECK_H
#include "torch/cdbg_host.h"

struct entry;

/* Do the entry's guards pass for these values, a dict?  0: they do not; failing: lines about those that fail.  -1 with
   err: they cannot be checked. */
int entry_passes(struct entry *e, PyObject *values, struct buf *failing, struct err *err);
/* args: "with NAME=EXPR ..." or nothing. */
int entry_check(struct entry *e, const char *args, struct reply *out, struct err *err);

#endif
