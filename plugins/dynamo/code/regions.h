/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the regions of generated code, that is, what each stretch of it is for, in the code itself, so that code
   from before cdbg was loaded, and code that a user's hook changed, is read the same way.  Knows no stop. */
#ifndef DYNAMO_CODE_REGIONS_H
#define DYNAMO_CODE_REGIONS_H
#include "torch/cdbg_host.h"

struct entry;

int regions_of(struct entry *e, const struct region **out); /* how many; computed once */
/* The first region of this kind; NULL: none. */
const struct region *regions_first(struct entry *e, enum region_kind kind);
const struct region *regions_at(struct entry *e, int index);

#endif
