/* SPDX-License-Identifier: BSD-3-Clause */
/* entry check: an entry's guards on values of the selected frame or given ones.  Changes nothing in Dynamo's cache. */
#ifndef DYNAMO_CMD_ENTRY_CHECK_H
#define DYNAMO_CMD_ENTRY_CHECK_H
#include "torch/cdbg_host.h"

struct entry;

/* args: "with NAME=EXPR ..." or nothing. */
int entry_check(struct entry *e, const char *args, struct reply *out, struct err *err);

#endif
