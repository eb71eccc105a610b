/* SPDX-License-Identifier: BSD-3-Clause */
/* What to change so that a guard does not fail and nothing is compiled again, by kind of guard.  Texts only. */
#ifndef DYNAMO_GUARDS_GUARD_REMEDY_H
#define DYNAMO_GUARDS_GUARD_REMEDY_H
#include "torch/cdbg_host.h"

struct guard;

/* What to change so that this guard does not fail: NULL where nothing is known. */
const char *guard_remedy(const struct guard *g, const char *expected, const char *live);

#endif
