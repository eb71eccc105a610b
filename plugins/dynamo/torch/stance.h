/* SPDX-License-Identifier: BSD-3-Clause */
/* What torch.compiler.set_stance() says now about calls of compiled functions. */
#ifndef DYNAMO_TORCH_STANCE_H
#define DYNAMO_TORCH_STANCE_H
#include "torch/cdbg_host.h"

bool stance_is(const char *name);
/* skip_guard_eval_unsafe: a lookup checks only the guards that tell the entries of a function apart. */
bool stance_skips_guards(void);
/* Add what it changes, as sentences without a period at the end; false: it is the default one, nothing is added. */
bool stance_describe(struct buf *out);

#endif
