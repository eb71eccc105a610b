/* SPDX-License-Identifier: BSD-3-Clause */
/* Reverts overrides: one by its number, those of the last command, or all of them at a detach. ledger.c decides
   what an entry becomes without them. */
#ifndef DYNAMO_EDIT_UNDO_H
#define DYNAMO_EDIT_UNDO_H
#include "torch/cdbg_host.h"

struct override;

/* Reverts these overrides of one entry or function. */
int undo_overrides(struct override *const *o, int n, struct buf *out, struct err *err);
int undo_last_step(struct buf *out, struct err *err); /* reverts what the last command did, as far as it is active */
void undo_stop(void);

#endif
