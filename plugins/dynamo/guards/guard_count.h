/* SPDX-License-Identifier: BSD-3-Clause */
/* How many leaf guards an entry has, according to Dynamo. */
#ifndef DYNAMO_GUARDS_GUARD_COUNT_H
#define DYNAMO_GUARDS_GUARD_COUNT_H
#include "torch/cdbg_host.h"

struct entry;

int guards_count_leaves(PyObject *guard_manager); /* -1: cannot be counted */
int guards_count(struct entry *e);		  /* leaf guards it has now, -1: gone */

#endif
