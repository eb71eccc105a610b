/* SPDX-License-Identifier: BSD-3-Clause */
/* Which side effect an instruction of generated code replays.  Knows no view. */
#ifndef DYNAMO_CODE_EFFECT_AT_H
#define DYNAMO_CODE_EFFECT_AT_H
#include "torch/cdbg_host.h"

struct entry;

/* The target of the entry's effect that this instruction names, such as "self.history" where it loads the attribute;
   NULL: none, or several could be meant.  Several effects may have this target, one for each line.  Borrowed. */
const char *effect_at(const struct entry *e, struct code *c, int index);

#endif
